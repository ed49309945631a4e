"""What README, product and the collected cases say, as data. A test that holds one of them says so with `@promise("...")`, and
test_promises.py fails where either side is missing: a promise without a test, or a test for a promise that nobody made."""

from __future__ import annotations

from typing import NamedTuple

import pytest


class Promise(NamedTuple):
    id: str
    says: str
    source: str


CASES = {
    "C001": "a line of any length passes unchanged in both directions, and a write whose state cannot be carried is not sent",
    "C002": "what a server prints on its stdout besides its answers reaches the log and never the client",
    "C006": "a server that floods its stderr is never held up, and its last words are kept",
    "C007": "when the proxy is gone, the servers are gone with all that they started",
    "C008": "a client that closes its end at once still gets every answer, and every call reaches its final state",
    "C009": "an id comes back with its type and value, and an illegal one is answered and never run unrecorded",
    "C010": "every page of every tool list is read, and a cursor that stands still ends with a warning",
    "C012": "a server's question reaches a client that declared it and its answer that server; else the server hears so at once",
    "C014": "what the proxy does not understand passes unchanged, and a write answered with it is never recorded as failed",
    "C016": "names fit every model, are never the same and map back exactly; the manifest uses the server's own",
    "C019": "old servers stay usable, what is announced is what is served, and an impossible version is named",
    "C021": "one silent, dead or missing server costs only its own tools, and is named with its exit code and last words",
    "C025": "text that looks like data stays text: a JSON file comes back byte for byte",
    "C027": "empty is not missing, line ends and byte-order marks survive, and a dry run changes nothing",
    "C030": "a read that failed is not an absence: the write is refused and nothing is sent",
    "C032": "null, absent and empty are three states, and none is put back as another",
    "C036": "a number is never rounded, re-typed or re-spelled",
    "C038": "fields declared as moving by themselves are no drift, and everything else is",
    "C040": "two writes to one record are made one after the other, and undone to the start",
    "C042": "control codes in what an approver reads are shown, not obeyed",
    "C044": "an approval is for these arguments on this tool of this server, once",
    "C046": "a shortened view says how much it hides and shows head and tail",
    "C048": "a no sticks: repeats make no second request",
    "C050": "the journal is for its owner only, and no secret of the environment is in it or in any output",
    "C051": "a write that begins like a read is held",
    "C052": "a plain read is not held; where one is, the reason quotes the text that could not be read",
    "C056": "sixteen proxies on one journal lose no row and never report a lock",
    "C057": "where nothing can be recorded the proxy does not start",
    "C060": "after a kill at any step the journal says never sent or unknown, and undo does no more twice than once",
    "C061": "a journal that is newer, foreign or damaged is refused and left as it is, bit for bit",
    "C065": "a manifest is never half understood: every problem is told, with its line and the remedy",
    "C068": "under a bare PATH and from any folder what is missing is named, variables are set or refused, paths have one base",
}

PROMISES: tuple[Promise, ...] = (*(Promise(case, says, f"case {case}") for case, says in CASES.items()),)

#: Made, and not yet held by a test. Only ever gets shorter.
AWAITED: frozenset[str] = frozenset()


def promise(id: str) -> pytest.MarkDecorator:
    """Marks a test as one that holds this promise. Raises KeyError for a promise that nobody made."""
    if id not in {made.id for made in PROMISES}:
        raise KeyError(f"{id} is no promise of tests/promises.py")
    return pytest.mark.promise(id)
