"""Which rule wins, and what happens to a tool that no rule mentions."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.manifest import Manifest, Rule
from synartesis.policy.matching import Policy, matches, specificity


def rule(
    match: str, tool_class: ToolClass = ToolClass.READONLY, gate: GateMode = GateMode.NEVER, where: str = "m.yaml:1"
) -> Rule:
    return Rule(match=match, tool_class=tool_class, gate=gate, where=where)


def policy(*rules: Rule) -> Policy:
    return Policy(Manifest(path=Path("/m.yaml"), digest="", servers=(), rules=rules))


MATCHES = {
    "itself": ("crm.get", "crm.get", True),
    "another": ("crm.get", "crm.get_all", False),
    "end": ("crm.send_*", "crm.send_email", True),
    "nothing": ("crm.send_*", "crm.send_", True),
    "no dot": ("crm.*", "crm.files.read", False),
    "dot written": ("crm.*.*", "crm.files.read", True),
    "server": ("*.delete_*", "crm.delete_customer", True),
    "middle": ("crm.*_customer_*", "crm.get_customer_by_id", True),
    "overlap": ("crm.ab*ba", "crm.aba", False),
    "two stars": ("crm.**", "crm.x", True),
    "case": ("crm.Get", "crm.get", False),
    "special characters": ("crm.a+b(*)", "crm.a+b(c)", True),
}


@pytest.mark.parametrize(("pattern", "name", "expected"), MATCHES.values(), ids=MATCHES.keys())
def test_a_star_is_any_run_without_a_dot(pattern: str, name: str, *, expected: bool) -> None:
    assert expected is matches(pattern, name)


WINS = {
    "exact over pattern": [rule("crm.get_item"), rule("crm.get_*"), rule("crm.*")],
    "more literal characters": [rule("crm.get_it*"), rule("crm.get_*"), rule("*.get_*")],
    "fewer wildcards": [rule("crm.get_it*"), rule("crm.ge*_it*")],
    "stricter class": [
        rule("crm.get_*", ToolClass.IRREVERSIBLE),
        rule("crm.get_*", ToolClass.COMPENSABLE),
        rule("crm.get_*", ToolClass.REVERSIBLE),
        rule("crm.get_*", ToolClass.READONLY),
    ],
    "stricter gate": [
        rule("crm.get_item", gate=GateMode.ALWAYS),
        rule("crm.get_item", gate=GateMode.ON_WRITE),
        rule("crm.get_item", gate=GateMode.NEVER),
    ],
    "equal in every way": [rule("crm.*t_item"), rule("crm.g*_item", where="m.yaml:9")][::-1],
}


@pytest.mark.parametrize("ranked", WINS.values(), ids=WINS.keys())
def test_the_most_specific_rule_wins_in_whatever_order_they_stand(ranked: list[Rule]) -> None:
    winners = {policy(*order).rule_for(Tool("crm", "get_item")) for order in permutations(ranked)}

    assert len(winners) == 1
    if ranked is not WINS["equal in every way"]:
        assert winners == {ranked[0]}


def test_a_tool_that_no_rule_mentions_is_irreversible_and_held() -> None:
    found = policy(rule("crm.get_*")).rule_for(Tool("crm", "drop_everything"))

    assert (ToolClass.IRREVERSIBLE, GateMode.ALWAYS, True) == (found.tool_class, found.gate, found.is_default)


def test_asking_for_ever_new_names_does_not_grow_without_limit() -> None:
    asked = policy(rule("crm.*"))
    for number in range(25_000):
        asked.rule_for(Tool("crm", f"t{number}"))

    assert len(asked._remembered) <= 10_000


rules = st.builds(
    rule,
    st.text("ab*", min_size=1, max_size=5).map(lambda text: f"s.{text}"),
    st.sampled_from(ToolClass),
    st.sampled_from(GateMode),
)


@given(st.lists(rules, min_size=2, max_size=5), st.text("ab", min_size=1, max_size=5))
def test_specificity_is_a_total_order_so_that_the_file_order_decides_nothing(found: list[Rule], name: str) -> None:
    tool = Tool("s", name)
    answers = {policy(*order).rule_for(tool) for order in permutations(found)}

    assert len(answers) == 1
    assert all((specificity(a) == specificity(b)) == (a == b) for a in found for b in found)


@given(st.text("ab.*", min_size=1, max_size=8), st.text("ab.", max_size=8))
def test_matching_agrees_with_the_obvious_regular_expression(pattern: str, name: str) -> None:
    obvious = "[^.]*".join(re.escape(piece) for piece in pattern.split("*"))

    assert matches(pattern, name) is bool(re.fullmatch(obvious, name))
