"""`settle`: say what became of a call whose answer never came."""

from __future__ import annotations

import argparse
from typing import Any

from synartesis import workspace
from synartesis.cli.offering import Offering, Unwanted, add_start_servers
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.pick import pick_unsettled
from synartesis.cli.shapes import action_shape, settling_shape
from synartesis.domain.canonical import Json, NotJson, decode_json_strictly, encode_json
from synartesis.domain.records import Action
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError
from synartesis.present.settling import seen_lines, settled_lines, settling_lines
from synartesis.undo.settle import Decision, Settling, refuse_to_settle
from synartesis.workspace.settling import look_and_settle
from synartesis.workspace.trust import need_own_manifest

EXAMPLES = """examples:
  synartesis settle c0ffee                 shows before and now; decides nothing
  synartesis settle c0ffee --not-applied   it was not carried out
  synartesis settle c0ffee --applied --take-now-as-after
                                           it was; what is there now is what
                                           it left, so an undo can check it
  synartesis settle c0ffee --applied --result '{"id": "n7"}'
                                           ... and this is what it returned

A call that was sent and never answered may have happened. Where reading shows
that it changed nothing, an undo settles it by itself; otherwise it stops and
asks for this."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", help="its id, or the start of it (see `synartesis show --full`)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--applied", action="store_true", help="it was carried out")
    what.add_argument("--not-applied", action="store_true", help="it was not")
    parser.add_argument(
        "--take-now-as-after", action="store_true", help="what is there now is what it left (with --applied)"
    )
    parser.add_argument(
        "--result", metavar="JSON", type=_json, help="what it returned, where its undo needs that (with --applied)"
    )
    add_start_servers(parser)
    parser.add_argument("--by", metavar="NAME", help="who decides (default: your login name)")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; kept in the journal")
    add_full(parser)
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    decides = args.applied or args.not_applied
    if not decides and (args.take_now_as_after or args.result is not None):
        raise UsageError("what a call did can only be told of one that was carried out", hint="add --applied")
    with workspace.need_record(files) as history:
        action, row = pick_unsettled(history, args.action)
        refuse_to_settle(action, is_alive=workspace.is_alive(row.run), history=history)
        need_own_manifest(files, row.run)
        if decides:
            _need_approver(files, history)
        undone = history.run(row.run.undoes or "")
    seen: list[Settling] = []

    def decide(settling: Settling) -> Decision | None:
        seen.append(settling)
        if not decides:
            return None
        by = args.by if args.by is not None else workspace.login_name()
        return Decision(by, args.applied, reason=args.reason, take_now_as_after=args.take_now_as_after)

    assert files.journal is not None
    again = files.spell(["settle", action.id, *_repeated(args), "--start-servers"])
    try:
        after = look_and_settle(
            files.journal,
            action,
            row.run,
            manifest=files.manifest if files.manifest_named else None,
            opened_by=row.run if undone is None else undone.run,
            result=args.result,
            decide=decide,
            start_servers=args.start_servers,
            person=Offering(out, again, asks=True),
        )
    except Unwanted:
        out.lines(["Nothing was decided."])
        return EXIT_STOPPED
    except SynartesisError as error:
        error.hint = files.spell_within(error.hint)
        raise
    _tell(after, seen[0], args, files, out)
    return EXIT_DONE


def _repeated(args: argparse.Namespace) -> list[str]:
    """What was decided, for the same command once more."""
    words = [flag for flag in ("applied", "not_applied", "take_now_as_after") if getattr(args, flag)]
    options = [f"--{flag.replace('_', '-')}" for flag in words]
    options += ["--result", encode_json(args.result[0]).decode()] if args.result is not None else []
    for name in ("by", "reason", "manifest"):
        options += [f"--{name}", str(getattr(args, name))] if getattr(args, name) else []
    return options


def _tell(after: Action, settling: Settling, args: argparse.Namespace, files: workspace.Files, out: Output) -> None:
    if out.as_json:
        out.json({**action_shape(after, {}), **settling_shape(settling)})
    elif not (args.applied or args.not_applied):
        out.lines(settling_lines(settling, files.spell, out.style))
    else:
        out.lines(seen_lines(settling, out.style))
        out.lines(["", *settled_lines(after.status, settling, out.style, took_now=args.take_now_as_after)])


def _need_approver(files: workspace.Files, history: Any) -> None:
    from synartesis.cli.sealing import need_approver

    need_approver(files, history, "settle decides what an undo will take for true")


def _json(text: str) -> tuple[Json]:
    """In a tuple, so that null is told from nothing."""
    try:
        return (decode_json_strictly(text),)
    except NotJson as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not JSON: {error}") from None
