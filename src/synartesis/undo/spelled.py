"""What is asked of an undo and what comes of it, as JSON: for a command and a proxy that do it together. No number moves, and
what cannot be read as it was meant is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from synartesis.domain.calls import ResolvedCall
from synartesis.domain.canonical import MISSING, Json, Missing, NotJson, decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import parse_path, render_path
from synartesis.domain.status import Confirmation, ToolClass, Undone
from synartesis.undo.plan import UndoOptions
from synartesis.undo.report import Halt, Report, StepDifference, StepKind, StepReport, Verdict


class NotUnderstood(ValueError):
    """It was written by something that means more than this version knows, or by nothing of ours."""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    options: UndoOptions
    asks: bool = False
    """Somebody wants to see the plan before anything is sent."""


def asked_to_json(asked: Asked) -> bytes:
    return msgspec.json.encode(asked)


def asked_from_json(said: bytes) -> Asked:
    """Raises NotUnderstood: an option that is not known must not be left out."""
    try:
        return msgspec.json.decode(said, type=Asked)
    except msgspec.MsgspecError as error:
        raise NotUnderstood(str(error)) from error


def report_to_json(report: Report) -> bytes:
    halt = report.halted
    return encode_json(
        {
            "run": report.run,
            "undo_run": report.undo_run,
            "dry_run": report.dry_run,
            "status": report.status,
            "steps": [_spelled_step(step) for step in report.steps],
            "halted": None if halt is None else [halt.seq, halt.reason, halt.detail, halt.hint],
            "redo": report.redo,
            "as_far": report.as_far,
        }
    )


def report_from_json(said: bytes) -> Report:
    """Raises NotUnderstood."""
    try:
        found = decode_json(said)
        return Report(
            run=found["run"],
            undo_run=found["undo_run"],
            dry_run=found["dry_run"],
            status=found["status"],
            steps=tuple(_read_step(step) for step in found["steps"]),
            halted=None if found["halted"] is None else Halt(*found["halted"]),
            redo=found["redo"],
            as_far=found.get("as_far", False),
        )
    except (NotJson, LookupError, TypeError, ValueError) as error:
        raise NotUnderstood(str(error)) from error


# --- below: the steps


def _spelled_step(step: StepReport) -> Json:
    said = {name: getattr(step, name) for name in StepReport.__struct_fields__}
    return {
        **said,
        **{name: None if said[name] is None else said[name].value for name in _WORDS},
        "tool": [step.tool.server, step.tool.name],
        "calls": [[call.tool.server, call.tool.name, call.arguments] for call in step.calls],
        "differences": [
            [render_path(one.path), *map(_spelled_side, (one.expected, one.actual)), one.kind]
            for one in step.differences
        ],
    }


def _read_step(said: dict[str, Any]) -> StepReport:
    return StepReport(
        **{
            **said,
            **{name: None if said[name] is None else read(said[name]) for name, read in _WORDS.items()},
            "tool": Tool(*said["tool"]),
            "calls": tuple(ResolvedCall(Tool(server, name), args) for server, name, args in said["calls"]),
            "differences": tuple(
                StepDifference(parse_path(path), _read_side(expected), _read_side(actual), kind)
                for path, expected, actual, kind in said["differences"]
            ),
        }
    )


_WORDS: dict[str, Callable[[str], Any]] = {
    "tool_class": ToolClass,
    "kind": StepKind,
    "verdict": Verdict,
    "outcome": Undone,
    "confirmation": Confirmation,
}


def _spelled_side(value: Json) -> Json:
    """No value is not null."""
    return [] if isinstance(value, Missing) else [value]


def _read_side(said: list[Json]) -> Json:
    return said[0] if said else MISSING
