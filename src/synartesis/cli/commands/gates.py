"""`gates`: what waits for a decision, whole enough to decide on."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from synartesis import workspace
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import request_shape
from synartesis.domain.status import ApprovalStatus
from synartesis.errors import EXIT_DONE
from synartesis.present.freezes import freeze_lines
from synartesis.present.requests import gate_lines, together

EXAMPLES = """examples:
  synartesis gates
  synartesis gates --full         every value whole, before you decide
  synartesis gates --json | jq '.[].id'"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_full(parser)
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    with workspace.open_record(files) or nullcontext() as history:
        waiting = history.approvals([ApprovalStatus.WAITING]) if history else []
        allowances = history.allowances() if history else []
        frozen = history.frozen() if history else None
    if out.as_json:
        out.json([request_shape(request) for request in together(waiting)])
    else:
        if frozen is not None:
            out.lines([*freeze_lines(frozen, files.spell, out.style), ""])
        out.lines(gate_lines(waiting, files.spell, out.style, allowances=allowances))
    return EXIT_DONE
