"""Where manifest and journal are, and how a command is spelled that finds them again. Makes and opens nothing."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from synartesis.errors import UsageError
from synartesis.present.safe_text import printable

MANIFEST_NAME = "synartesis.yaml"
JOURNAL_NAME = "journal.db"


class Files(NamedTuple):
    """The manifest and the journal that a command works with."""

    manifest: Path | None
    """None where none was found."""
    journal: Path | None
    """Where it is, or would be made. None where neither it nor a manifest was found."""
    manifest_named: bool = False
    journal_named: bool = False
    """Typed by a person, so that its absence is a mistake."""

    def spell(self, words: Sequence[str]) -> str:
        """A command that works as pasted, from any folder."""
        return command_line(words, journal=self.journal)

    def spell_within(self, text: str) -> str:
        """A sentence that ends in a command about a run or a call, with that on a line of its own as it works anywhere."""
        return _ABOUT.sub(lambda found: f":\n{self.spell([found[1], found[2]])}", text)


def find_files(manifest: str | None, journal: str | None, *, start: Path | None = None) -> Files:
    """What was named, else what is found from the current folder upwards, else in the home. Nothing is made or opened."""
    if journal is not None and "://" in journal:
        raise UsageError(f"--journal {journal}: a journal is a file", hint="name a path, such as ./journal.db")
    here = (start or Path.cwd()).absolute()
    found_manifest, found_journal = (None, None) if manifest else _look_upwards(here)
    home = home_folder()
    if manifest is None and found_manifest is None and found_journal is None and home is not None:
        found_manifest = _if_there(home / MANIFEST_NAME)
        found_journal = home / JOURNAL_NAME if found_manifest else _if_there(home / JOURNAL_NAME)
    chosen = _absolute(here, manifest) if manifest else found_manifest
    beside = chosen.parent / JOURNAL_NAME if chosen else None
    return Files(
        manifest=chosen,
        journal=_absolute(here, journal) if journal else found_journal or beside,
        manifest_named=manifest is not None,
        journal_named=journal is not None,
    )


def home_folder() -> Path | None:
    """`~/.synartesis`, or where SYNARTESIS_HOME says. None where there is no home."""
    moved = os.environ.get("SYNARTESIS_HOME")
    return Path(moved).absolute() if moved else _usual_home()


def command_line(words: Sequence[str], *, journal: Path | None = None, manifest: Path | None = None) -> str:
    """`synartesis WORDS`, spelled so that it works as pasted: quoted, the interpreter spelled out where the command is not on
    PATH, files named where they would not be found from just anywhere. On one line, whatever an id in the journal holds."""
    usual = _usual_home()
    spelled = [*_program(), *words]
    if manifest is not None and manifest.parent != usual:
        spelled += ["--manifest", str(manifest)]
    if journal is not None and journal.parent != usual:
        spelled += ["--journal", str(journal)]
    return printable(shlex.join(spelled))


def spelled_out(text: str) -> str:
    """Words of ours that name commands as `synartesis list`, with what has to be typed for that here."""
    if _is_on_path("synartesis"):
        return text
    return _NAMED.sub(lambda _: " ".join([*map(shlex.quote, _program()), ""]), text)


def how_to_type_it() -> str:
    """What a page of help has to add where the commands on it cannot be typed as they stand; else empty."""
    return (
        ""
        if _is_on_path("synartesis")
        else f"`synartesis` is not on your PATH. Type in its place:\n  {command_line([])}"
    )


def is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:
        return False  # whoever opens it says what is wrong


def nothing_found(what: str) -> UsageError:
    home = home_folder()
    looked = f"{Path.cwd()} upwards" + (f" and in {home}" if home else "")
    return UsageError(
        f"{what} (looked from {looked})",
        hint=f"go to the folder of your {MANIFEST_NAME}, or name it: --manifest FILE; to make the first one:\n"
        "synartesis init NAME -- COMMAND",
    )


# --- below: how

_ABOUT = re.compile(r":? synartesis (undo|redo|show|settle|close) ([0-9a-f]{6,})$")
_NAMED = re.compile(r"(?<![^\s`])(?<!-m )synartesis (?=[a-z-])")


def _program() -> list[str]:
    return ["synartesis"] if _is_on_path("synartesis") else [sys.executable, "-m", "synartesis"]


def _look_upwards(start: Path) -> tuple[Path | None, Path | None]:
    """The nearest folder that holds a manifest or a journal decides for both; its manifest may still be further up."""
    for folder in (start, *start.parents):
        manifest, journal = _if_there(folder / MANIFEST_NAME), _if_there(folder / JOURNAL_NAME)
        if manifest is not None:
            return manifest, folder / JOURNAL_NAME
        if journal is not None:
            return next(filter(None, (_if_there(above / MANIFEST_NAME) for above in folder.parents)), None), journal
    return None, None


def _if_there(path: Path) -> Path | None:
    try:
        return path if path.exists() else None
    except OSError:  # a folder that may not be entered
        return None


def _absolute(here: Path, typed: str) -> Path:
    return Path(os.path.normpath(here / Path(typed).expanduser()))


def _usual_home() -> Path | None:
    try:
        return Path.home() / ".synartesis"
    except RuntimeError:
        return None


def _is_on_path(command: str) -> bool:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(os.path.join(folder, command), os.X_OK) for folder in folders if os.path.isabs(folder))
