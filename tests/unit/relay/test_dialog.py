"""The client's own dialog waits for so long, and no longer; what comes later counts for nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from synartesis.domain.records import Approval
from synartesis.domain.status import ApprovalStatus
from synartesis.relay.client import Client
from synartesis.relay.dialog import Dialogs, Said
from synartesis.relay.eras import Opening
from synartesis.wire.messages import Response, read_message

REQUEST = Approval(
    id="5e1f",
    run="r1",
    seq=1,
    server="f",
    identity="1d",
    tool="send_note",
    arguments=b'{"to":"a"}',
    fingerprint="f1",
    status=ApprovalStatus.WAITING,
    why="It cannot be undone.",
    requested_at="2026-03-04T12:00:00.000000Z",
    attempts=1,
    decided_at=None,
    decided_by="",
    reason="",
    spent_by=None,
)
YES: dict[str, Any] = {"action": "accept", "content": {"approve": True}}


def asked_of(written: list[bytes], *, patience_s: float) -> Dialogs:
    return Dialogs(Client(written.append, Opening()), own_name="one", patience_s=patience_s)


def test_no_answer_in_time_is_none_and_the_question_is_taken_back() -> None:
    async def story() -> None:
        written: list[bytes] = []
        dialogs = asked_of(written, patience_s=0.01)

        said = await dialogs.ask(REQUEST, informs=False)
        question, taken_back = (json.loads(line) for line in written)
        late = read_message(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": YES}).encode() + b"\n")

        assert said == Said("no answer within 0.01 s")
        assert question["method"] == "elicitation/create"
        assert taken_back["method"] == "notifications/cancelled"
        assert taken_back["params"]["requestId"] == question["id"]
        assert isinstance(late, Response)
        assert not dialogs.takes(late), "nobody waits for it any more"

    asyncio.run(story())


def test_in_the_later_era_a_yes_counts_once_and_only_in_time() -> None:
    async def story() -> None:
        patient, hasty = asked_of([], patience_s=60), asked_of([], patience_s=-1)
        answers = json.dumps({"synartesis": YES}).encode()

        states = [
            json.loads(dialogs.ask_by_answering(REQUEST, b"1", informs=False))["result"]["requestState"]
            for dialogs in (patient, hasty)
        ]
        in_time, too_late = patient.answer_in(states[0], answers), hasty.answer_in(states[1], answers)

        assert in_time == (REQUEST, Said("approved", is_yes=True))
        assert too_late == (REQUEST, Said("no answer within -1 s"))
        assert patient.answer_in(states[0], answers) is None, "not twice"
        assert patient.answer_in(states[1], answers) is None, "nor where another asked"

    asyncio.run(story())


def test_an_answer_in_time_is_taken_by_who_asked() -> None:
    async def story() -> None:
        written: list[bytes] = []
        dialogs = asked_of(written, patience_s=60)

        asking = asyncio.create_task(dialogs.ask(REQUEST, informs=False))
        await asyncio.sleep(0)  # it asks before it waits
        answer = read_message(
            json.dumps({"jsonrpc": "2.0", "id": json.loads(written[0])["id"], "result": YES}).encode() + b"\n"
        )

        assert isinstance(answer, Response)
        assert dialogs.takes(answer)
        assert await asking == Said("approved", is_yes=True)

    asyncio.run(story())
