"""A client's file with servers put behind the proxy, and the same file with that taken back. Text in, text out; touches no disk.

Every edit is read again and held against what it should have changed: a file that we misunderstood is refused, not damaged.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from synartesis.onboard.configs.config import Config, NotUnderstood, Path, Splice, apply, look_up, reversed_splices
from synartesis.onboard.configs.disk import digest

Read = Callable[[str], Config]
"""Understands a text. Raises NotUnderstood."""


class Move(NamedTuple):
    """One entry that will start the proxy."""

    path: Path
    server: str
    """Its name in the manifest."""
    command: str
    args: tuple[str, ...]
    fields: tuple[tuple[str, str], ...] = ()
    """What a new entry of this client has besides."""


class Change(NamedTuple):
    """One entry that we changed or added, and what it was."""

    path: Path
    server: str
    command: str
    args: tuple[str, ...]
    added: bool = False
    was_command: str = ""
    """As it was written."""
    was_args: str | None = None
    """None where there were none."""
    made: tuple[Path, ...] = ()
    """Tables that had to be made for it."""


class Step(NamedTuple):
    """One `connect`: all that it did to a file, exactly."""

    before: str
    """Digests of the text; empty where there was no file."""
    after: str
    stages: tuple[tuple[Splice, ...], ...]
    changes: tuple[Change, ...]


class Edited(NamedTuple):
    text: str | None
    """None: no file."""
    step: Step


class TakenBack(NamedTuple):
    text: str | None
    steps: tuple[Step, ...]
    """What is still there of us."""
    undone: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]
    """Entries that were left, and why."""
    is_exact: bool
    """The file is byte for byte what it was before we came."""


def put_behind(text: str | None, moves: Iterable[Move], read: Read) -> Edited:
    """Each entry's command and args become the proxy's; an entry that is not there is added. Raises NotUnderstood."""
    now, expected = text or "", copy.deepcopy(dict(read(text or "").data))
    stages: list[tuple[Splice, ...]] = []
    changes: list[Change] = []
    for move in moves:
        found = read(now)
        change, splices = _added(found, move) if look_up(found.data, move.path) is None else _changed(found, move)
        table = _table(expected, move.path)
        table |= {**(dict(move.fields) if change.added else {}), "command": move.command, "args": list(move.args)}
        now = apply(now, splices)
        stages.append(tuple(sorted(splices, key=lambda splice: splice.at)))
        changes.append(change)
    _hold_against(read, now, expected)
    return Edited(now, Step(digest(text), digest(now), tuple(stages), tuple(changes)))


def take_back(text: str | None, steps: Iterable[Step], read: Read, *, only: frozenset[str] | None = None) -> TakenBack:
    """Undo our steps, newest first: exactly, where the file is as we left it; else entry by entry, and whatever somebody else
    wrote stays. `only`: just the entries of these names. Raises NotUnderstood."""
    left = list(steps)
    undone: list[str] = []
    while left and only is None and digest(text) in (left[-1].after, left[-1].before):
        step = left.pop()
        if digest(text) == step.after:
            assert text is not None
            for stage in reversed(step.stages):
                text = apply(text, reversed_splices(stage))
            text = text if step.before else None
        undone += [change.path[-1] for change in step.changes]
    is_exact = not left
    kept: list[tuple[str, str]] = []
    remaining: list[Step] = []
    for step in reversed(left):
        stay: list[Change] = []
        for change in reversed(step.changes):
            if only is not None and change.path[-1] not in only:
                stay.insert(0, change)
                continue
            text, why = _take_back_one(text, change, read)
            (undone.append(change.path[-1]) if not why else kept.append((change.path[-1], why)))
        if stay:
            remaining.insert(0, step._replace(changes=tuple(stay)))
    was_ours = bool(left) and left[0].before == "" and not remaining
    if was_ours and text is not None and not read(text).data:
        text = None
    return TakenBack(text, tuple(remaining), tuple(undone), tuple(kept), is_exact)


def still_there(text: str | None, steps: Iterable[Step], read: Read) -> tuple[Step, ...]:
    """Our steps without the changes that the file does not show any more: somebody took those back, and they are not ours to
    take back again. Raises NotUnderstood."""
    data = read(text or "").data
    kept = [
        step._replace(changes=tuple(change for change in step.changes if _is_ours(look_up(data, change.path), change)))
        for step in steps
    ]
    return tuple(step for step in kept if step.changes)


# --- below: how


def _is_ours(fields: Any, change: Change) -> bool:
    return (
        isinstance(fields, Mapping)
        and fields.get("command") == change.command
        and fields.get("args") == list(change.args)
    )


def _changed(found: Config, move: Move) -> tuple[Change, list[Splice]]:
    command, args = (*move.path, "command"), (*move.path, "args")
    written = found.source(command)
    if written is None:
        raise NotUnderstood(
            f"{'.'.join(move.path)} is not written as an entry with a command", hint="nothing was changed"
        )
    splices = [*found.put(command, found.spell(move.command)), *found.put(args, found.spell(list(move.args)))]
    change = Change(move.path, move.server, move.command, move.args, was_command=written, was_args=found.source(args))
    return change, splices


def _added(found: Config, move: Move) -> tuple[Change, list[Splice]]:
    missing = [
        move.path[:depth] for depth in range(1, len(move.path)) if look_up(found.data, move.path[:depth]) is None
    ]
    fields: dict[str, str | list[str]] = {**dict(move.fields), "command": move.command, "args": list(move.args)}
    change = Change(move.path, move.server, move.command, move.args, added=True, made=tuple(missing))
    return change, found.add(move.path, fields)


def _take_back_one(text: str | None, change: Change, read: Read) -> tuple[str | None, str]:
    """The text without this change, or why it was left."""
    if text is None:
        return text, "the file is gone"
    found = read(text)
    fields = look_up(found.data, change.path)
    if not isinstance(fields, Mapping):
        return text, "it is gone already"
    if not _is_ours(fields, change):
        return text, "somebody changed it since; it no longer is what we wrote"
    expected = copy.deepcopy(dict(found.data))
    if change.added:
        return _without(text, change, read, expected), ""
    now = apply(text, found.put((*change.path, "command"), change.was_command))
    found = read(now)
    args = (*change.path, "args")
    now = apply(now, found.remove(args) if change.was_args is None else found.put(args, change.was_args))
    after = look_up(read(now).data, change.path)
    entry = _table(expected, change.path)
    for key in ("command", "args"):
        entry.pop(key, None)
    entry |= {key: after[key] for key in ("command", "args") if key in after}
    _hold_against(read, now, expected)
    return now, ""


def _without(text: str, change: Change, read: Read, expected: dict[str, Any]) -> str:
    """An added entry gone, and with it the tables that were made for it and are empty now."""
    for path in (change.path, *reversed(change.made)):
        if path != change.path and look_up(expected, path) != {}:
            break
        found = read(text)
        if look_up(found.data, path) is None:  # in TOML a table is not there without its members
            _table(expected, path[:-1]).pop(path[-1], None)
            continue
        text = apply(text, found.remove(path))
        _table(expected, path[:-1]).pop(path[-1])
    _hold_against(read, text, expected)
    return text


def _table(data: dict[str, Any], path: Path) -> dict[str, Any]:
    for key in path:
        data = data.setdefault(key, {})
    return data


def _hold_against(read: Read, text: str, expected: Mapping[str, Any]) -> None:
    found = read(text)
    if found.data != expected:
        raise NotUnderstood(
            "the file cannot be changed without changing more than it should",
            hint="nothing was changed; edit it by hand",
        )
