"""`watch`: what happens, as it happens. On a terminal new lines come below the old ones, with one line at the end that is redrawn
in place; into a pipe it prints what there is to see now, and exits."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from synartesis import workspace
from synartesis.cli.options import add_files, add_json
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE
from synartesis.journal.reads import SqliteHistory
from synartesis.present.freezes import freeze_lines
from synartesis.present.safe_text import message_lines
from synartesis.present.watching import Watched, gone_line, happening_lines, overview_lines, stale_lines, status_text
from synartesis.workspace.files import spelled_out
from synartesis.workspace.watching import Digests, look

LOOKS_EVERY_S = 0.4
"""How often the journal is asked whether anything changed: one number, no table."""
LIVENESS_EVERY = 10
"""Every so many looks the rest is looked at as well: a process that was killed and a manifest that was edited write nothing."""
SHOWN_FROM_BEFORE = 10
"""So many events from before are shown, so that one sees where one is."""

EXAMPLES = """examples:
  synartesis watch                       until Ctrl-C
  synartesis watch | cat                 once
  synartesis watch --json | jq '.waiting[].id'

An agent that works while its count of calls stands still works past the
proxy: with the client's own tools, or with a server that is not behind it."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_json(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    files = workspace.find_files(args.manifest, args.journal)
    if files.journal is None:
        raise workspace.nothing_found("neither a journal nor a manifest was found")
    if out.as_json or not out.stdout_is_terminal:
        return _once(files, files.journal, out)
    try:
        while True:
            _wait_for(files.journal, out)
            _watch(files, files.journal, out)
    except KeyboardInterrupt:
        out.live([], status="")
        return EXIT_DONE


def _once(files: workspace.Files, journal: Path, out: Output) -> int:
    history = workspace.open_record(files)
    if history is None:
        if out.as_json:
            out.json({"journal": str(journal), "runs": [], "waiting": []})
        else:
            out.lines(_nothing_yet(journal, out))
        return EXIT_DONE
    with history:
        seen = look(history, journal, Digests())
        if out.as_json:
            out.json(_shape(seen))
            return EXIT_DONE
        out.lines(overview_lines(seen, files.spell, out.style))
        out.lines(["", "Last:", *_before(history, files, out)] if history.last_number() else [])
    return EXIT_DONE


def _wait_for(journal: Path, out: Output) -> None:
    """Until there is a journal."""
    lines = _nothing_yet(journal, out)
    while not journal.exists():
        out.live(lines, status="waiting for a client to start the proxy · Ctrl-C ends this")
        lines = []
        time.sleep(LOOKS_EVERY_S)


def _watch(files: workspace.Files, journal: Path, out: Output) -> None:
    """Until the journal is gone."""
    digests = Digests()
    with workspace.need_record(files) as history:
        inode = _inode(journal)
        seen, last = look(history, journal, digests), history.last_number()
        lines = [*overview_lines(seen, files.spell, out.style), "", *_before(history, files, out)]
        told = {active.row.run.id for active in seen.active if active.manifest_changed}
        version, looks = history.version(), 0
        while _inode(journal) == inode:
            out.live(lines, status=status_text(seen, out.style))
            lines = []
            time.sleep(LOOKS_EVERY_S)
            looks += 1
            now = history.version()
            if now == version and looks % LIVENESS_EVERY:
                continue
            version = now
            while fresh := history.happenings(after=last):
                last = fresh[-1].number
                lines += [line for event in fresh for line in happening_lines(event, files.spell, out.style)]
            before, seen = seen, look(history, journal, digests)
            lines += _noticed(before, seen, told, history, out)
            lines += _frozen_or_not(before, seen, files, out)
    out.live([f"{journal} was taken away."], status="")


def _noticed(before: Watched, seen: Watched, told: set[str], history: SqliteHistory, out: Output) -> list[str]:
    """What no event says: a proxy that was killed, a manifest that was edited."""
    lines = []
    here = {active.row.run.id for active in seen.active}
    for run in (active.row.run for active in before.active if active.row.run.id not in here):
        now = history.run(run.id)
        if now is not None and now.run.ended_at is None:
            lines.append(gone_line(run, out.style))
    for active in seen.active:
        if active.manifest_changed and active.row.run.id not in told:
            told.add(active.row.run.id)
            lines += stale_lines(active, out.style)
    return lines


def _frozen_or_not(before: Watched, seen: Watched, files: workspace.Files, out: Output) -> list[str]:
    if seen.frozen is not None and before.frozen is None:
        return freeze_lines(seen.frozen, files.spell, out.style)
    return ["Writes are judged by their rules again."] if before.frozen is not None and seen.frozen is None else []


def _before(history: SqliteHistory, files: workspace.Files, out: Output) -> list[str]:
    """The last things that happened."""
    events = history.happenings(after=max(0, history.last_number() - SHOWN_FROM_BEFORE * 4))
    told = [lines for event in events if (lines := happening_lines(event, files.spell, out.style, commands=False))]
    return [line for lines in told[-SHOWN_FROM_BEFORE:] for line in lines]


def _nothing_yet(journal: Path, out: Output) -> list[str]:
    text = (
        f"Nothing was recorded yet: {journal} is not there.\n"
        "It appears once a client has started the proxy. `synartesis connect` puts one into a client; "
        "`synartesis doctor` says what is missing."
    )
    return message_lines(spelled_out(text), out.style.width)


def _shape(seen: Watched) -> dict[str, object]:
    from synartesis.cli.shapes import freeze_shape, request_shape, run_shape

    return {
        "journal": seen.journal,
        "runs": [
            {**run_shape(active.row), "last_call": active.last_call, "manifest_changed": active.manifest_changed}
            for active in seen.active
        ],
        "waiting": [request_shape(request) for request in seen.waiting],
        "frozen": None if seen.frozen is None else freeze_shape(seen.frozen),
    }


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return -1
