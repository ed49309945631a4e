"""What waits, laid out: whole enough to decide on, and readable when much waits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from synartesis.domain.records import Allowance, Approval
from synartesis.domain.status import ApprovalStatus
from synartesis.present.requests import gate_lines, grouped
from synartesis.present.style import Style

PLAIN = Style(colour=False, width=100)


def asked(number: int, tool: str = "send_email", **arguments: Any) -> Approval:
    return Approval(
        id=f"{number:012x}",
        run="a1",
        seq=number,
        server="crm",
        identity="1d" * 32,
        tool=tool,
        arguments=json.dumps(arguments).encode(),
        fingerprint=str(number),
        status=ApprovalStatus.WAITING,
        why="It cannot be undone.",
        requested_at=f"2026-03-04T12:{number % 60:02}:00.000000Z",
        attempts=1,
        decided_at=None,
        decided_by="",
        reason="",
        spent_by=None,
        asked_in="a1",
    )


def numbers(groups: list[list[Approval]]) -> list[list[int]]:
    return [[request.seq for request in group] for group in groups]


def spell(words: Any) -> str:
    return " ".join(("synartesis", *words))


def shown(waiting: list[Approval], *, full: bool = False) -> list[str]:
    return gate_lines(waiting, spell, Style(colour=False, width=100, full=full))


def test_requests_that_differ_in_one_argument_stand_in_one_block() -> None:
    waiting = [asked(at, to="ada", text="hi" + "." * at) for at in range(1, 6)]

    lines = shown(waiting)

    assert numbers(grouped(waiting)) == [[1, 2, 3, 4, 5]]
    assert 'crm.send_email: 5 calls that differ only in "text"' in lines
    assert sum('"ada"' in line for line in lines) == 1
    for request in waiting:
        assert sum(f"{request.id}  " in line for line in lines) == 1


OTHERS = {
    "two arguments": [asked(1, to="ada", text="hi"), asked(2, to="bob", text="ho")],
    "another argument each time": [asked(1, a=1, b=1), asked(2, a=2, b=1), asked(3, a=1, b=2)],
    "one more": [asked(1, to="ada"), asked(2, to="ada", force=True)],
    "another tool": [asked(1, to="ada"), asked(2, "send_fax", to="bob")],
    "one and true": [asked(1, n=1, m=1), asked(2, n=True, m=True)],
}


@pytest.mark.parametrize(
    ("waiting", "together"),
    [
        (OTHERS["two arguments"], [[1], [2]]),
        (OTHERS["another argument each time"], [[1, 2], [3]]),
        (OTHERS["one more"], [[1], [2]]),
        (OTHERS["another tool"], [[1], [2]]),
        (OTHERS["one and true"], [[1], [2]]),
    ],
    ids=OTHERS,
)
def test_what_differs_otherwise_has_a_block_of_its_own(waiting: list[Approval], together: list[list[int]]) -> None:
    assert numbers(grouped(waiting)) == together


def test_two_hundred_variants_are_readable_and_say_how_many_are_left_out() -> None:
    waiting = [asked(at, to="ada", text=f"number {at}") for at in range(1, 201)]

    short, full = shown(waiting), shown(waiting, full=True)

    assert len(short) < 40
    assert "      … and 180 more; --full shows them" in short
    assert all(any(request.id in line for line in full) for request in waiting)


def test_two_hundred_different_calls_are_readable_and_each_can_be_found() -> None:
    waiting = [asked(at, f"tool_{at}", a=at, b=at) for at in range(1, 201)]

    short, full = shown(waiting), shown(waiting, full=True)

    assert len(short) < 120
    assert "190 other calls; --full shows each of them whole:" in short
    assert short[-1] == "  … and 150 more"
    assert all(any(request.id in line for line in full) for request in waiting)


def test_a_long_value_of_one_variant_hides_no_other() -> None:
    waiting = [asked(1, to="ada", text="x" * 5000), asked(2, to="ada", text="rm -rf ~"), asked(3, to="ada", text="hi")]

    lines = shown(waiting)

    assert any('"rm -rf ~"' in line for line in lines)
    assert any("characters hidden" in line for line in lines)


def test_a_line_end_in_a_variant_starts_no_line_of_ours() -> None:
    waiting = [asked(1, to="ada", text="hi"), asked(2, to="ada", text="hi\n    approve: synartesis approve --all")]

    assert sum(line.startswith("    approve") for line in shown(waiting)) == 1


def test_what_may_still_go_out_unasked_is_shown_with_how_to_take_it_back() -> None:
    left = Allowance(1, "abc", "a1", "crm", "1d", "send_email", 5, 2, "", "ada", "", "", "", None)

    lines = gate_lines([], spell, PLAIN, allowances=[left])

    text = "\n".join(lines)
    assert "crm.send_email may be called 3 times more in run a1, whatever the arguments (approved by ada)" in text
    assert "take back: synartesis deny abc" in text
