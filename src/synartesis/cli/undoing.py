"""What `undo` and `redo` share: options, the question, the walk, and the words at its end."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from synartesis import workspace
from synartesis.cli.offering import Offering, Unwanted, add_start_servers, without_it
from synartesis.cli.options import add_files, add_full, add_json
from synartesis.cli.output import Output
from synartesis.cli.progress import Progress
from synartesis.cli.sealing import need_approver
from synartesis.cli.shapes import report_shape
from synartesis.domain.ports import History
from synartesis.domain.records import Run, RunSummary
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError
from synartesis.present.plans import plan_lines, report_lines
from synartesis.present.safe_text import printable
from synartesis.undo.plan import UndoOptions
from synartesis.undo.report import Report
from synartesis.workspace.trust import need_own_manifest
from synartesis.workspace.undoing import run_undo

if TYPE_CHECKING:
    from synartesis.approver.key import Sign


def add_walk(parser: argparse.ArgumentParser, verb: str) -> None:
    """The options of a walk backwards; `verb` is `undo` or `redo`."""
    parser.add_argument(
        "--dry-run", action="store_true", help="read and plan, send nothing; exit 1 where it would stop"
    )
    parser.add_argument(
        "--to", metavar="SEQ", type=_seq, help="back to and including this call; leave older ones alone"
    )
    parser.add_argument(
        "--only",
        metavar="SEQ[,SEQ]",
        type=_seqs,
        action="append",
        default=[],
        help="just these calls; refused where a later call changed the same thing",
    )
    parser.add_argument(
        "--merge", action="store_true", help="around what somebody else changed in other places of the same thing"
    )
    parser.add_argument(
        "--as-far-as-possible", action="store_true", help=f"{verb} newest first up to the step that stops"
    )
    parser.add_argument(
        "--unchecked",
        metavar="SEQ[,SEQ]",
        type=_seqs,
        action="append",
        default=[],
        help="do this step although nobody can see whether it was changed since",
    )
    parser.add_argument("--replan", action="store_true", help="rebuild the inverse calls from today's manifest")
    add_start_servers(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--by", metavar="NAME", help="who does it (default: your login name)")
    add_full(parser)
    add_files(parser)
    add_json(parser)


def walk(
    args: argparse.Namespace,
    out: Output,
    files: workspace.Files,
    row: RunSummary,
    *,
    verb: str,
    opened_by: Run,
    sign: Sign | None = None,
) -> int:
    """Undo (or redo) a run, asking first where it was not named. `opened_by`: the run whose client's words open the servers;
    `sign`: the approver's hand, where it was needed."""
    if args.only and args.to is not None:
        raise UsageError("--only and --to exclude each other", hint="--only names the calls, --to the oldest of them")
    _refuse_numbers_of_no_run(args, files, row, verb=verb)
    must_ask = args.run is None and not args.yes and not args.dry_run
    if must_ask and (out.as_json or not out.is_terminal):
        raise UsageError(
            f"{verb} does not guess in a pipe: name the run, or say --yes",
            hint=f"the newest with something to {verb} is {row.run.id}:\n{files.spell([verb, row.run.id])}",
        )
    assert files.journal is not None
    need_own_manifest(files, row.run)
    watching = _Watching(out, verb)
    repeated = [verb, row.run.id, *(["--dry-run"] if args.dry_run else []), *_repeated(args, files.manifest)]
    again = files.spell([*repeated, "--start-servers"])
    try:
        report = run_undo(
            files.journal,
            row.run,
            _options(args),
            manifest=files.manifest if files.manifest_named else None,
            by=args.by if args.by is not None else workspace.login_name(),
            opened_by=opened_by,
            before_sending=_asking(out, verb, watching) if must_ask else None,
            onlooker=watching,
            on_interrupt=watching.stop,
            start_servers=args.start_servers,
            person=Offering(out, again, asks=not args.yes, first=watching.done),
            hand=lambda history: sign or _hand(files, history, again),
        )
    except (_Declined, Unwanted):
        out.lines(["Nothing was sent."])
        return EXIT_STOPPED
    except SynartesisError as error:
        error.hint = files.spell_within(error.hint)
        raise
    finally:
        watching.done()
    if out.as_json:
        out.json(report_shape(report))
    else:
        out.lines(report_lines(report, files.spell, out.style, options=_repeated(args, files.manifest)))
    return _exit_code(report)


def _refuse_numbers_of_no_run(args: argparse.Namespace, files: workspace.Files, row: RunSummary, *, verb: str) -> None:
    """Every run has a #1: what was read off one run must not be done to another that has become the newest."""
    if args.run is not None or args.dry_run:
        return
    given = [option for option in ("only", "to", "unchecked") if getattr(args, option) not in (None, [])]
    if given:
        again = files.spell([verb, row.run.id, *_repeated(args, files.manifest)])
        raise UsageError(
            f"--{given[0]} names calls of one run, so say which: {verb} RUN --{given[0]} ...",
            hint=f"the newest with something to {verb} is {row.run.id}:\n{again}",
        )


def _options(args: argparse.Namespace) -> UndoOptions:
    return UndoOptions(
        dry_run=args.dry_run,
        to=args.to,
        only=frozenset(seq for some in args.only for seq in some),
        replan=args.replan,
        merge=args.merge,
        as_far_as_possible=args.as_far_as_possible,
        unchecked=frozenset(seq for some in args.unchecked for seq in some),
    )


def _repeated(args: argparse.Namespace, manifest: Path | None) -> list[str]:
    """The options that a repeat needs."""
    words = [*(["--replan"] if args.replan else []), *(["--merge"] if args.merge else [])]
    words += ["--start-servers"] if args.start_servers else []
    words += ["--to", str(args.to)] if args.to is not None else []
    for option, given in (("--only", args.only), ("--unchecked", args.unchecked)):
        words += [option, ",".join(str(seq) for some in given for seq in some)] if given else []
    return words + (["--manifest", str(manifest)] if args.manifest is not None else [])


def _exit_code(report: Report) -> int:
    if report.dry_run:
        return EXIT_STOPPED if report.status == "stopped" else EXIT_DONE
    return EXIT_DONE if report.status == "undone" else EXIT_STOPPED


class _Watching:
    """On a terminal, one line that says how far it is; and the wish to stop, once Ctrl-C was pressed."""

    def __init__(self, out: Output, verb: str) -> None:
        self._out, self._verb = out, verb
        self._progress = Progress(out)
        self._stops = False

    def looked(self, done: int, total: int) -> None:
        self._show(f"looking at what is there: {done:,} of {total:,}")

    def undone(self, done: int, total: int) -> None:
        self._show(f"{self._verb}: {done:,} of {total:,} done")

    def why_stop(self) -> str:
        return "you stopped it" if self._stops else ""

    def stop(self) -> None:
        self._stops = True
        self.done()
        self._out.notice("\nstopping before the next call; Ctrl-C again ends it at once")

    def done(self) -> None:
        self._progress.done()

    def _show(self, text: str) -> None:
        if not self._stops:
            self._progress.show(text)


def _asking(out: Output, verb: str, watching: _Watching) -> Callable[[Report], None]:
    def ask(plan: Report) -> None:
        watching.done()
        out.lines([*plan_lines(plan, out.style), ""])
        if not out.ask(f"{verb.capitalize()} run {printable(plan.run)} like this?"):
            raise _Declined

    return ask


def _hand(files: workspace.Files, history: History, again: str) -> Sign | None:
    """The approver's, where there is one: under whom the proxy makes calls for nobody else."""
    why = "the proxy of this run is alive and makes the calls, which under an approver it does for nobody else"
    try:
        return need_approver(files, history, why)
    except SynartesisError as error:
        raise SynartesisError(error.message, hint="\n".join(filter(None, (error.hint, without_it(again))))) from None


class _Declined(Exception):
    """The person said no."""


def _seq(text: str) -> int:
    number = text.removeprefix("#")
    if not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a call (see `synartesis show`)")
    return int(number)


def _seqs(text: str) -> list[int]:
    return [_seq(part.strip()) for part in text.split(",")]
