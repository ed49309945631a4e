"""The history of a journal, or of an exported run, held against itself; and an exported run, made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from synartesis.errors import SynartesisError, UsageError

if TYPE_CHECKING:
    from synartesis.domain.records import RunSummary
    from synartesis.journal.feed import Happening
    from synartesis.journal.reads import SqliteHistory
    from synartesis.journal.tables import Misfit, Progress

KIND = "synartesis export"
"""What an export says of itself in its first line."""


class Entry(NamedTuple):
    """An entry of a history, as it is noted outside of it."""

    number: int
    digest: str


class Checked(NamedTuple):
    what: str
    """The journal, or the run of an export."""
    last: Entry
    first: int
    misfit: Misfit | None
    about: Happening | None
    """The entry that does not fit, where it is there."""


def check_history(history: SqliteHistory, noted: Entry | None, *, progress: Progress | None = None) -> Checked:
    """Hold the history of a journal against itself, and against an entry that was noted before."""
    from synartesis.journal.tables import Misfit

    number, digest = history.last_entry()
    misfit = history.first_misfit(progress)
    if misfit is None and noted is not None:
        found = history.digest_of(noted.number)
        if found is None:
            misfit = Misfit(noted.number, "it was noted, and is missing")
        elif found.hex() != noted.digest:
            misfit = Misfit(noted.number, "it is not what was noted")
    about = None if misfit is None or misfit.number is None else history.entry(misfit.number)
    return Checked(f"journal {history.path}", Entry(number, digest.hex()), 1, misfit, about)


# --- one run, outside of its journal


def exported(history: SqliteHistory, row: RunSummary, shown: Any) -> dict[str, Any]:
    """A run with its proof. `shown` is the run as `show --json` says it."""
    return {"kind": KIND, **shown, "proof": history.export(row.run.id)}


def is_export(path: Path) -> bool:
    """Raises UsageError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(1) == b"{"
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="look at the path") from None


def check_export(path: Path, shown: Any) -> Checked:
    """Hold an export against itself. `shown` makes of a run and its calls what `show --json` says of them. Raises
    SynartesisError where it is no export."""
    from synartesis.domain.canonical import NotJson, decode_json, encode_json, same_json
    from synartesis.journal.export import evidence
    from synartesis.journal.reads import SqliteHistory
    from synartesis.journal.tables import Misfit

    try:
        text = path.read_bytes()
        said: Any = decode_json(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="look at the path") from None
    except NotJson as error:
        raise SynartesisError(f"{path} is not an export: {error}", hint="export the run again") from None
    if not isinstance(said, dict) or said.get("kind") != KIND or not isinstance(said.get("proof"), dict):
        raise SynartesisError(f"{path} is not an export of a run", hint="`synartesis export RUN` makes one")
    import json

    found = evidence(json.loads(text)["proof"])
    misfit = found.first_misfit()
    with SqliteHistory(found.connection, str(path)) as history:
        row = history.run(found.run)
        if row is None:
            raise SynartesisError(f"{path} is not a whole export: its run is missing", hint="export the run again")
        now = decode_json(encode_json(shown(row, history.actions(found.run))))
        if misfit is None and not same_json(now, {name: said.get(name) for name in now}):
            misfit = Misfit(None, "what it shows of the run is not what its proof says")
        about = None if misfit is None or misfit.number is None else history.entry(misfit.number)
    return Checked(f"run {found.run}", Entry(found.last[0], found.last[1].hex()), found.after[0] + 1, misfit, about)


def write_new(path: Path, text: str) -> None:
    """For its owner only: it holds what the journal holds. Raises UsageError where there is something already."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint="name another file") from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
