"""Shipped policies: taken for exactly the tools they were made for, whatever the server is called, and else not at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from synartesis.errors import UsageError
from synartesis.onboard.extend import NewServer, add_rules, new_manifest
from synartesis.onboard.known import NOT_RECOGNISED, Fit, Misfit, fit, load_shipped, recognise, shipped_policies
from synartesis.policy.manifest import CallTemplate, Manifest, ReadRule
from synartesis.policy.reader import examine
from synartesis.policy.template import references
from tests.unit.onboard.descriptors import tool

ALL = shipped_policies()
RECOGNISED = sorted(set(ALL) - NOT_RECOGNISED)


def manifest_of(name: str) -> Manifest:
    manifest = examine(load_shipped(name).text.encode(), Path("/", f"{name}.yaml")).manifest
    assert manifest is not None
    return manifest


def offered_by(name: str) -> list[dict[str, Any]]:
    """A server with exactly the tools and arguments that a policy speaks of."""
    fields: dict[str, set[str]] = {}
    for rule in manifest_of(name).rules:
        own = fields.setdefault(rule.match.partition(".")[2], set())
        calls: list[CallTemplate | ReadRule] = [*rule.inverse, *rule.inverse_if_absent]
        calls += [rule.snapshot] if rule.snapshot else []
        for call in calls:
            fields.setdefault(call.tool.name, set()).update(call.args)
            own |= {str(one.path[0]) for one in references(call.args) if one.source == "arguments" and one.path}
    return [_taking_anything(name, *sorted(inputs)) for name, inputs in fields.items()]


def _taking_anything(name: str, *fields: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {} for field in fields}}
    return tool(name, inputSchema=schema)


def test_there_are_these_and_only_the_toy_is_not_recognised() -> None:
    assert ["filesystem", "git", "github", "memory", "toy-crm"] == ALL
    assert {"toy-crm"} == NOT_RECOGNISED


@pytest.mark.parametrize("name", RECOGNISED)
def test_a_policy_is_recognised_by_its_tools_and_takes_the_name_that_the_server_has_here(name: str) -> None:
    found = recognise("my server", offered_by(name))

    assert isinstance(found, Fit)
    assert name == found.policy
    text = add_rules(new_manifest((), NewServer("my server", "x")), found.rules, header=found.header)
    manifest = examine(text.encode(), Path("/m.yaml")).manifest
    assert manifest is not None
    own = manifest_of(name)
    assert [rule.match.partition(".")[2] for rule in own.rules] == [
        rule.match.removeprefix("my server.") for rule in manifest.rules
    ]
    called = [call.tool.server for rule in manifest.rules for call in (*rule.inverse, *rule.inverse_if_absent)]
    assert {"my server"} == set(called)
    assert [rule.tool_class for rule in own.rules] == [rule.tool_class for rule in manifest.rules]


@pytest.mark.parametrize("name", ALL)
def test_a_policy_in_braces_says_the_same(name: str) -> None:
    found = fit(name, "s", offered_by(name))
    assert isinstance(found, Fit)

    def classes(text: str) -> list[tuple[object, ...]]:
        manifest = examine(text.encode(), Path("/m.yaml")).manifest
        assert manifest is not None
        return [
            (one.match, one.tool_class, one.gate, one.snapshot, one.inverse, one.inverse_if_absent)
            for one in manifest.rules
        ]

    lines = add_rules(new_manifest((), NewServer("s", "x")), found.rules)
    braces = add_rules('{"version": 1, "servers": {"s": {"command": "x"}}}', found.rules)

    assert classes(lines) == classes(braces)


@pytest.mark.parametrize("name", RECOGNISED)
def test_one_tool_less_and_the_whole_policy_is_dropped(name: str) -> None:
    tools = offered_by(name)
    for index, missing in enumerate(tools):
        found = recognise("s", tools[:index] + tools[index + 1 :])

        assert isinstance(found, Misfit)
        assert name == found.policy
        assert f"s.{missing['name']}" in found.why


@pytest.mark.parametrize("name", RECOGNISED)
def test_one_tool_more_and_the_whole_policy_is_dropped(name: str) -> None:
    found = recognise("s", [*offered_by(name), tool("wipe_everything")])

    assert Misfit(name, "it says nothing about s.wipe_everything, which the server offers") == found


@pytest.mark.parametrize("name", RECOGNISED)
def test_an_argument_under_another_name_and_the_whole_policy_is_dropped(name: str) -> None:
    tools = offered_by(name)
    for index, one in enumerate(tools):
        for field in one["inputSchema"]["properties"]:
            fields = [other for other in one["inputSchema"]["properties"] if other != field]
            found = fit(name, "s", [*tools[:index], _taking_anything(one["name"], *fields), *tools[index + 1 :]])

            assert isinstance(found, Misfit), (one, field)
            assert field in found.why


def test_a_server_like_none_is_no_near_miss() -> None:
    assert recognise("s", [tool("read_file"), tool("launch")]) is None
    assert recognise("s", []) is None


def test_the_toy_is_written_by_hand_unless_its_policy_is_asked_for() -> None:
    assert recognise("crm", offered_by("toy-crm")) is None
    assert isinstance(fit("toy-crm", "crm", offered_by("toy-crm")), Fit)


def test_a_policy_that_is_not_there_is_named_with_its_neighbour() -> None:
    with pytest.raises(UsageError) as caught:
        fit("filesytem", "s", [])

    assert "did you mean filesystem?" == caught.value.hint


@pytest.mark.parametrize("name", RECOGNISED)
def test_a_policy_says_where_it_runs_out_and_how_far_it_was_proved(name: str) -> None:
    found = fit(name, "s", offered_by(name))
    assert isinstance(found, Fit)

    assert "Where it runs out:" in found.header
    assert re.search(r"\d+\.\d+\.\d+", found.about)
    assert ("proved with" in found.about) != ("NOT VERIFIED AGAINST A LIVE ACCOUNT" in found.about)
    assert "synartesis check" not in found.about
