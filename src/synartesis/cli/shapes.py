"""What `--json` prints: the shapes that product and README document. Keys may be added, never renamed.

Values of the journal stay exact (see domain.canonical). Whatever reads values is imported only when there are some, so that
`list --json` starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synartesis.domain.records import Action, Allowance, Approval, Freeze, Image, InverseCall, Run, RunSummary

if TYPE_CHECKING:
    from synartesis.domain.paths import Path
    from synartesis.present.checks import CheckResult
    from synartesis.undo.net import NetChange
    from synartesis.undo.report import Report, StepDifference, StepReport
    from synartesis.undo.settle import Settling

Shape = dict[str, Any]


def run_shape(row: RunSummary) -> Shape:
    run: Run = row.run
    return {
        "id": run.id,
        "kind": run.kind.value,
        "agent": run.agent,
        "undoes": run.undoes,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "status": row.status.value,
        "actions": row.actions,
        "held": row.held,
        "unknown": row.unknown,
        "manifest": run.manifest,
    }


def action_shape(action: Action, requests: Mapping[str, Approval]) -> Shape:
    request = requests.get(action.approval or action.id)
    return {
        "id": action.id,
        "seq": action.seq,
        "server": action.server,
        "tool": action.tool,
        "args": None if action.pruned else _value(action.arguments),
        "class": action.tool_class.value,
        "status": action.status.value,
        "before": image_shape(action.before, pruned=action.pruned),
        "after": image_shape(action.after, pruned=action.pruned),
        "reply": None if action.reply is None else _value(action.reply),
        "inverse": None if action.inverse is None else [_inverse_shape(call) for call in action.inverse],
        "undoes": action.undoes,
        "undone": None if action.undone is None else action.undone.value,
        "approval": request.id if request is not None else action.approval,
        "note": action.note,
        "at": action.at,
        "request": None if request is None else _outcome_shape(request),
        "pruned": action.pruned,
    }


def evidence_shape(row: RunSummary, actions: Sequence[Action]) -> Shape:
    """A run as an export shows it: what its proof can be held against, nothing that moves with the time."""
    run = {name: value for name, value in run_shape(row).items() if name not in ("status", "unknown")}
    calls = [{name: value for name, value in action_shape(each, {}).items() if name != "request"} for each in actions]
    return {"run": run, "actions": calls}


def image_shape(image: Image | None, *, pruned: bool = False) -> Shape | None:
    if image is None:
        return None
    if pruned:
        return {"state": "pruned", "was": image.state}
    if image.state == "present":
        from synartesis.domain.calls import kept_value

        return {"state": "present", "value": kept_value(_value(image.answer or b"null")).whole}
    if image.state == "absent":
        return {"state": "absent"}
    return {"state": image.state, "why": image.why}


def _inverse_shape(call: InverseCall) -> Shape:
    return {"server": call.server, "tool": call.tool, "args": _value(call.arguments)}


def _outcome_shape(request: Approval) -> Shape:
    return {
        "status": request.status.value,
        "attempts": request.attempts,
        "decided_at": request.decided_at,
        "decided_by": request.decided_by,
        "reason": request.reason,
        "spent_by": request.spent_by,
    }


def request_shape(request: Approval) -> Shape:
    return {
        "id": request.id,
        "run": request.run,
        "seq": request.seq,
        "server": request.server,
        "tool": request.tool,
        "args": _value(request.arguments),
        "why": request.why,
        "requested_at": request.requested_at,
        "attempts": request.attempts,
        "earlier": [{"run": run, "seq": seq, "undone": undone} for run, seq, undone in request.earlier],
        "made": request.made,
        "says": request.says.split("\n") if request.says else [],
        "state": None if request.seen is None else image_shape(request.seen.image),
    }


def allowance_shape(allowance: Allowance) -> Shape:
    return {
        "request": allowance.request,
        "run": allowance.run,
        "server": allowance.server,
        "tool": allowance.tool,
        "uses": allowance.uses,
        "used": allowance.used,
        "left": allowance.left,
        "at": allowance.at,
        "by": allowance.by,
        "reason": allowance.reason,
        "revoked_at": allowance.revoked_at,
    }


def freeze_shape(freeze: Freeze) -> Shape:
    return {
        "id": freeze.id,
        "at": freeze.at,
        "by": freeze.by,
        "reason": freeze.reason,
        "ended_at": freeze.ended_at,
        "ended_by": freeze.ended_by,
    }


def decided_shape(request: Approval, decided: str) -> Shape:
    return {
        **request_shape(request),
        "decided": decided,
        "by": request.decided_by,
        "reason": request.reason,
        "decided_at": request.decided_at,
    }


def report_shape(report: Report) -> Shape:
    halt = report.halted
    return {
        "run": report.run,
        "undo_run": report.undo_run,
        "dry_run": report.dry_run,
        "status": report.status,
        "steps": [_step_shape(step) for step in report.steps],
        "halted": None
        if halt is None
        else {"seq": halt.seq, "reason": halt.reason, "detail": halt.detail, "hint": halt.hint},
    }


def _step_shape(step: StepReport) -> Shape:
    return {
        "seq": step.seq,
        "server": step.tool.server,
        "tool": step.tool.name,
        "kind": step.kind.value,
        "verdict": None if step.verdict is None else step.verdict.value,
        "confirmation": None if step.confirmation is None else step.confirmation.value,
        "undone": None if step.outcome is None else step.outcome.value,
        "reason": step.reason,
        "hint": step.hint,
        "undid": step.undid,
        "residue": step.residue,
        "settle": step.settle or None,
        "unproved": step.unproved,
        "mergeable": step.mergeable,
        "calls": [{"server": call.tool.server, "tool": call.tool.name, "args": call.arguments} for call in step.calls],
        "differences": [_difference_shape(found) for found in step.differences],
    }


def _difference_shape(found: StepDifference) -> Shape:
    return {**_two_sides(found.path, found.expected, found.actual), "kind": found.kind}


def _two_sides(path: Path, expected: Any, actual: Any) -> Shape:
    from synartesis.domain.canonical import Missing
    from synartesis.domain.paths import render_path

    both = {"expected": expected, "actual": actual}
    return {
        "path": render_path(path),
        **{side: None if isinstance(value, Missing) else value for side, value in both.items()},
        # null stands for no value as well; this tells the two apart
        "absent": [side for side, value in both.items() if isinstance(value, Missing)],
    }


def net_shape(change: NetChange) -> Shape:
    """One thing that a run changed. `first` and `last` are null for a call that no read shows anything of."""
    return {
        "server": change.tool.server,
        "tool": change.tool.name,
        "args": change.arguments,
        "first": image_shape(change.first, pruned=change.pruned),
        "last": image_shape(change.last, pruned=change.pruned),
        "differences": [_two_sides(one.path, one.expected, one.actual) for one in change.differences],
        "calls": list(change.calls),
        "unknown": list(change.unknown),
        "undone": list(change.undone),
        "pruned": change.pruned,
        "between": [_two_sides(one.path, one.expected, one.actual) for one in change.between],
    }


def settling_shape(settling: Settling) -> Shape:
    """What `settle` adds to the call: what is there now, and where that differs from before."""
    from synartesis.guard.capture import image_of

    return {
        "now": image_shape(None if settling.now is None else image_of(settling.now)),
        "needs_result": settling.needs_result,
        "differences": [_difference_shape(found) for found in settling.differences],
    }


def check_shape(result: CheckResult) -> Shape:
    return {
        "manifest": result.manifest,
        "ok": result.is_good,
        "servers": [
            {
                "name": server.name,
                "ok": server.tools is not None,
                "tools": None if server.tools is None else [tool.get("name") for tool in server.tools],
                "problem": server.problem,
                "hint": server.hint,
            }
            for server in result.servers
        ],
        "findings": [{"severity": finding.severity, "text": finding.text} for finding in result.findings],
    }


def _value(text: bytes) -> Any:
    from synartesis.domain.canonical import NotJson, decode_json

    try:
        return decode_json(text)
    except NotJson:
        return text.decode("utf-8", "replace")
