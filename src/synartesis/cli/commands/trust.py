"""`trust`: accept the commands of a manifest that was found."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, UsageError
from synartesis.present.safe_text import printable
from synartesis.workspace import trust

EXAMPLES = """examples:
  synartesis trust                show the commands, ask
  synartesis trust --yes          accept them without being asked

A manifest names programs, and Synartesis runs them: read one that you did not
write as you would read a shell script. One that is only found, in this folder
or above it, starts nothing until its commands were accepted; when they change,
it asks again. One that you name (--manifest) or that `init` or `connect` wrote
is accepted by that. One that belongs to another user never is."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    manifest = workspace.read_policy(files).manifest
    if not out.as_json:
        lines = [f"  {line}" for line in trust.commands_of(manifest)]
        out.lines([f"{printable(str(manifest.path))} starts, in its folder:", "", *lines, ""])
    if not args.yes:
        if out.as_json or not out.is_terminal:
            raise UsageError("trust does not guess in a pipe: say --yes", hint="read the manifest first")
        if not out.ask("Accept these commands?"):
            out.lines(["Nothing was accepted."])
            return EXIT_STOPPED
    trust.accept(manifest)
    if out.as_json:
        out.json({"manifest": str(manifest.path), "trusted": True, "commands": trust.digest_of(manifest)})
    else:
        out.lines(["Accepted, until they change."])
    return EXIT_DONE
