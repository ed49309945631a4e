"""The difference that an edit of a client's file makes, to be shown before it is made. Such files hold keys and tokens, so no
value is shown but those of the command lines that change."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from synartesis.onboard.configs.config import Config, Path, Splice, apply

HIDDEN = "…"
_SHOWN = ("command", "args", "type")


def difference(name: str, before: Config | None, after: Config | None, entries: Collection[Path]) -> list[str]:
    """A unified diff. `None`: there is no file."""
    old, new = (_masked(side, entries) if side is not None else "" for side in (before, after))
    return diff_lines(name, old, new, is_new=before is None, is_gone=after is None)


def diff_lines(
    name: str, old: str, new: str, *, is_new: bool = False, is_gone: bool = False, context: int = 2
) -> list[str]:
    lines = difflib.unified_diff(
        old.splitlines(),
        new.splitlines(),
        "/dev/null" if is_new else name,
        "/dev/null" if is_gone else name,
        n=context,
        lineterm="",
    )
    return list(lines)


def _masked(config: Config, entries: Collection[Path]) -> str:
    splices = []
    for path, (start, end) in config.leaves(()):
        old = config.text[start:end]
        if len(old) <= 2 or old[0] not in "\"'[" or _is_shown(path, entries):
            continue
        new = f"[{HIDDEN}]" if old[0] == "[" else f'"{HIDDEN}"'
        splices.append(Splice(start, old, new))
    return apply(config.text, splices)


def _is_shown(path: Path, entries: Collection[Path]) -> bool:
    return any(
        path[: len(entry)] == entry and len(path) > len(entry) and path[len(entry)] in _SHOWN for entry in entries
    )
