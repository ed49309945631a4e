"""What a journal takes on the disk."""

from __future__ import annotations

import asyncio
import base64
from itertools import pairwise
from pathlib import Path
from random import Random

from synartesis.domain.records import Image, InverseCall, NewAction, NewRun, Read
from synartesis.domain.status import RunKind, ToolClass
from synartesis.journal import liveness, open_journal

RUN = NewRun("0123456789ab", RunKind.AGENT, "a client", "/m.yaml", "abc", (), liveness.this_process())
READ = Read("crm", "get_record", b'{"id":"r1"}', b"{}")


def arguments(state: bytes) -> bytes:
    return b'{"id":"r1","value":"' + state + b'"}'


def answer(state: bytes) -> bytes:
    return b'{"content":[{"type":"text","text":"' + state + b'"}]}'


def test_ten_writes_of_a_record_of_4_mb_cost_about_the_sum_of_its_states(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    made = Random(1)
    states = [base64.b64encode(made.randbytes(3 << 20)) for _ in range(11)]

    async def story() -> None:
        journal = open_journal(path)
        await journal.open_run(RUN)
        for number, (before, after) in enumerate(pairwise(states)):
            call = NewAction(
                f"{number:012x}",
                RUN.id,
                "crm",
                "id",
                "set_record",
                arguments(after),
                ToolClass.REVERSIBLE,
                f"{number:064x}",
            )
            inverse = (InverseCall("crm", "set_record", arguments(before), ("value",)),)
            await journal.open_action(call)
            await journal.mark_sent(
                call.id, resource="r1", read=READ, before=Image("present", answer(before)), inverse=inverse
            )
            await journal.mark_applied(
                call.id, reply=answer(after), after=Image("present", answer(after)), inverse=inverse
            )
        journal.close()

    asyncio.run(story())
    assert path.stat().st_size < 1.1 * sum(map(len, states))
