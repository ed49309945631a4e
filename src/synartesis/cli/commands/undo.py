"""`undo`: put back what a run changed, newest call first; look first, prove afterwards, stop where somebody else wrote."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.output import Output
from synartesis.cli.pick import newest_run_to_undo, pick_run, refuse_to_undo, undone_since
from synartesis.cli.sealing import need_approver
from synartesis.cli.undoing import add_walk, walk

EXAMPLES = """examples:
  synartesis undo --dry-run       reads and plans; sends nothing
  synartesis undo                 the newest run with something to undo; asks
  synartesis undo 3f9a            this run
  synartesis undo 3f9a --to 7     back to and including #7
  synartesis undo 3f9a --only 3,5
  synartesis undo 3f9a --merge    around what somebody else changed
  synartesis undo 3f9a --as-far-as-possible

It first reads everything that it would touch. If any step would stop, nothing
is sent (exit 1). It stops where somebody else changed something since, and
shows both values. Running it again goes on where it stopped; nothing is done
twice. Once a run is undone, `undo` without RUN means the next older one."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="its id, or the start of it")
    add_walk(parser, "undo")


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        row = newest_run_to_undo(history, files.manifest) if args.run is None else pick_run(history, args.run)
        sign = None
        if args.replan and not args.dry_run:
            sign = need_approver(files, history, "undo --replan makes other calls than those that were recorded")
        refuse_to_undo(row, history, files.spell)
        passed_over = None if args.run is not None else undone_since(row, history, files.manifest)
    if passed_over is not None and not out.as_json:
        out.notice(f"run {passed_over.run.id}, which is newer, is undone already: this is about run {row.run.id}")
    return walk(args, out, files, row, verb="undo", opened_by=row.run, sign=sign)
