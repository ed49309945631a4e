"""What is asked of an undo, and what comes of it, come through JSON as they were."""

from __future__ import annotations

from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.calls import ResolvedCall
from synartesis.domain.canonical import MISSING, Missing, decode_json, encode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH
from synartesis.domain.status import Confirmation, ToolClass, Undone
from synartesis.undo.plan import UndoOptions
from synartesis.undo.report import Halt, Report, StepDifference, StepKind, StepReport, Verdict
from synartesis.undo.spelled import (
    Asked,
    NotUnderstood,
    asked_from_json,
    asked_to_json,
    report_from_json,
    report_to_json,
)

texts = st.text(max_size=5)
numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
).map(lambda value: decode_json(encode_json(value)))  # as they are read: a whole number is no Decimal
sides = values | st.just(MISSING)
paths = st.lists(texts | st.integers(0, 9) | st.just(EACH), max_size=3).map(tuple)
kinds = st.sampled_from(get_args(StepDifference.__annotations__["kind"]) or ["drift", "not_restored", "kept"])
seqs = st.integers(1, 99)
steps = st.builds(
    StepReport,
    seq=seqs,
    action=texts,
    tool=st.builds(Tool, texts, texts),
    tool_class=st.sampled_from(ToolClass),
    kind=st.sampled_from(StepKind),
    verdict=st.none() | st.sampled_from(Verdict),
    outcome=st.none() | st.sampled_from(Undone),
    confirmation=st.none() | st.sampled_from(Confirmation),
    reason=texts,
    hint=texts,
    calls=st.lists(
        st.builds(ResolvedCall, st.builds(Tool, texts, texts), st.dictionaries(texts, values, max_size=3)), max_size=2
    ).map(tuple),
    differences=st.lists(st.builds(StepDifference, paths, sides, sides, kinds), max_size=2).map(tuple),
    undid=st.none() | seqs,
    residue=texts,
    settle=texts,
    settle_needs_result=st.booleans(),
    settle_sees=st.booleans(),
    unproved=st.booleans(),
    sent_before=st.booleans(),
    mergeable=st.booleans(),
)
reports = st.builds(
    Report,
    run=texts,
    undo_run=st.none() | texts,
    dry_run=st.booleans(),
    status=st.sampled_from(["undone", "partial", "stopped"]),
    steps=st.lists(steps, max_size=3).map(tuple),
    halted=st.none() | st.builds(Halt, seqs, texts, texts, texts),
    redo=st.booleans(),
)
options = st.builds(
    UndoOptions,
    dry_run=st.booleans(),
    to=st.none() | seqs,
    only=st.frozensets(seqs),
    merge=st.booleans(),
    replan=st.booleans(),
    as_far_as_possible=st.booleans(),
    unchecked=st.frozensets(seqs),
)


@given(report=reports)
def test_a_report_comes_through_as_it_was(report: Report) -> None:
    assert exactly(report_from_json(report_to_json(report))) == exactly(report)


def exactly(report: Report) -> str:
    """Told apart: 1, true, 1.0 and 1.00; null and nothing at all."""
    return repr(report)


@given(asked=st.builds(Asked, options, st.booleans()))
def test_what_is_asked_comes_through_as_it_was(asked: Asked) -> None:
    assert asked_from_json(asked_to_json(asked)) == asked


@pytest.mark.parametrize(
    "said", [b"", b"{}", b"[]", b'{"options":{"backwards":true}}', b'{"options":{"to":"7"}}', b"\xff"]
)
def test_what_is_not_known_is_refused_and_never_left_out(said: bytes) -> None:
    with pytest.raises(NotUnderstood):
        asked_from_json(said)


@pytest.mark.parametrize("said", [b"", b"{}", b"[]", b'{"steps":1}', b"null"])
def test_a_report_that_is_none_is_refused(said: bytes) -> None:
    with pytest.raises(NotUnderstood):
        report_from_json(said)


def test_no_value_is_not_null() -> None:
    assert isinstance(MISSING, Missing)
    found = StepDifference(("a",), MISSING, Decimal("1.10"), "drift")
    step = StepReport(1, "a", Tool("f", "t"), ToolClass.REVERSIBLE, StepKind.BLOCKED, differences=(found,))
    again = report_from_json(report_to_json(Report("r", None, False, "stopped", (step,)))).steps[0].differences[0]
    assert isinstance(again.expected, Missing)
    assert str(again.actual) == "1.10"
