"""`diff`: what a run changed, all in all."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.pick import newest_agent_run, pick_run
from synartesis.cli.shapes import net_shape
from synartesis.errors import EXIT_DONE
from synartesis.present.net import diff_lines
from synartesis.undo.net import net_changes

EXAMPLES = """examples:
  synartesis diff                 the newest run of an agent
  synartesis diff 3f9a            a run, by the start of its id
  synartesis diff --json | jq '.[] | {tool, args, differences}'

For each thing that the run changed: what was there before its first call, and
what its last call left. It is what was recorded then; nothing is read now."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="its id, or the start of it (default: the newest)")
    add_full(parser)
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    with workspace.need_record(workspace.find_files(args.manifest, args.journal)) as history:
        row = newest_agent_run(history) if args.run is None else pick_run(history, args.run)
        changes = net_changes(history.actions(row.run.id))
    if out.as_json:
        out.json([net_shape(change) for change in changes])
    else:
        out.lines(diff_lines(row, changes, out.style))
    return EXIT_DONE
