"""`redo`: take an undo back. It is the undo of an undo run, so it looks, stops and proves as `undo` does."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.output import Output
from synartesis.cli.pick import newest_undo_to_redo, pick_run, refuse_to_redo
from synartesis.cli.sealing import need_approver
from synartesis.cli.undoing import add_walk, walk

EXAMPLES = """examples:
  synartesis redo --dry-run       reads and plans; sends nothing
  synartesis redo                 the newest undo, no older one; asks
  synartesis redo 3f9a            this undo run (see `synartesis list`)

What the undo put back is changed again to what the agent had left: by the
rules of the tools that the undo called, with the values that it replaced.
It looks first, stops where somebody else changed something since, and where
a server would give a new id. Afterwards `undo` works again."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="UNDO_RUN", nargs="?", help="the undo run: its id, or the start of it")
    add_walk(parser, "redo")


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        row = (
            newest_undo_to_redo(history, files.manifest, files.spell)
            if args.run is None
            else pick_run(history, args.run)
        )
        refuse_to_redo(row, history, files.spell)
        sign = None
        if args.replan and not args.dry_run:
            sign = need_approver(files, history, "redo --replan makes other calls than those that were recorded")
        undone = history.run(row.run.undoes or "")
    opened_by = row.run if undone is None else undone.run
    return walk(args, out, files, row, verb="redo", opened_by=opened_by, sign=sign)
