"""`verify`: does the history fit? Of the journal, or of a run that was exported from one."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.progress import Progress
from synartesis.cli.shapes import evidence_shape
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, UsageError
from synartesis.present.evidence import fits_lines, misfit_lines
from synartesis.workspace.proving import Checked, Entry, check_export, check_history, is_export

EXAMPLES = """examples:
  synartesis verify                      the journal's history
  synartesis verify --noted 512:9f3c...  and that entry 512 is still what it was
  synartesis verify run.json             a run that was exported, anywhere

Every entry of the history carries a digest of itself and of the entry before
it, and covers what it recorded. Whoever edits one is found out; exit code 1.
Whoever writes all of it anew is not, except by a last entry that somebody
noted elsewhere."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="an export, or a journal (default: the journal found)")
    parser.add_argument(
        "--noted", metavar="ENTRY", type=_entry, help="a last entry that an earlier time printed; it has to be there"
    )
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    if args.file is not None and is_export(Path(args.file)):
        if args.noted is not None:
            raise UsageError("--noted is about a journal", hint="leave it out, or name the journal")
        return _tell(check_export(Path(args.file), evidence_shape), out)
    files = workspace.find_files(args.manifest, args.file or args.journal)
    progress = Progress(out)
    with workspace.need_record(files) as history:
        checked = check_history(
            history, args.noted, progress=lambda share: progress.show(f"reading all of it: {share:.0%}")
        )
    progress.done()
    return _tell(checked, out)


def _tell(checked: Checked, out: Output) -> int:
    misfit, last = checked.misfit, checked.last
    if out.as_json:
        out.json(
            {
                "ok": misfit is None,
                "what": checked.what,
                "first": checked.first,
                "last": {"number": last.number, "digest": last.digest},
                "misfit": None if misfit is None else {"number": misfit.number, "why": misfit.why},
            }
        )
    elif misfit is None:
        out.lines(fits_lines(checked.what, checked.first, last.number, last.digest, out.style))
    else:
        out.lines(misfit_lines(checked.what, checked.first, misfit, checked.about, out.style))
    return EXIT_DONE if misfit is None else EXIT_STOPPED


def _entry(text: str) -> Entry:
    found = re.fullmatch(r"(\d+):([0-9a-f]{64})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, a colon and 64 hexadecimal digits")
    return Entry(int(found[1]), found[2])
