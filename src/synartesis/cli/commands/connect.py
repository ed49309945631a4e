"""`connect`: put a client's servers behind the proxy. Shows the whole difference first, and asks."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from synartesis import workspace
from synartesis.cli.connecting import (
    client_lines,
    client_names,
    connect_lines,
    connect_shape,
    nothing_lines,
)
from synartesis.cli.index import nearest
from synartesis.cli.options import add_full, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError
from synartesis.onboard.clients import CLIENTS, Client, find_client
from synartesis.onboard.newcomers import Seen
from synartesis.workspace import connecting
from synartesis.workspace.files import MANIFEST_NAME, command_line

EXAMPLES = """examples:
  synartesis connect                     which clients are here
  synartesis connect claude-code         its servers; shows the difference, asks
  synartesis connect cursor --server github --yes
  synartesis connect vscode --dry-run

CLIENT is claude-code, claude-desktop, cursor, vscode, codex or gemini. Each
entry keeps its name, so what you allowed in the client goes on working. Its
command moves into the manifest; its env stays where it is. `disconnect`
takes back exactly what was changed. Servers that come with a project
(.mcp.json, .vscode/mcp.json ...) are connected where you name that file:
  synartesis connect vscode --config .vscode/mcp.json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", nargs="?", help="which client (default: lists those that are here)")
    parser.add_argument(
        "--server",
        metavar="NAME",
        action="append",
        default=[],
        help="only this server, of the client or of the manifest (may be repeated)",
    )
    parser.add_argument("--config", metavar="FILE", help="the client's file (default: where the client looks for it)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--manifest", metavar="FILE", help=f"the manifest (default: found, else {MANIFEST_NAME} in ~/.synartesis)"
    )
    add_full(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    if args.client is None:
        return _list_clients(out)
    client = named_client(args.client)
    plan = connecting.plan_connect(
        client,
        _manifest(args.manifest),
        servers=args.server,
        config=typed_file(args.config),
        is_named=args.manifest is not None,
    )
    if not plan.edits:
        return _nothing(plan, out)
    if not out.as_json:
        out.lines(connect_lines(plan, out.style))
    if args.dry_run:
        if out.as_json:
            out.json(connect_shape(plan, done=False))
        return EXIT_DONE
    if not confirmed(
        out, "Connect them like this?" if len(plan.newcomers) > 1 else "Connect it like this?", yes=args.yes
    ):
        return EXIT_STOPPED
    copies = connecting.carry_out_connect(plan)
    if out.as_json:
        out.json(connect_shape(plan, done=True))
    else:
        out.lines(_done_lines(plan, copies))
    return EXIT_DONE


def named_client(name: str) -> Client:
    """Raises UsageError with the nearest name."""
    client = find_client(name)
    if client is None:
        near = nearest(name, client_names())
        hint = f"did you mean {near}?" if near else f"there are {', '.join(client_names())}"
        raise UsageError(f"there is no client {name!r} that can be connected", hint=hint)
    return client


def typed_file(typed: str | None) -> Path | None:
    return None if typed is None else Path(os.path.abspath(Path(typed).expanduser()))


def confirmed(out: Output, question: str, *, yes: bool) -> bool:
    """Raises UsageError where nobody can be asked."""
    if yes:
        return True
    if out.as_json or not out.is_terminal:
        raise UsageError("nothing was changed: nobody can be asked here", hint="say --yes to have it done")
    out.lines([""])
    if out.ask(question):
        return True
    out.lines(["Nothing was changed."])
    return False


def _manifest(typed: str | None) -> Path:
    found = workspace.find_files(typed, None).manifest
    return found if found is not None else connecting.own_home() / MANIFEST_NAME


def _nothing(plan: connecting.ConnectPlan, out: Output) -> int:
    """Exit 0 where everything is as it should be."""
    if out.as_json:
        out.json(connect_shape(plan, done=False))
    elif plan.already or plan.left:
        out.lines(nothing_lines(plan, out.style))
    else:
        raise SynartesisError(
            f"{plan.client.title} has no servers here, and {plan.manifest} names none",
            hint="name the client's file with --config FILE, or make a manifest first:\nsynartesis init NAME -- COMMAND",
        )
    return EXIT_DONE if plan.already and not plan.left else EXIT_STOPPED


def _list_clients(out: Output) -> int:
    here = connecting.around()
    found: list[tuple[Client, list[Seen], str]] = []
    for client in CLIENTS:
        try:
            found.append((client, connecting.look_at(client, here), ""))
        except SynartesisError as error:
            found.append((client, [], error.message))
    if out.as_json:
        out.json([_client_shape(*each) for each in found])
    else:
        out.lines(client_lines(found, out.style))
    return EXIT_DONE


def _client_shape(client: Client, seen: list[Seen], problem: str) -> dict[str, object]:
    return {
        "client": client.name,
        "files": [str(each.place.file) for each in seen if each.text is not None],
        "problem": problem,
        "servers": [
            {"name": entry.name, "file": str(each.place.file), "behind": entry.kind == "proxy", "why_not": entry.why}
            for each in seen
            for entry in each.entries
        ],
    }


def _done_lines(plan: connecting.ConnectPlan, copies: list[connecting.Copy]) -> list[str]:
    lines = ["", f"Done. Restart {plan.client.title}: it starts its servers when it starts."]
    lines += [f"As it was {'before' if copy.is_of_now else 'before the first connect'}: {copy.path}" for copy in copies]
    lines += [
        f"Rules to look at: {plan.manifest}" if plan.proposals else f"Rules: {plan.manifest}",
        f"To see that everything works: {command_line(['doctor'], manifest=plan.manifest)}",
        f"To take it back: {command_line(['disconnect', plan.client.name])}",
    ]
    return lines
