"""`init`: ask a server for its tools, and draft the manifest."""

from __future__ import annotations

import argparse
import re

from synartesis.cli.index import Parser
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, UsageError

EXAMPLES = """examples:
  synartesis init fs -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  synartesis init crm -- python3 ./crm_server.py
  synartesis init github --env GITHUB_TOKEN -- github-mcp-server stdio
  synartesis init crm             rules for tools that have come since

Starts the server, asks it for its tools, and calls none of them. Writes
synartesis.yaml, or extends the one found from the current folder upwards; what
stands there stays as it is. Where a policy that ships with Synartesis fits what
the server offers, it is taken. Reads that the server declares are drafted as
reads; everything else is held until you say how it is undone."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def configure(parser: Parser) -> None:
    parser.takes_command = True
    parser.usage = (
        f"{parser.prog} SERVER [--home] [--policy NAME] [--env NAME]\n"
        f"{' ' * len(parser.prog)}        [--manifest FILE] -- COMMAND [ARG ...]"
    )
    parser.add_argument("server", metavar="SERVER", help="what to call it, as in SERVER.tool")
    parser.add_argument("--home", action="store_true", help="the manifest in your home (~/.synartesis)")
    parser.add_argument("--policy", metavar="NAME", help="take this shipped policy, or nothing")
    parser.add_argument(
        "--env",
        metavar="NAME",
        action="append",
        default=[],
        help="a variable that the server needs; its value stays out of the file",
    )
    parser.add_argument("--manifest", metavar="FILE", help="the manifest to extend, or to make")


def run(args: argparse.Namespace, out: Output) -> int:
    from synartesis.present.drafts import drafted_lines
    from synartesis.workspace import drafting

    if args.home and args.manifest:
        raise UsageError("--home and --manifest name two files", hint="leave one of them out")
    for name in args.env:
        _check_variable(name)
    path = drafting.manifest_to_extend(args.manifest, in_home=args.home)
    drafted = drafting.draft(
        path, args.server, args.command, env=args.env, policy=args.policy, is_named=args.manifest is not None
    )
    out.lines(drafted_lines(drafted, out.style))
    return EXIT_DONE


def _check_variable(name: str) -> None:
    variable, equals, _ = name.partition("=")
    if equals:
        raise UsageError(
            f"--env {variable}=... would put the value into the file",
            hint=f"export {variable}=..., then --env {variable}: the manifest then says `{variable}: ${{{variable}}}`",
        )
    if not _VARIABLE.fullmatch(name):
        raise UsageError(f"--env {name}: that is not the name of a variable")
