"""Where the proxy of a run is alive and does not do what it is asked for: whether its servers are started a second time is for a
person to say."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from synartesis.cli.output import Output
from synartesis.errors import SynartesisError

if TYPE_CHECKING:
    from synartesis.workspace.ordering import Unanswered


class Unwanted(Exception):
    """The person does not want them started."""


def add_start_servers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--start-servers",
        action="store_true",
        help="start the servers anew, although the run's proxy is alive and has them",
    )


class Offering:
    """Implements ordering.Person. `again` is the command that starts them; `first` clears the screen."""

    def __init__(self, out: Output, again: str, *, asks: bool, first: Callable[[], None] = lambda: None) -> None:
        self._out, self._again, self._first = out, again, first
        self._asks = asks and not out.as_json and out.is_terminal

    def unanswered(self, it: Unanswered) -> None:
        """Raises Unwanted; or SynartesisError where nobody can be asked."""
        self._first()
        said = f"the proxy of run {it.run} (process {it.pid}) has the servers of this run, and {it.why}"
        if not self._asks:
            raise SynartesisError(f"{said}; nothing was sent", hint=without_it(self._again))
        self._out.notice(f"{said}.\n{_SECOND_START}")
        if not self._out.ask("Start the servers a second time?"):
            raise Unwanted

    def silent(self, pid: int) -> None:
        self._first()
        self._out.notice(
            f"\nnotice: the proxy (process {pid}), which makes the calls, has got no further for long: a server may be slow."
            " If it hangs, end that process and run this again: it goes on, and makes no call twice"
        )


def without_it(again: str) -> str:
    """What else can be done, and what that may come to."""
    return f"{_SECOND_START}\nTo start them all the same:\n{again}"


_SECOND_START = (
    "If they are started a second time for this, they see nothing of what the running ones hold in memory, they may lack"
    " secrets that only the client has, and they may find their database locked."
)
