"""How often a client called a tool: for many requests at once what it is for each alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synartesis.domain.status import ApprovalStatus, ToolClass
from synartesis.journal import counting
from tests.contract.journals import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench("sqlite", tmp_path)
    yield bench
    bench.close()


@pytest.mark.parametrize("others", [0, counting.MOST_TOOLS])
def test_requests_are_counted_together_as_they_are_alone(bench: Bench, others: int) -> None:
    def ask(tool: str) -> str:
        asked = bench.open(run, says=bench.new_id(), tool=tool, tool_class=ToolClass.IRREVERSIBLE)
        return bench.do(bench.journal.hold(asked.action.id, why="why")).id

    requests = []
    for _ in range(2):
        run = bench.agent()
        for tool in ("send_email", "send_letter", "send_email"):
            bench.applied(run, tool=tool)
            requests.append(ask(tool))
        bench.later(hours=11)
    for number in range(others):
        ask(f"other_{number}")

    waiting = {each.id: each.made for each in bench.journal.approvals([ApprovalStatus.WAITING])}

    assert len(waiting) == len(requests) + others
    assert [waiting[each] for each in requests] == [1, 1, 2, 3, 2, 4]
    assert waiting == {each: bench.journal.made_lately(each) for each in waiting}
