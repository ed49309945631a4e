"""Which run or request a person means: an id, the start of one, or the obvious one where none was named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from synartesis.domain.records import Action, Approval, RunSummary
from synartesis.domain.status import (
    MAY_HAVE_HAPPENED,
    ActionStatus,
    ApprovalStatus,
    RunKind,
    RunStatus,
    ToolClass,
    Undone,
)
from synartesis.errors import SynartesisError, UsageError
from synartesis.present.lines import who_text
from synartesis.present.safe_text import printable
from synartesis.present.when import day_and_time

if TYPE_CHECKING:
    from synartesis.domain.ports import History
    from synartesis.journal.reads import SqliteHistory as Journal

Spell: TypeAlias = Callable[[Sequence[str]], str]
"""How a command is spelled so that it works as pasted."""

FEW = 50
_CANDIDATES = 10
"""So many are listed where an id is ambiguous."""


# --- runs


def pick_run(history: History, prefix: str) -> RunSummary:
    """The run whose id starts so. Raises UsageError where there is none, or more than one."""
    found = _find(history, "run", prefix)
    if not found:
        raise UsageError(f"no run has an id that starts with {prefix!r}", hint="`synartesis list` shows the runs")
    rows = [row for row in map(history.run, found[:_CANDIDATES]) if row is not None]
    if len(found) > 1:
        raise _ambiguous("run", prefix, [_run_text(row) for row in rows], len(found))
    if not rows:
        raise UsageError(f"run {prefix!r} is not there any more", hint="`synartesis list` shows the runs")
    return rows[0]


def newest_run(history: History) -> RunSummary:
    """The newest that holds a call, where there is one."""
    return _newest_with_calls(history, (RunKind.AGENT, RunKind.UNDO))


def newest_agent_run(history: History) -> RunSummary:
    return _newest_with_calls(history, (RunKind.AGENT,))


def _newest_with_calls(history: History, kinds: Collection[RunKind]) -> RunSummary:
    newest: RunSummary | None = None
    for row in _newest_first(history):
        if row.run.kind in kinds:
            if row.actions:
                return row
            newest = newest or row
    if newest is not None:
        return newest
    raise UsageError("nothing was recorded yet", hint="a run appears once a client has started the proxy")


def _newest_first(history: History) -> Iterator[RunSummary]:
    """The one that is meant is among the first few as a rule, and there may be very many."""
    few = history.runs(limit=FEW)
    yield from few
    if len(few) == FEW:
        yield from history.runs()[FEW:]


def newest_run_to_undo(history: History, manifest: Path | None) -> RunSummary:
    """The newest run of an agent, under this manifest where one is known, that has something to undo."""
    for row in _newest_first(history):
        of_an_agent = row.run.kind is RunKind.AGENT and (manifest is None or row.run.manifest == str(manifest))
        is_undone = row.status is RunStatus.UNDONE
        if of_an_agent and not is_undone and any(map(can_be_undone, history.actions(row.run.id))):
            return row
    under = f" under {manifest}" if manifest else ""
    raise SynartesisError(
        f"no run{under} has anything to undo",
        hint="`synartesis list` shows the runs; a run of another manifest has to be named",
    )


def undone_since(row: RunSummary, history: History, manifest: Path | None) -> RunSummary | None:
    """The newest run of an agent that is newer than this one, and passed over because it is undone already."""
    for newer in _newest_first(history):
        if newer.run.id == row.run.id:
            break
        under = manifest is None or newer.run.manifest == str(manifest)
        if newer.run.kind is RunKind.AGENT and under and newer.status is RunStatus.UNDONE:
            return newer
    return None


def newest_undo_to_redo(history: History, manifest: Path | None, spell: Spell) -> RunSummary:
    """The newest undo of an agent's run, under this manifest where one is known. Raises SynartesisError where that is taken back
    already: an older one, of another run perhaps, is not what a repeated `redo` means."""
    newest: RunSummary | None = None
    for row in _undos_of_agents(history, manifest):
        can_be = any(map(can_be_redone, history.actions(row.run.id)))
        if newest is None and can_be:
            return row
        if can_be and newest is not None and row.run.undoes != newest.run.undoes:
            raise SynartesisError(
                f"the newest undo (run {newest.run.id}) is taken back already",
                hint=f"an older one, of run {row.run.undoes}:\n{spell(['redo', row.run.id])}",
            )
        newest = newest or (row if row.actions else None)
    under = f" under {manifest}" if manifest else ""
    raise SynartesisError(f"no undo{under} can be taken back", hint="`synartesis list` shows the runs")


def _undos_of_agents(history: History, manifest: Path | None) -> Iterator[RunSummary]:
    for row in _newest_first(history):
        if row.run.kind is not RunKind.UNDO or (manifest is not None and row.run.manifest != str(manifest)):
            continue
        undone = history.run(row.run.undoes or "")
        if undone is not None and undone.run.kind is RunKind.AGENT:
            yield row


def refuse_to_undo(row: RunSummary, history: History, spell: Spell) -> None:
    """An undo is taken back by `redo`, and that by undoing the agent's run. Raises UsageError with the command that is meant."""
    run = row.run
    if run.kind is RunKind.UNDO:
        undone = history.run(run.undoes or "")
        if undone is not None and undone.run.kind is RunKind.UNDO:
            raise UsageError(
                f"run {run.id} is a redo (of undo run {undone.run.id})",
                hint=f"to undo again what it did again:\n{spell(['undo', undone.run.undoes or ''])}",
            )
        raise UsageError(
            f"run {run.id} is itself an undo (of run {run.undoes})",
            hint=f"to take it back:\n{spell(['redo', run.id])}",
        )


def refuse_to_redo(row: RunSummary, history: History, spell: Spell) -> None:
    """Only an undo can be redone. Raises UsageError with the command that is meant."""
    run = row.run
    if run.kind is RunKind.UNDO:
        undone = history.run(run.undoes or "")
        if undone is None or undone.run.kind is RunKind.AGENT:
            _refuse_what_was_undone_again(row, history, spell)
            return
        raise UsageError(
            f"run {run.id} is itself a redo (of undo run {undone.run.id})",
            hint=f"to undo again what it did again:\n{spell(['undo', undone.run.undoes or ''])}",
        )
    undos = [one.run.id for one in history.runs() if one.run.undoes == run.id]
    hint = f"its newest undo:\n{spell(['redo', undos[0]])}" if undos else "it was never undone"
    raise UsageError(f"run {run.id} is an agent's run, not an undo", hint=hint)


def _refuse_what_was_undone_again(row: RunSummary, history: History, spell: Spell) -> None:
    """An undo that was taken back, after which its run was undone anew: what is undone now is the work of the newer one."""
    if any(map(can_be_redone, history.actions(row.run.id))):
        return
    for newer in _newest_first(history):
        if newer.run.id == row.run.id:
            return
        if newer.run.undoes == row.run.undoes and any(map(can_be_redone, history.actions(newer.run.id))):
            raise SynartesisError(
                f"undo run {row.run.id} was taken back before, and run {row.run.undoes} was undone again since",
                hint=f"to take that back:\n{spell(['redo', newer.run.id])}",
            )


def can_be_redone(action: Action) -> bool:
    """Whether a redo would have something to do about this inverse call."""
    happened = action.status is ActionStatus.APPLIED or action.status in MAY_HAVE_HAPPENED
    return happened and action.undone in (None, Undone.MISMATCH, Undone.REDONE) and not action.pruned


def can_be_undone(action: Action) -> bool:
    """Whether an undo would have something to do about it."""
    return (
        action.tool_class in (ToolClass.REVERSIBLE, ToolClass.COMPENSABLE)
        and (action.status is ActionStatus.APPLIED or action.status in MAY_HAVE_HAPPENED)
        and action.undone in (None, Undone.MISMATCH, Undone.REDONE)
        and not action.pruned
    )


def only_abandoned_run(history: History) -> RunSummary:
    """The one run whose proxy is gone."""
    rows = [row for row in history.runs() if row.status is RunStatus.ABANDONED]
    if not rows:
        raise SynartesisError("no run is left open by a proxy that died", hint="`synartesis list` shows the runs")
    if len(rows) > 1:
        raise _which_one(
            "more than one run was left open by a proxy that died", [_run_text(row) for row in rows], "close RUN"
        )
    return rows[0]


# --- calls


def pick_unsettled(history: Journal, prefix: str) -> tuple[Action, RunSummary]:
    """The call whose id starts so, and its run. One that a dead process left open is given its name first: unknown."""
    found = _find(history, "action", prefix)
    if not found:
        raise UsageError(
            f"no call has an id that starts with {prefix!r}",
            hint="`synartesis show --full` shows the ids of a run's calls",
        )
    actions = [action for action in map(history.action, found[:_CANDIDATES]) if action is not None]
    if len(found) > 1:
        raise _ambiguous("call", prefix, [_action_text(action) for action in actions], len(found))
    row = history.run(actions[0].run) if actions else None
    if row is None:
        raise UsageError(f"call {prefix!r} is not there any more", hint="`synartesis list` shows the runs")
    if actions[0].status in MAY_HAVE_HAPPENED and actions[0].status is not ActionStatus.UNKNOWN:
        history.close_run(row.run.id)
    return history.action(actions[0].id) or actions[0], row


# --- requests


def pick_request(history: History, prefix: str) -> Approval:
    """The request whose id starts so, whatever became of it."""
    found = _find(history, "approval", prefix)
    if not found:
        raise UsageError(
            f"no request has an id that starts with {prefix!r}",
            hint="`synartesis gates` shows what waits for a decision",
        )
    requests = [request for request in map(history.approval, found[:_CANDIDATES]) if request is not None]
    if len(found) > 1:
        raise _ambiguous("request", prefix, [_request_text(request) for request in requests], len(found))
    if not requests:
        raise UsageError(f"request {prefix!r} is not there any more", hint="`synartesis gates` shows what waits")
    return requests[0]


def only_waiting_request(history: History, verb: str) -> Approval:
    waiting = history.approvals([ApprovalStatus.WAITING])
    if not waiting:
        raise SynartesisError("nothing waits for a decision", hint="a call that is held shows up in `synartesis gates`")
    if len(waiting) > 1:
        problem = "more than one call waits for a decision"
        raise _which_one(problem, [_request_text(request) for request in waiting], f"{verb} ID")
    return waiting[0]


# --- below: how


def _find(history: History, kind: str, prefix: str) -> list[str]:
    wanted = prefix.strip().lower()
    if not wanted:
        raise UsageError(f"an empty id names no {kind}")
    found = history.find(kind, wanted)
    return [wanted] if wanted in found else found


def _ambiguous(kind: str, prefix: str, candidates: Sequence[str], count: int) -> UsageError:
    message = f"{count} {kind}s have an id that starts with {prefix!r}:"
    more = [f"… and {count - len(candidates)} more"] if count > len(candidates) else []
    return UsageError("\n".join([message, *candidates, *more]), hint="type more of the id")


def _which_one(problem: str, candidates: Sequence[str], usage: str) -> UsageError:
    shown = list(candidates[:_CANDIDATES])
    if len(candidates) > len(shown):
        shown.append(f"… and {len(candidates) - len(shown)} more")
    return UsageError("\n".join([f"{problem}:", *shown]), hint=f"name the one that you mean:\nsynartesis {usage}")


def _run_text(row: RunSummary) -> str:
    return f"{printable(row.run.id)}  {day_and_time(row.run.started_at)}  {who_text(row.run)}"


def _action_text(action: Action) -> str:
    return f"{printable(action.id)}  run {printable(action.run)} #{action.seq}  {printable(f'{action.server}.{action.tool}')}"


def _request_text(request: Approval) -> str:
    name = printable(f"{request.server}.{request.tool}")
    return f"{printable(request.id)}  {day_and_time(request.requested_at)}  {name}"
