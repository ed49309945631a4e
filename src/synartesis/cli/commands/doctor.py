"""`doctor`: what is wrong with this set-up, each thing with the command that mends it."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.present.health import Remark, health_lines
from synartesis.workspace.health import examine_all

EXAMPLES = """examples:
  synartesis doctor
  synartesis doctor --json | jq '.remarks[] | select(.severity == "wrong")'

Reads the manifest, starts every server, looks at the journal, at the
configurations of MCP clients and at the proxies that run now. Calls no tool and
changes nothing. Exit 1 when anything is wrong."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    remarks = examine_all(workspace.find_files(args.manifest, args.journal))
    is_well = all(remark.severity != "wrong" for remark in remarks)
    if out.as_json:
        out.json({"ok": is_well, "remarks": [_shape(remark) for remark in remarks]})
    else:
        out.lines(health_lines(remarks, out.style))
    return EXIT_DONE if is_well else EXIT_STOPPED


def _shape(remark: Remark) -> dict[str, str]:
    return {"severity": remark.severity, "about": remark.about, "text": remark.text, "mend": remark.remedy}
