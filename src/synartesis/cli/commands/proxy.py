"""`proxy`: what a client runs. stdout carries protocol frames only; everything else goes to stderr."""

from __future__ import annotations

import argparse
import os

from synartesis import workspace
from synartesis.cli.index import nearest
from synartesis.cli.options import add_files
from synartesis.cli.output import Output
from synartesis.errors import UsageError

EXAMPLES = """examples:
  synartesis proxy                   all servers of the manifest, as one
  synartesis proxy --server crm      only this one, its tools under their names
  synartesis proxy --manifest ~/work/synartesis.yaml

A client starts this in place of the server. It reads the manifest once, at
start."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument("--server", metavar="NAME", help="serve only this server of the manifest, unprefixed")
    parser.add_argument(
        "--log-level",
        metavar="LEVEL",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="debug, info (default), warning or error; JSON lines on stderr",
    )
    parser.add_argument(
        "--gate-timeout",
        metavar="SECONDS",
        help="accepted, no effect: held calls are refused at once, never kept waiting",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    policy = workspace.read_trusted_policy(files)
    names = [spec.name for spec in policy.manifest.servers]
    if args.server is not None and args.server not in names:
        near = nearest(args.server, names)
        hint = f"did you mean {near}?" if near else f"it names {', '.join(names)}"
        raise UsageError(f"{policy.manifest.path} names no server {args.server!r}", hint=hint)
    if args.gate_timeout is not None:
        out.notice("notice: --gate-timeout has no effect: a held call is refused at once and repeated after approval")
    if os.isatty(0):
        out.notice(
            "notice: an MCP client starts this and talks to it in lines of JSON, which are now expected from you"
        )
        out.notice("hint: `synartesis connect` puts it into a client; Ctrl-C ends it")
    assert files.journal is not None
    return workspace.run_proxy(policy, files.journal, server=args.server, log_level=args.log_level)
