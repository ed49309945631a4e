"""What a file is, found out before anything touches it; and who may read it.

SQLite changes a file, or puts others beside it, as soon as it opens one in earnest. A journal of a newer version,
another program's file or a damaged one must be left as it is, so the first look reads plain bytes.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from typing import NamedTuple

from synartesis.errors import JournalUnavailable

APPLICATION_ID = 0x53796E61
"""`Syna`, in the header of every journal."""
FORMAT = 5
"""The format that this version writes; `user_version` in the header."""

MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100
THOROUGH_BYTES = 8 << 20
QUICK_BYTES = 1 << 20
"""Files up to this size are checked page by page when they are opened, to write or only to read: 1 MiB takes 3 ms."""
LOOKS = 20
"""How often a file that seems damaged is looked at again: another process may just be writing it."""


class Found(NamedTuple):
    """`format` is None for a fresh journal: no file, or an empty one."""

    format: int | None


def look(path: str, *, thorough: bool) -> Found:
    """What is at `path`. Raises JournalUnavailable for whatever is not a journal that this version can use; then
    nothing there has been touched."""
    for _ in range(LOOKS):
        try:
            return _look_once(path, thorough=thorough)
        except _Damaged:
            time.sleep(0.01)
    return _refuse_damaged(path, thorough=thorough)


def _refuse_damaged(path: str, *, thorough: bool) -> Found:
    try:
        return _look_once(path, thorough=thorough)
    except _Damaged as damage:
        raise damaged(path, str(damage)) from None


def damaged(path: str, why: str) -> JournalUnavailable:
    return JournalUnavailable(
        f"the journal {path} is damaged: {why}; it was left as it is",
        hint=f"restore it from a backup, or move it away to start a new one; `sqlite3 {path} .recover` saves what can be read",
    )


class _Damaged(Exception):
    pass


def _look_once(path: str, *, thorough: bool) -> Found:
    try:
        with open(path, "rb") as file:
            header = file.read(HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return Found(None)
    except IsADirectoryError:
        raise JournalUnavailable(f"{path} is a folder, not a journal", hint="name a file in it") from None
    except NotADirectoryError:
        raise JournalUnavailable(f"the journal {path} cannot be: what should be its folder is a file") from None
    except OSError as error:
        raise JournalUnavailable(f"the journal {path} cannot be read: {error.strerror}") from error
    if not header:
        return Found(None)
    if not header.startswith(MAGIC[: len(header)]):
        raise JournalUnavailable(
            f"{path} is not a journal: it is no SQLite database; it was left as it is",
            hint="name another file with --journal",
        )
    if len(header) < HEADER_BYTES:
        raise _Damaged(f"only its first {len(header)} bytes are there")
    _check_owner(path, header)
    _check_size(path, header, size)
    if size <= (THOROUGH_BYTES if thorough else QUICK_BYTES) and not _in_use(path):
        _check_pages(path)
    return Found(int.from_bytes(header[60:64]))


def _check_owner(path: str, header: bytes) -> None:
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        raise JournalUnavailable(
            f"{path} belongs to another program; it was left as it is",
            hint="name another file with --journal",
        )
    version = int.from_bytes(header[60:64])
    if version > FORMAT:
        raise JournalUnavailable(
            f"the journal {path} was written by a newer version of Synartesis (format {version}, this one knows {FORMAT});"
            " it was left as it is",
            hint="upgrade Synartesis, or name another file with --journal",
        )


def _check_size(path: str, header: bytes, size: int) -> None:
    page = int.from_bytes(header[16:18])
    page = 65536 if page == 1 else page
    counted = header[24:28] == header[92:96]  # else the count is that of a writer which did not keep it
    expected = int.from_bytes(header[28:32]) * page
    if counted and size < expected and not _in_use(path):
        raise _Damaged(f"it has {size} bytes of {expected}")


def _in_use(path: str) -> bool:
    """Whether somebody is writing it, or stopped in the middle: what is missing may stand in the file beside it."""
    return any(_size(path + suffix) for suffix in ("-wal", "-journal"))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _check_pages(path: str) -> None:
    """Read every page without locks and without files beside it."""
    connection = sqlite3.connect(uri(path, "mode=ro&immutable=1"), uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA cell_size_check = ON")
        (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise _Damaged(str(error)) from None
    finally:
        connection.close()
    if answer != "ok":
        raise _Damaged(str(answer).replace("\n", " "))


# --- paths and modes


def place_of(path: str | os.PathLike[str]) -> str:
    """Where a journal is. Of a link, where that leads: SQLite keeps the newest records beside the file itself."""
    whole = os.path.abspath(path)
    return os.path.realpath(whole) if os.path.islink(whole) else whole


def uri(path: str, parameters: str) -> str:
    """A path as the URI that SQLite understands, whatever characters it has."""
    quoted = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in os.fsencode(path))
    return f"file:{quoted}?{parameters}"


_PLAIN = frozenset(b"/-_.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def make_private(path: str) -> None:
    """See to it that the file is there and nobody else can read it, nor the files beside it, whatever the umask.
    Raises JournalUnavailable."""
    try:
        _make_folder(os.path.dirname(path))
        _make_file(path)
    except NotADirectoryError:
        raise JournalUnavailable(f"the journal {path} cannot be: what should be its folder is a file") from None
    except OSError as error:
        raise JournalUnavailable(
            f"the journal {path} cannot be written: {error.strerror}",
            hint="make its folder writable, or name another file with --journal",
        ) from error
    for suffix in ("", "-wal", "-shm"):
        _tighten(path + suffix)


def _make_file(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
    except FileExistsError:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    os.close(descriptor)


def _make_folder(folder: str) -> None:
    if folder and not os.path.isdir(folder):
        _make_folder(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
            os.chmod(folder, 0o700)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise NotADirectoryError(folder) from None


def _tighten(path: str) -> None:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if mode & 0o077:
            os.chmod(path, mode & 0o700)
    except OSError:
        pass  # not there, or somebody else's: then its owner decides
