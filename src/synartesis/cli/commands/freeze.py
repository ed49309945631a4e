"""`freeze`: stop every write of every proxy on this journal, at once."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import freeze_shape
from synartesis.errors import EXIT_DONE
from synartesis.present.freezes import freeze_lines

EXAMPLES = """examples:
  synartesis freeze
  synartesis freeze --reason "looking at what happened"

From now on every write of every agent on this journal is refused, with your
name and the time; reads go on. A call that has left already is finished.
`undo` still works. `synartesis resume` ends it."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by", metavar="NAME", help="who does it (default: your login name)")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; agents are told")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    by = args.by if args.by is not None else workspace.login_name()
    with workspace.need_record(files) as history:
        held = history.freeze(by=by, reason=args.reason)
    if out.as_json:
        out.json(freeze_shape(held))
    else:
        out.lines(freeze_lines(held, files.spell, out.style))
    return EXIT_DONE
