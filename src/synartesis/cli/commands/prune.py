"""`prune`: drop the payloads of old runs, keep their history."""

from __future__ import annotations

import argparse
import os
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.cli.progress import Progress
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, UsageError
from synartesis.present.evidence import old_lines, size_text
from synartesis.present.labels import counted
from synartesis.present.safe_text import wrapped

if TYPE_CHECKING:
    from synartesis.journal.prune import Freed
    from synartesis.journal.reads import SqliteHistory

EXAMPLES = """examples:
  synartesis prune --older-than 30d            says what would go, and asks
  synartesis prune --older-than 12w --keep-runs 100 --yes
  synartesis prune --older-than 30d --dry-run

Drops what calls said, found and answered, and with it the way back: a pruned
run cannot be undone. What was called and when, what became of it and who
decided stays, and `verify` still holds it against itself. Runs that are under
way, or that wait for a decision, are left alone. Proxies may run meanwhile."""

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--older-than", metavar="AGE", type=_age, required=True, help="what ended longer ago than this: 30d, 12w, 48h"
    )
    parser.add_argument(
        "--keep-runs", metavar="N", type=_count, default=0, help="leave the newest N runs alone, however old"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would go; drop nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--by", metavar="NAME", help="who drops it (default: your login name)")
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    must_ask = not args.yes and not args.dry_run
    if must_ask and (out.as_json or not out.is_terminal):
        raise UsageError("prune does not drop anything unasked: say --yes, or --dry-run to look")
    files = workspace.find_files(args.manifest, args.journal)
    assert files.journal is not None
    with workspace.need_record(files) as history:
        freed = history.old_runs(before=history.now() - args.older_than, keep_runs=args.keep_runs)
        if not out.as_json:
            if not freed.runs:
                out.lines(["There is nothing to prune: no run is that old."])
                return EXIT_DONE
            out.lines(old_lines(freed.runs, freed.payload_bytes, out.style))
        if must_ask and not out.ask("Drop it?"):
            out.lines(["Nothing was dropped."])
            return EXIT_STOPPED
        before = _size(files.journal)
        by = args.by if args.by is not None else workspace.login_name()
        dropped = 0 if args.dry_run or not freed.runs else _drop(history, freed, by, Progress(out))
    if out.as_json:
        runs = [
            {
                "id": run.id,
                "started_at": run.started_at,
                "agent": run.agent,
                "actions": run.actions,
                "undoable": run.undoable,
            }
            for run in freed.runs
        ]
        out.json({"dry_run": args.dry_run, "runs": runs, "payload_bytes": freed.payload_bytes, "dropped": dropped})
    elif args.dry_run:
        out.lines(["", "Nothing was dropped."])
    else:
        sizes = f"the journal has {size_text(_size(files.journal))} now, {size_text(before)} before"
        said = f"Dropped the payloads of {counted(dropped, 'call')}; {sizes}."
        out.lines(["", *wrapped(said, out.style.width)])
    return EXIT_DONE


def _drop(history: SqliteHistory, freed: Freed, by: str, progress: Progress) -> int:
    """How many calls it was about."""
    calls, dropped = sum(run.actions for run in freed.runs), 0
    for some in history.prune(freed.runs, by=by):
        dropped += some
        progress.show(f"dropping: {dropped:,} of {calls:,} calls" if some else "giving the space back")
    progress.done()
    return dropped


def _size(journal: Path) -> int:
    """With its write-ahead file: what was freed is in there first."""
    return sum(os.path.getsize(path) for path in (journal, f"{journal}-wal") if os.path.exists(path))


def _age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,6})([hdw])", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not an age: write 30d, 12w or 48h")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of runs")
    return int(text)
