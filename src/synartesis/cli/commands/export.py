"""`export`: one run with its proof, in one JSON file that `verify` checks anywhere."""

from __future__ import annotations

import argparse
from pathlib import Path

from synartesis import workspace
from synartesis.cli.options import add_files
from synartesis.cli.output import Output, json_text
from synartesis.cli.pick import newest_run, pick_run
from synartesis.cli.shapes import evidence_shape
from synartesis.errors import EXIT_DONE
from synartesis.present.safe_text import printable
from synartesis.workspace.proving import exported, write_new

EXAMPLES = """examples:
  synartesis export 3f9a > run.json
  synartesis export 3f9a --output run.json
  synartesis verify run.json

The file holds what the journal holds of the run, in the clear: arguments,
answers, who approved. Of other runs it holds nothing but digests."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="its id, or the start of it (default: the newest)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a new file that only you can read")
    add_files(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.need_record(files) as history:
        row = newest_run(history) if args.run is None else pick_run(history, args.run)
        value = exported(history, row, evidence_shape(row, history.actions(row.run.id)))
    if args.output is None:
        out.json(value)
        return EXIT_DONE
    write_new(Path(args.output), json_text(value) + "\n")
    out.lines([f"Run {printable(row.run.id)} is in {printable(args.output)}, with its proof."])
    return EXIT_DONE
