"""`disconnect`: take the proxy out of a client's configuration again; exactly what `connect` did, and nothing else."""

from __future__ import annotations

import argparse

from synartesis.cli.commands.connect import confirmed, named_client, typed_file
from synartesis.cli.connecting import disconnect_lines, disconnect_shape
from synartesis.cli.options import add_full, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.workspace import connecting

EXAMPLES = """examples:
  synartesis disconnect claude-code
  synartesis disconnect cursor --server github --yes

Where nobody else changed the file, it is byte for byte what it was. What
somebody else changed since stays. The manifest and the journal stay as well:
an undo of what was recorded needs them."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="which client (see `synartesis connect`)")
    parser.add_argument(
        "--server", metavar="NAME", action="append", default=[], help="only this server (may be repeated)"
    )
    parser.add_argument("--config", metavar="FILE", help="only this file of the client")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_full(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    plan = connecting.plan_disconnect(named_client(args.client), servers=args.server, config=typed_file(args.config))
    if not out.as_json:
        out.lines(disconnect_lines(plan, out.style))
    if args.dry_run:
        if out.as_json:
            out.json(disconnect_shape(plan, [], done=False))
        return EXIT_DONE
    if not confirmed(out, "Take it back like this?", yes=args.yes):
        return EXIT_STOPPED
    stay = connecting.carry_out_disconnect(plan)
    if out.as_json:
        out.json(disconnect_shape(plan, stay, done=True))
    else:
        out.lines(
            [
                *_done_lines(plan),
                *(f"The copy from before is kept, because the file changed since: {copy}" for copy in stay),
            ]
        )
    return EXIT_STOPPED if any(back.kept for _, _, back in plan.taken) else EXIT_DONE


def _done_lines(plan: connecting.DisconnectPlan) -> list[str]:
    lines = [
        f"{record.file} is byte for byte what it was." if back.text is not None else f"{record.file} is gone again."
        for record, _, back in plan.taken
        if back.is_exact
    ]
    return ["", *lines, f"Done. Restart {plan.client.title}."]
