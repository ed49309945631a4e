"""`show`: one run, call by call, each with the state it replaced and the literal calls that would undo it."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.pick import newest_run, pick_run
from synartesis.cli.shapes import action_shape, allowance_shape, run_shape
from synartesis.domain.ports import History
from synartesis.domain.records import Action, Approval
from synartesis.domain.status import ActionStatus, RunStatus, Undone
from synartesis.errors import EXIT_DONE
from synartesis.present.requests import allowance_lines
from synartesis.present.timeline import Around, show_lines
from synartesis.undo.links import is_verified

EXAMPLES = """examples:
  synartesis show                 the newest run with a call in it
  synartesis show 3f9a            a run, by the start of its id
  synartesis show --full          nothing shortened
  synartesis show --json | jq '.actions[] | select(.class != "readonly")'"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="its id, or the start of it (default: the newest)")
    add_full(parser)
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        row = newest_run(history) if args.run is None else pick_run(history, args.run)
        actions = _as_they_stand(history.actions(row.run.id), is_alive=workspace.is_alive(row.run))
        requests = _requests(history, actions)
        pointed_at = _pointed_at(history, actions, requests)
        allowances = history.allowances(row.run.id)
        unverified = {one.id for one in actions if one.undone is Undone.COMPENSATED and not is_verified(one, history)}
    if out.as_json:
        shapes = [{**action_shape(one, requests), "unverified": one.id in unverified} for one in actions]
        out.json(
            {"run": run_shape(row), "actions": shapes, "allowances": [allowance_shape(each) for each in allowances]}
        )
        return EXIT_DONE
    around = Around(requests, pointed_at, files.spell, unverified)
    out.lines(show_lines(row, actions, around, out.style))
    if row.status is RunStatus.ACTIVE:
        out.lines(allowance_lines([each for each in allowances if each.left], files.spell, out.style))
    return EXIT_DONE


def _as_they_stand(actions: list[Action], *, is_alive: bool) -> list[Action]:
    """What a process that is gone left open has a name: sent means unknown, recorded means that it never left."""
    if is_alive:
        return actions
    left = {
        ActionStatus.RECORDED: ActionStatus.FAILED,
        ActionStatus.SENT: ActionStatus.UNKNOWN,
        ActionStatus.PAUSED: ActionStatus.UNKNOWN,
    }
    return [action._replace(status=left.get(action.status, action.status)) for action in actions]


def _requests(history: History, actions: list[Action]) -> dict[str, Approval]:
    """Requests that these actions made, or were carried out under."""
    found = {}
    for action in actions:
        for ident in (action.approval, action.id if action.status is ActionStatus.HELD else None):
            if ident is not None and (request := history.approval(ident)) is not None:
                found[ident] = request
    return found


def _pointed_at(history: History, actions: list[Action], requests: dict[str, Approval]) -> dict[str, Action]:
    wanted = {action.undoes for action in actions} | {request.spent_by for request in requests.values()}
    known = {action.id: action for action in actions}
    for ident in wanted - known.keys() - {None}:
        if ident is not None and (action := history.action(ident)) is not None:
            known[ident] = action
    return known
