"""The file in the home that holds the approver's key, and the journals that it was set up for. A journal's own row can be
exchanged by whoever can write the journal; where it then says something else than this file, nothing is accepted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from synartesis.approver.key import LockedKey
from synartesis.errors import SynartesisError

FILE_NAME = "approver.json"


class KeyFile(msgspec.Struct, frozen=True):
    key: LockedKey
    journals: tuple[str, ...]
    """Real paths."""
    version: int = 1


class Known(NamedTuple):
    """What is known of a journal's approver. Neither: there is none, and any approval counts."""

    public: str = ""
    problem: str = ""
    """Why nobody can say which key holds: then no approval counts."""

    @property
    def is_set(self) -> bool:
        return bool(self.public or self.problem)


def known_approver(in_journal: str, journal: Path, home: Path | None) -> Known:
    """`in_journal` is the key that stands in the journal itself, empty where there is none."""
    try:
        file = None if home is None else read_key_file(home)
    except SynartesisError as error:
        return Known(problem=error.message)
    pinned = file.key.public if file is not None and os.path.realpath(journal) in file.journals else ""
    if in_journal and pinned and in_journal != pinned:
        return Known(problem=f"the approver's key in the journal {journal} is not the one that was set up for it")
    return Known(public=pinned or in_journal)


def read_key_file(home: Path) -> KeyFile | None:
    """None where there is none. Raises SynartesisError where it cannot be read: then nobody knows what it would say."""
    path = os.path.join(home, FILE_NAME)
    try:
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=KeyFile)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SynartesisError(
            f"the approver's key cannot be read: {path}: {error}", hint="put it back from a backup"
        ) from None


def write_key_file(home: Path, file: KeyFile) -> None:
    """0600, in a 0700 home, whole or not at all."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path, new = home / FILE_NAME, home / f".{FILE_NAME}.{os.getpid()}"
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as writing:
        writing.write(msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n")
        writing.flush()
        os.fsync(descriptor)
    new.replace(path)
