"""`approver`: the key that approvals are signed with."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED
from synartesis.present.safe_text import printable, wrapped
from synartesis.workspace import approving
from synartesis.workspace.files import home_folder

EXAMPLES = """examples:
  synartesis approver            whether this journal has one
  synartesis approver setup      make a key, under a passphrase of your own
  synartesis approver remove     back to approvals that anybody can give

Without an approver, whoever can run `synartesis approve` as you can approve,
and an agent with a shell can. With one, the proxies of this journal let a held
call through only if somebody who knows the passphrase approved exactly that
call. `approve`, `undo --replan` and all that lets more through than before ask
for it on the terminal. What that buys, and what not: docs/trust.md."""

_DOINGS = ("setup", "remove")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("doing", metavar="setup|remove", nargs="?", choices=_DOINGS, help="(default: say what holds)")
    parser.add_argument("--by", metavar="NAME", help="who does it (default: your login name)")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    by = args.by if args.by is not None else workspace.login_name()
    if args.doing is not None:
        from synartesis.cli.terminal import ask_passphrase

        if args.doing == "setup":
            _, made = approving.set_up(files, by=by, ask=ask_passphrase)
            if not out.as_json:
                _say(_setup_lines(made=made), out)
        else:
            approving.remove(files, by=by, ask=ask_passphrase)
            if not out.as_json:
                _say(_REMOVED, out)
    found = approving.known_in(files)
    public, problem = ("", "") if found is None else (found.public, found.problem)
    if out.as_json:
        out.json({"journal": str(files.journal), "approver": public or None, "problem": problem or None})
    elif problem:
        _say([f"No approval counts: {printable(problem)}. See docs/trust.md."], out)
    elif args.doing is None:
        _say([f"Approvals of this journal have to be signed with the key {public[:12]}."] if public else _ANYBODY, out)
    return EXIT_STOPPED if problem else EXIT_DONE


def _say(sentences: list[str], out: Output) -> None:
    out.lines([line for text in sentences for line in wrapped(text, out.style.width, hanging="  ", keep_words=True)])


def _setup_lines(*, made: bool) -> list[str]:
    key = (
        "A key was made, and is kept under your passphrase"
        if made
        else "Your key is used for this journal too; it is kept"
    )
    return [
        f"{key} in {home_folder()}.",
        "From now on the proxies of this journal let a held call through only if it was approved with it.",
        "There is no way round a forgotten passphrase: keep it where you keep the others.",
        "Never type it where an agent can see the keys, and not into a prompt that you did not ask for.",
    ]


_REMOVED = [
    "This journal has no approver any more: whoever can run `synartesis approve` as you can approve.",
    "Proxies that run now still ask for signed approvals, until their client is restarted.",
]
_ANYBODY = [
    "This journal has no approver: whoever can run `synartesis approve` as you can approve, an agent with a shell included.",
    "`synartesis approver setup` changes that.",
]
