"""Files of other programs on disk: read whole, replaced whole, never through a half-written state, and not at all where somebody
else wrote in between."""

from __future__ import annotations

import hashlib
import os
import shlex
import stat
from pathlib import Path

from synartesis.errors import SynartesisError
from synartesis.onboard.configs.config import NotUnderstood

LARGEST_BYTES = 64 << 20
"""A configuration is smaller than this."""

PRIVATE = 0o600


def read_text(path: Path) -> str | None:
    """The text, line ends as they are; None where there is no file. Raises NotUnderstood."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_BYTES:
                raise NotUnderstood(f"{path} is not a configuration file")
            content = file.read()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise NotUnderstood(f"{path} is a folder") from None
    except OSError as error:
        hint = f"make it one that you can read, if it is yours:\n{shlex.join(['chmod', 'u+r', str(path)])}"
        raise NotUnderstood(f"{path} cannot be read: {error.strerror}", hint=hint) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        hint = "save it as UTF-8, then try again; nothing was changed"
        raise NotUnderstood(f"{path}:{line}: this is not UTF-8 text", hint=hint) from None


def replace(path: Path, *, before: str | None, after: str | None, mode: int = PRIVATE) -> None:
    """Put `after` in the place of `before`, in one step; None stands for no file. A link goes on pointing where it did, and a
    file that is there keeps its mode. Raises SynartesisError where the file is not what it was when it was read."""
    target = Path(os.path.realpath(path))
    if read_text(target) != before:
        raise SynartesisError(
            f"{path} was changed by another program just now; it was left as it is",
            hint="end the client, then try again",
        )
    try:
        if after is None:
            target.unlink()
            return
        _write(target, after.encode("utf-8"), mode if before is None else stat.S_IMODE(target.stat().st_mode))
    except OSError as error:
        raise SynartesisError(
            f"{path} cannot be written: {error.strerror}; it was left as it is",
            hint=f"is its folder, {target.parent}, one that you can write, with room left?",
        ) from None


def make_folder(folder: Path, *, mode: int = 0o700) -> None:
    """Where it is not there yet. Raises SynartesisError."""
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        hint = "can you write in what is above it? nothing was changed"
        raise SynartesisError(f"{folder} cannot be made: {error.strerror}", hint=hint) from None


def mode_of(path: Path) -> int:
    """Who may read and write it; private where it is not there yet."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return PRIVATE


def digest(text: str | None) -> str:
    """What tells one state of a file from another; empty for no file."""
    return "" if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()


def _write(target: Path, content: bytes, mode: int) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(mode)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
