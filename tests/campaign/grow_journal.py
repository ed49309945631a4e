"""A journal with very many runs, as proxies would have written it, for measuring what depends on its size.

    python -m tests.campaign.grow_journal FILE --runs 10000 --actions 100

Two of three calls are reads; of the writes, some are undone, held or of unknown outcome. Every run but the newest has ended.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from synartesis.domain.ports import NOTHING_MORE
from synartesis.domain.records import Image, InverseCall, NewAction, NewRun, ProcessId, Read
from synartesis.domain.status import ActionStatus, RunKind, ToolClass
from synartesis.journal import approvals
from synartesis.journal.blobs import image_columns, keep
from synartesis.journal.chain import Value
from synartesis.journal.database import open_database
from synartesis.journal.ledger import Ledger
from synartesis.journal.rows import pack_inverse, pack_read

NOTE = "a note of some length, as records tend to have, " * 4
IDENTITY = "1d" * 32
RUNS_AT_A_TIME = 50


def grow(path: Path, *, runs: int, actions: int, seed: int = 1) -> None:
    """Write so many runs of so many calls each. Continues a journal that is there."""
    made = Random(seed)
    connection = open_database(str(path))
    clock = datetime(2026, 1, 1, tzinfo=UTC)

    def now() -> datetime:
        nonlocal clock
        clock += timedelta(milliseconds=5)
        return clock

    ledger = Ledger(connection, now=now, process=ProcessId(4_190_000, "long ago"))
    for first in range(0, runs, RUNS_AT_A_TIME):
        some = range(first, min(first + RUNS_AT_A_TIME, runs))
        ledger.transaction(lambda some=some: _runs(ledger, some, actions, made))  # type: ignore[misc]
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def _runs(ledger: Ledger, numbers: range, actions: int, made: Random) -> None:
    for number in numbers:
        _run(ledger, number, actions, made)


def _run(ledger: Ledger, number: int, actions: int, made: Random) -> None:
    run = f"{made.getrandbits(48):012x}"
    agent = ("claude-code 2.1.3", "cursor 0.42", "codex 1.0")[number % 3]
    process = ProcessId(4_190_000 + number % 9, f"long ago {number}")
    ledger.add_run(
        NewRun(run, RunKind.AGENT, agent, "/home/ada/synartesis.yaml", "1" * 64, (("crm", IDENTITY),), process)
    )
    for seq in range(1, actions + 1):
        _action(ledger, run, seq, made)
    ledger.end_run(run)


def _action(ledger: Ledger, run: str, seq: int, made: Random) -> None:
    record = f"r{made.randrange(100_000)}"
    arguments = b'{"id":"%s"}' % record.encode()
    at = ledger.at()
    if seq % 3:
        read = _new(run, "get_record", arguments, ToolClass.READONLY, made)
        ledger.add_action(read, seq=seq, at=at, status=ActionStatus.APPLIED)
        return
    if made.random() < 0.01:
        new = _new(run, "send_mail", arguments, ToolClass.IRREVERSIBLE, made)
        number = ledger.add_action(new, seq=seq, at=at, status=ActionStatus.HELD, note="cannot be taken back")
        if made.random() < 0.01:
            approvals.ask(
                ledger,
                action=number,
                run=ledger.run_number(run),
                fingerprint=new.fingerprint,
                why="cannot be taken back",
                asking=NOTHING_MORE,
            )
        return
    before, after = (_state(record, made.randrange(10**6)) for _ in range(2))
    new = _new(run, "set_record", after, ToolClass.REVERSIBLE, made)
    ledger.add_action(new, seq=seq, at=at, status=ActionStatus.SENT, sent=_sent(ledger, record, before))
    if made.random() < 0.001:
        ledger.move(new.id, ActionStatus.UNKNOWN, note="no answer came")
        return
    outcome: dict[str, Value] = {
        "reply": keep(ledger.connection, _answer(after)),
        **image_columns(ledger.connection, "after", Image("present", _answer(after))),
        "inverse": pack_inverse((InverseCall("crm", "set_record", before, ("value",)),)),
    }
    ledger.move(new.id, ActionStatus.APPLIED, outcome=outcome)


def _new(run: str, tool: str, arguments: bytes, tool_class: ToolClass, made: Random) -> NewAction:
    fingerprint = "" if tool_class is ToolClass.READONLY else f"{made.getrandbits(256):064x}"
    return NewAction(f"{made.getrandbits(48):012x}", run, "crm", IDENTITY, tool, arguments, tool_class, fingerprint)


def _sent(ledger: Ledger, record: str, before: bytes) -> dict[str, Value]:
    read = Read("crm", "get_record", b'{"id":"%s"}' % record.encode(), b'{"absent_when":[],"ignore":[]}')
    return {
        "resource": f'get_record {{"id":"{record}"}}',
        "read": pack_read(read),
        **image_columns(ledger.connection, "before", Image("present", _answer(before))),
        "captured_read": None,
        **image_columns(ledger.connection, "captured", None),
        "planned": pack_inverse((InverseCall("crm", "set_record", before, ("value",)),)),
    }


def _state(record: str, number: int) -> bytes:
    return f'{{"id":"{record}","value":{{"n":{number},"note":"{NOTE}"}}}}'.encode()


def _answer(state: bytes) -> bytes:
    return b'{"content":[{"type":"text","text":"%s"}]}' % state.replace(b'"', b'\\"')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--actions", type=int, default=100)
    args = parser.parse_args()
    grow(args.file, runs=args.runs, actions=args.actions)
    sys.stdout.write(f"{args.file}: {args.runs:,} runs of {args.actions:,} calls, {args.file.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
