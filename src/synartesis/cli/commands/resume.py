"""`resume`: end a freeze."""

from __future__ import annotations

import argparse

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.shapes import freeze_shape
from synartesis.domain.records import Freeze
from synartesis.errors import EXIT_DONE, SynartesisError
from synartesis.journal.reads import SqliteHistory
from synartesis.present.freezes import freeze_lines

EXAMPLES = """examples:
  synartesis resume

Ends what `synartesis freeze` began: writes are judged by their rules again.
Where the journal has an approver, it takes their passphrase."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by", metavar="NAME", help="who does it (default: your login name)")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    by = args.by if args.by is not None else workspace.login_name()
    with workspace.need_record(files) as history:
        held = history.frozen()
        if held is None:
            raise SynartesisError("nothing is frozen", hint="`synartesis freeze` stops every write")
        at, signature = _signed(files, history, held, by, out)
        history.resume(held.id, by=by, at=at, signature=signature)
        ended = history.freeze_of(held.id) or held
    if out.as_json:
        out.json(freeze_shape(ended))
    else:
        out.lines(["Writes are judged by their rules again."])
    return EXIT_DONE


def _signed(files: workspace.Files, history: SqliteHistory, held: Freeze, by: str, out: Output) -> tuple[str, str]:
    """When it ended, and the approver's signature over that; empty where there is no approver."""
    from synartesis.workspace.approving import approver_of

    approver = approver_of(files, history)
    if approver is None:
        return "", ""
    from synartesis.approver.statement import resume_statement
    from synartesis.cli.terminal import ask_passphrase, show
    from synartesis.journal.ledger import stamp
    from synartesis.journal.reads import utc_now

    show(freeze_lines(held, files.spell, out.style)[:-1])
    sign = approver.open(ask_passphrase)
    at = stamp(utc_now())
    return at, sign(resume_statement(freeze=held.id, at=at, by=by))
