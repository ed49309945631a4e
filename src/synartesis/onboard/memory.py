"""What `connect` did to clients' files, kept so that `disconnect` can take back exactly that: one small private file for each
of them, in `~/.synartesis/connected/`. It may hold arguments of servers, and so is for its owner's eyes only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from synartesis.onboard.clients import find_client, understand
from synartesis.onboard.configs.config import NotUnderstood, Splice, look_up
from synartesis.onboard.configs.disk import digest, make_folder, read_text, replace
from synartesis.onboard.edits import Change, Step
from synartesis.onboard.entries import option, variables

VERSION = 1


class Record(NamedTuple):
    """All that is ours in one file."""

    client: str
    file: Path
    backup: Path | None
    """The file as it was before the first step; None where there was none."""
    steps: tuple[Step, ...]

    @property
    def changes(self) -> list[Change]:
        return [change for step in self.steps for change in step.changes]


def records(home: Path) -> list[Record]:
    """Everything that is connected. Raises NotUnderstood where a file of ours cannot be read."""
    folder = home / "connected"
    return [_load(path) for path in sorted(folder.glob("*.json"))] if folder.is_dir() else []


def record_of(home: Path, client: str, file: Path) -> Record | None:
    path = _path(home, client, file)
    return _load(path) if path.exists() else None


def remember(home: Path, record: Record) -> None:
    """Keep it; where nothing of ours is left, forget the file."""
    path = _path(home, record.client, record.file)
    if record.steps:
        make_folder(path.parent)
        path.parent.chmod(0o700)
    replace(path, before=read_text(path), after=_dumped(record) if record.steps else None)
    if not record.steps and not any(path.parent.iterdir()):
        path.parent.rmdir()


def variables_of(home: Path | None, manifest: Path, environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By server of this manifest: what its client sets for it, read where it stands now. A client's own secrets are never
    copied, so whoever starts such a server without its client looks there."""
    found: dict[str, dict[str, str]] = {}
    for record in records(home) if home is not None else ():
        client, text = find_client(record.client), None
        if client is None or not any(option(change.args, "--manifest") == str(manifest) for change in record.changes):
            continue
        try:
            text = read_text(record.file)
            data = understand(client, text, str(record.file)).data if text is not None else {}
        except NotUnderstood:
            continue  # then the missing variable is named, with what to do
        for change in record.changes:
            fields = look_up(data, change.path)
            if option(change.args, "--manifest") == str(manifest) and isinstance(fields, Mapping):
                found.setdefault(change.server, {}).update(variables(client, fields, environ))
    return found


def _path(home: Path, client: str, file: Path) -> Path:
    return home / "connected" / f"{client}-{digest(str(file))[:12]}.json"


def _dumped(record: Record) -> str:
    shape = {
        "version": VERSION,
        "client": record.client,
        "file": str(record.file),
        "backup": None if record.backup is None else str(record.backup),
        "steps": [
            {**step._asdict(), "changes": [change._asdict() for change in step.changes]} for step in record.steps
        ],
    }
    return json.dumps(shape, indent=1) + "\n"


def _load(path: Path) -> Record:
    try:
        shape = json.loads(read_text(path) or "")
        if shape["version"] != VERSION:
            raise NotUnderstood(f"{path} was written by another version of Synartesis")
        return Record(
            shape["client"],
            Path(shape["file"]),
            None if shape["backup"] is None else Path(shape["backup"]),
            tuple(map(_step, shape["steps"])),
        )
    except (ValueError, KeyError, TypeError):
        raise NotUnderstood(
            f"{path} cannot be read: it is not what `connect` wrote there",
            hint="the file that it is about has a copy beside it, from before; put that back by hand",
        ) from None


def _step(shape: Any) -> Step:
    return Step(
        shape["before"],
        shape["after"],
        tuple(tuple(Splice(*splice) for splice in stage) for stage in shape["stages"]),
        tuple(
            Change(
                **{
                    **change,
                    "path": tuple(change["path"]),
                    "args": tuple(change["args"]),
                    "made": tuple(map(tuple, change["made"])),
                }
            )
            for change in shape["changes"]
        ),
    )
