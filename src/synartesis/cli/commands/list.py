"""`list`: what happened, most recent first. Imports nothing that starts slowly: people wait for this one."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from synartesis import workspace
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import run_shape
from synartesis.domain.records import RunSummary
from synartesis.domain.status import RunKind, RunStatus
from synartesis.errors import EXIT_DONE, UsageError
from synartesis.present.freezes import freeze_lines
from synartesis.present.labels import counted
from synartesis.present.lines import run_lines

_SHOWN = 20

EXAMPLES = """examples:
  synartesis list
  synartesis list --limit 100
  synartesis list --json | jq '.[0].id'"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", "--limit", metavar="N", type=int, help=f"how many (default: {_SHOWN}; with --json all)")
    add_full(parser)
    add_files(parser)
    add_json(parser)


def _made_nothing(row: RunSummary) -> bool:
    """An undo that stopped before its first call, or found everything as before."""
    return row.run.kind is RunKind.UNDO and not row.actions and row.status is not RunStatus.ACTIVE


def run(args: argparse.Namespace, out: Output) -> int:
    if args.limit is not None and args.limit < 1:
        raise UsageError(f"--limit {args.limit}: a positive number is needed")
    limit = args.limit or _SHOWN
    wanted = args.limit if out.as_json else (limit + 1) * 4
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.open_record(files) or nullcontext() as history:
        rows = history.runs(limit=wanted) if history else []
        frozen = history.frozen() if history else None
    if out.as_json:
        out.json([run_shape(row) for row in rows])
        return EXIT_DONE
    if frozen is not None:
        out.lines([*freeze_lines(frozen, files.spell, out.style), ""])
    if not rows:
        out.lines(["Nothing was recorded yet. A run appears here once a client has started the proxy."])
        return EXIT_DONE
    told = rows if out.full else [row for row in rows if not _made_nothing(row)]
    out.lines(run_lines(told[:limit], out.style))
    hidden = len(rows) - len(told)
    if hidden and len(told) <= limit:
        out.lines([f"… without {counted(hidden, 'undo')} that made no call; --full shows them"])
    if len(told) > limit:
        out.lines([f"… and earlier ones; --limit {limit * 5} shows more"])
    return EXIT_DONE
