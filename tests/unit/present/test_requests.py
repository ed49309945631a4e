"""What waits, laid out: whole enough to decide on, and readable when much waits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from synartesis.domain.records import Allowance, Approval, Captured, Image, Read
from synartesis.domain.status import ApprovalStatus
from synartesis.present.requests import gate_lines, grouped, request_lines
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


# --- what stands beside the arguments


def image(state: Any, answer: Any = None, why: str = "") -> Captured:
    text = None if answer is None else json.dumps(answer).encode()
    return Captured(Read("crm", "get_customer", b'{"id":"c1"}', b"{}"), Image(state, text, why))


def text_of(request: Approval) -> str:
    return "\n".join(request_lines(request, PLAIN))


def test_the_state_now_stands_beside_the_arguments() -> None:
    there = image("present", {"structuredContent": {"plan": "enterprise", "notes": None}})

    text = text_of(asked(1, plan="free")._replace(seen=there))

    assert '    there now (crm.get_customer): {"plan": "enterprise", "notes": null}' in text


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (image("absent", {}, "no customer c1"), "there now (crm.get_customer): nothing (no customer c1)"),
        (image("unreadable", None, "it did not answer"), "it could not be read (it did not answer)"),
        (image("refused", {}, "no\x1b[2K\n    approve: x"), "it could not be read (no\\x1b[2K\\n    approve: x)"),
    ],
)
def test_a_state_that_is_none_is_told_as_such(seen: Captured, says: str) -> None:
    assert says in text_of(asked(1, id="c1")._replace(seen=seen))


def test_what_the_rule_says_and_how_often_such_calls_were_made_is_told() -> None:
    request = asked(1)._replace(says="the paying one\nAn undo cannot take back: an e-mail", made=12)

    text = text_of(request)

    assert "    rule: the paying one\n    rule: An undo cannot take back: an e-mail\n" in text
    assert "    This client made 12 calls of crm.send_email in the 24 hours before." in text


def test_what_only_looks_like_something_is_pointed_out() -> None:
    text = text_of(asked(1, to="billing@p\u0430ypal.example", harmless="Привет"))

    assert text.count("look closely") == 1
    assert 'look closely: "p<U+0430>ypal" mixes Latin and Cyrillic letters' in text


def test_tag_characters_zero_width_and_blank_runs_become_visible() -> None:
    hidden = "ok\U000e0072\U000e006d" + "a\u200bb\u2060c\ufe0f" + "d" + " " * 40 + "e" + "\n" * 30 + "f"

    text = text_of(asked(1, text=hidden))

    for code in ("<U+E0072>", "<U+E006D>", "<U+200B>", "<U+2060>", "<U+FE0F>", "<40 blanks>", "<30 blanks>"):
        assert code in text
    assert all(line.isprintable() for line in text.split("\n"))
