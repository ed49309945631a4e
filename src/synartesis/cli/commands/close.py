"""`close`: end a run whose proxy died, so that what it left open has a name."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.pick import only_abandoned_run, pick_run
from synartesis.cli.shapes import run_shape
from synartesis.domain.status import RunStatus
from synartesis.errors import EXIT_DONE, SynartesisError
from synartesis.present.labels import RUN_STATUS
from synartesis.present.lines import wants_text
from synartesis.present.safe_text import printable

EXAMPLES = """examples:
  synartesis close                the only run that a dead proxy left open
  synartesis close 3f9a

Calls that were on their way when the proxy died are marked as of unknown
outcome; calls that had not left, as never sent."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="its id, or the start of it (default: the only one)")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    with workspace.need_record(workspace.find_files(args.manifest, args.journal)) as history:
        row = only_abandoned_run(history) if args.run is None else pick_run(history, args.run)
        if not history.close_run(row.run.id):
            hint = "end its client first" if row.status is RunStatus.ACTIVE else "there is nothing to close"
            raise SynartesisError(f"run {row.run.id} was not closed: it is {RUN_STATUS[row.status]}", hint=hint)
        after = history.run(row.run.id) or row
    if out.as_json:
        out.json(run_shape(after))
        return EXIT_DONE
    wants = wants_text(after)
    out.lines([f"Run {printable(after.run.id)} is closed." + (f" {wants}." if wants else "")])
    return EXIT_DONE
