"""First rules from what tools say of themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.onboard.draft import Draft, draft_rules
from synartesis.onboard.extend import NewServer, add_rules, new_manifest
from synartesis.policy.matching import Policy
from synartesis.policy.reader import examine
from tests.unit.onboard.descriptors import CRM, tool


def policy_of(drafts: list[Draft]) -> Policy:
    text = add_rules(new_manifest((), NewServer("crm", "x")), drafts)
    examined = examine(text.encode(), Path("/m.yaml"))
    assert examined.manifest is not None, (text, examined.problems)
    return Policy(examined.manifest)


def test_a_read_passes_where_the_server_says_so_and_is_marked_for_review() -> None:
    draft = draft_rules("crm", CRM)[0]

    assert ('- match: "crm.get_customer"', "  class: readonly  # marked for review: the server says so") == draft.lines


def test_everything_else_is_held_with_the_three_lines_that_a_reversible_rule_needs() -> None:
    draft = draft_rules("crm", CRM)[1]

    assert (
        '- match: "crm.update_customer"',
        "  class: irreversible  # TODO: held until a person approves it. Where a call undoes it, write instead:",
        "  # class: reversible",
        '  # snapshot: {tool: "crm.get_customer", args: {id: "$.id"}}',
        '  # inverse: {tool: "crm.update_customer", args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}',
    ) == draft.lines


def test_what_nobody_can_guess_is_left_for_a_person_under_a_name_that_no_server_offers() -> None:
    delete, send = draft_rules("crm", CRM)[2:]

    assert '  # inverse: {tool: "crm.THE_CALL_THAT_UNDOES_IT", args: {id: "$.id"}}' == delete.lines[-1]
    assert '  # snapshot: {tool: "crm.THE_READ", args: {to: "$.to"}}' == send.lines[-2]


@pytest.mark.parametrize("index", [1, 2, 3])
def test_the_three_lines_load_when_they_take_the_place_of_the_class(index: int) -> None:
    draft = draft_rules("crm", CRM)[index]
    lines = (draft.lines[0], *(line.replace("# ", "", 1) for line in draft.lines[2:]))

    rule = policy_of([draft._replace(lines=lines)]).manifest.rules[0]

    assert ToolClass.REVERSIBLE is rule.tool_class
    assert rule.snapshot is not None
    assert 1 == len(rule.inverse)


DOCS = [
    tool(
        "get_doc",
        "id",
        reads=True,
        required=("id",),
        outputSchema={"properties": {"id": {}, "version": {}, "title": {}}},
    ),
    tool("update_doc", "id", "version", "title", required=("id", "version")),
    tool("create_doc", "title", outputSchema={"properties": {"id": {}, "version": {}}}),
    tool("delete_doc", "id", "version", required=("id", "version")),
]


def test_a_version_is_the_one_that_is_there_when_the_inverse_is_sent() -> None:
    update = draft_rules("docs", DOCS)[1]

    assert update.lines[-1] == (
        '  # inverse: {tool: "docs.update_doc",'
        ' args: {id: "$.id", version: "$current.version", title: "$snapshot.title"}}'
    )


def test_a_creation_is_taken_away_by_the_id_that_its_answer_has() -> None:
    create = draft_rules("crm", DOCS)[2]

    assert create.lines[-3:] == (
        "  # class: compensable",
        '  # verify: {tool: "crm.get_doc", args: {id: "$result.id"}, absent_when: ["ITS_WORDS_FOR_NOT_FOUND"]}',
        '  # inverse: {tool: "crm.delete_doc", args: {id: "$result.id", version: "$current.version"}}',
    )
    lines = (create.lines[0], *(line.replace("# ", "", 1) for line in create.lines[2:]))
    rule = policy_of([create._replace(lines=lines)]).manifest.rules[0]
    assert rule.tool_class is ToolClass.COMPENSABLE


@pytest.mark.parametrize(
    "tools",
    [
        [tool("create_doc", "title", outputSchema={"properties": {"ok": {}}}), DOCS[3]],
        [tool("create_doc", "title"), tool("delete_user", "id", required=("id",))],
        [tool("create_doc", "title"), DOCS[3]],
    ],
    ids=["no id in its answer", "of something else", "no read shows the version"],
)
def test_a_creation_that_nothing_surely_takes_away_is_left_to_a_person(tools: list[dict[str, Any]]) -> None:
    assert "THE_CALL_THAT_UNDOES_IT" in draft_rules("docs", tools)[0].lines[-1]


HINTS: dict[str, dict[str, Any]] = {
    "no annotations": {"annotations": None},
    "annotations of another kind": {"annotations": ["readOnlyHint"]},
    "a hint that is no truth value": {"annotations": {"readOnlyHint": "true"}},
    "only not destructive": {"annotations": {"destructiveHint": False}},
    "no schema": {"inputSchema": None},
    "a schema of another kind": {"inputSchema": {"properties": [], "required": "id"}},
}


@pytest.mark.parametrize("more", HINTS.values(), ids=HINTS.keys())
def test_what_does_not_plainly_say_that_it_only_reads_is_held(more: dict[str, Any]) -> None:
    policy = policy_of(draft_rules("crm", [tool("touch", "id") | more]))

    rule = policy.rule_for(Tool("crm", "touch"))
    assert (ToolClass.IRREVERSIBLE, GateMode.ALWAYS) == (rule.tool_class, rule.gate)


ODD = ["files.read", "a/b", "übersetzen", "a b", 'quo"te', "new\nline", "hash # tag", "colon: x", "x" * 200, "{}", "no"]


@pytest.mark.parametrize("name", ODD)
def test_a_tool_with_an_odd_name_gets_a_rule_of_its_own(name: str) -> None:
    policy = policy_of(draft_rules("crm", [tool(name, "a field", "no", 'q"', reads=True)]))

    assert ToolClass.READONLY is policy.rule_for(Tool("crm", name)).tool_class
    assert policy.rule_for(Tool("crm", name + "x")).is_default


@pytest.mark.parametrize("field", ["a field", "no", 'q"', "new\nline", "$", "[]", "ünïcode", "a.b"])
def test_a_field_with_an_odd_name_breaks_out_of_no_comment(field: str) -> None:
    policy = policy_of(draft_rules("crm", [tool("set", field, "other")]))

    assert ToolClass.IRREVERSIBLE is policy.rule_for(Tool("crm", "set")).tool_class
    assert 1 == len(policy.manifest.rules)


def test_a_name_that_a_rule_would_read_as_a_pattern_gets_none() -> None:
    assert ["crm.a"] == [
        draft.match for draft in draft_rules("crm", [tool("a"), tool("del*", reads=True), {}, {"name": 7}])
    ]
