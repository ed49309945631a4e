"""Rules against the tools that servers really offer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synartesis.policy.matching import Policy
from synartesis.policy.reader import examine
from synartesis.policy.verify import Finding, broken_reads, verify


def policy(rules: str, servers: str = "{crm: {command: x}}") -> Policy:
    examined = examine(f"version: 1\nservers: {servers}\ntools:\n{rules}".encode(), Path("/m.yaml"))
    assert examined.manifest is not None, examined.problems
    return Policy(examined.manifest)


UPDATE = """
- match: crm.update
  class: reversible
  snapshot: {tool: crm.get, args: {id: "$.id"}, ignore: [updated_at]}
  inverse: {tool: crm.update, args: {id: "$.id", name: "$snapshot.name"}}
"""
READ = "- {match: crm.get, class: readonly}\n"
READS = "- {match: 'crm.get*', class: readonly}\n"


def tool(name: str, inputs: dict[str, Any] | None = None, outputs: list[str] | None = None) -> dict[str, Any]:
    descriptor: dict[str, Any] = {"name": name}
    if inputs is not None:
        descriptor["inputSchema"] = {"type": "object", **inputs}
    if outputs is not None:
        descriptor["outputSchema"] = {"type": "object", "properties": {name: {} for name in outputs}}
    return descriptor


GET, PUT = tool("get"), tool("update")
TABLE: dict[str, tuple[str, list[dict[str, Any]], list[tuple[str, str]]]] = {
    "SQL of no dialect": (
        "- {match: crm.get, class: irreversible, gate: on_write}\n" + UPDATE,
        [GET, PUT],
        [
            (
                "note",
                "`crm.get` judges SQL of no named dialect; with a `dialect` it asks less often",
            )
        ],
    ),
    "SQL of a dialect": (
        "- {match: crm.get, class: irreversible, gate: on_write, dialect: duckdb}\n" + UPDATE,
        [GET, PUT],
        [],
    ),
    "all is well": (UPDATE + READ, [GET, PUT], []),
    "a snapshot tool is missing": (
        UPDATE + READS,
        [tool("get_all"), tool("gets"), PUT],
        [
            (
                "error",
                "the snapshot of `crm.update` calls `crm.get`, which the server does not offer; did you mean `crm.gets`?",
            ),
            ("note", "`crm.get*` (readonly) covers `crm.get_all`, `crm.gets`"),
        ],
    ),
    "an inverse tool is missing": (
        "- {match: crm.add, class: compensable, inverse: {tool: crm.remove}}",
        [tool("add")],
        [
            (
                "error",
                "the inverse of `crm.add` calls `crm.remove`, which the server does not offer; its calls are held",
            ),
            ("note", "`crm.add` has no verify"),
        ],
    ),
    "a pattern matches nothing": (
        "- {match: crm.gte, class: readonly}\n- {match: 'crm.get', class: readonly}",
        [GET],
        [("warning", "m.yaml:4: `crm.gte` matches no tool that is offered; did you mean `crm.get`?")],
    ),
    "a tool has no rule": (
        "- {match: crm.get, class: readonly}",
        [GET, tool("drop")],
        [("note", "crm.drop has no rule")],
    ),
    "permanent and never held": (
        "- {match: crm.get, class: irreversible, gate: never}",
        [GET],
        [("warning", "`crm.get` is irreversible and never held")],
    ),
    "fields are left out": (
        UPDATE + READ,
        [tool("get", outputs=["id", "name", "plan", "updated_at"]), PUT],
        [("warning", "the inverse of `crm.update` does not restore `plan`, which crm.get reads")],
    ),
    "the patch is repeated instead of undone": (
        UPDATE.replace("$snapshot.name", "$.name") + READ,
        [tool("get", outputs=["id", "name", "updated_at"]), PUT],
        [("warning", "the inverse of `crm.update` does not restore `name`, which crm.get reads")],
    ),
    "fields are restored by several calls, or handed back as they are": (
        UPDATE.replace(
            'inverse: {tool: crm.update, args: {id: "$.id", name: "$snapshot.name"}}',
            """inverse:
    - {tool: crm.update, args: {id: "$.id", name: "$snapshot.name", version: "$current.version"}}
    - {tool: crm.update, args: {id: "$.id", tags: {$each: "$snapshot.tags", $make: {title: "$item.name"}}}}""",
        )
        + READ,
        [tool("get", outputs=["id", "name", "tags", "version", "updated_at"]), PUT],
        [],
    ),
    "fields are left out, and another read would show it": (
        UPDATE.replace("inverse:", "verify: {tool: crm.get_all}\n  inverse:") + READS,
        [tool("get", outputs=["id", "name", "plan", "updated_at"]), tool("get_all"), PUT],
        [("note", "`crm.get*` (readonly) covers `crm.get`, `crm.get_all`")],
    ),
    "a field is misspelt in a form": (
        UPDATE.replace('"$snapshot.name"}', '{$each: "$snapshot.tags", $make: {n: "$item.nam"}}}') + READ,
        [
            {
                "name": "get",
                "outputSchema": {
                    "type": "object",
                    "properties": {"tags": {"type": "array", "items": {"properties": {"name": {}}}}, "updated_at": {}},
                },
            },
            PUT,
        ],
        [("warning", "reads `$snapshot.tags[].nam`, which the answer of crm.get does not have; did you mean `name`?")],
    ),
    "what is made of an answer is in no schema": (
        UPDATE.replace("ignore: [updated_at]", "ignore: [updated_at], decode: json") + READ,
        [tool("get", outputs=["result"]), PUT],
        [],
    ),
    "what was made is taken away": (
        UPDATE.replace('args: {id: "$.id", name: "$snapshot.name"}', 'args: {id: "$result.id"}') + READ,
        [tool("get", outputs=["id", "name", "updated_at"]), PUT],
        [],
    ),
    "an argument is unknown": (
        UPDATE + READ,
        [GET, tool("update", {"properties": {"id": {}, "names": {}}})],
        [("warning", "gives crm.update the argument `name`, which it does not know; did you mean `names`?")],
    ),
    "an argument is refused": (
        UPDATE + READ,
        [GET, tool("update", {"properties": {"id": {}}, "additionalProperties": False})],
        [("error", "the argument `name`")],
    ),
    "an argument is required": (
        UPDATE + READ,
        [GET, tool("update", {"properties": {"id": {}, "name": {}, "plan": {}}, "required": ["id", "plan"]})],
        [("error", "leaves out `plan`, which crm.update requires")],
    ),
    "an argument deep inside is unknown": (
        (
            '- {match: crm.add, class: compensable, inverse: {tool: crm.remove, args: {items: [{nam: "$.name"}]}}}\n'
            "- {match: crm.remove, class: irreversible}"
        ),
        [tool("add"), tool("remove", {"properties": {"items": {"items": {"properties": {"name": {}}}}}})],
        [
            ("warning", "the argument `items[].nam`, which it does not know; did you mean `name`?"),
            ("note", "`crm.add` has no verify"),
        ],
    ),
    "more arguments are welcome": (
        UPDATE + READ,
        [GET, tool("update", {"properties": {"id": {}}, "additionalProperties": True})],
        [],
    ),
    "an argument of the call that nobody can give": (
        UPDATE.replace('args: {id: "$.id"}', 'args: {id: "$.ident"}') + READ,
        [GET, tool("update", {"properties": {"id": {}, "name": {}}})],
        [("warning", "the snapshot of `crm.update` reads `$.ident`, which crm.update does not take")],
    ),
    "a path that the answer of the read does not have": (
        UPDATE.replace("$snapshot.name", "$snapshot.nmae") + READ,
        [tool("get", outputs=["name", "updated_at"]), PUT],
        [
            ("warning", "does not restore `name`, which crm.get reads"),
            (
                "warning",
                (
                    "the inverse of `crm.update` reads `$snapshot.nmae`, which the answer of crm.get does not have; "
                    "did you mean `name`?"
                ),
            ),
        ],
    ),
    "a path that the answer of the call does not have": (
        (
            '- {match: "crm.add_*", class: compensable, inverse: {tool: crm.remove, args: {id: "$result.item.key"}}}\n'
            "- {match: crm.remove, class: irreversible}"
        ),
        [tool("add_one", outputs=["item"]), tool("add_two", outputs=["items"]), tool("remove")],
        [
            ("warning", "which the answer of crm.add_two does not have (`item`); did you mean `items`?"),
            ("note", "`crm.add_*` has no verify"),
            ("note", "`crm.add_*` (compensable) covers `crm.add_one`, `crm.add_two`"),
        ],
    ),
    "what a snapshot ignores, calls unordered or looks at is not in its answer": (
        UPDATE.replace(
            "ignore: [updated_at]", "ignore: [stamp], unordered: [tags], absent_when: [{path: rows, is: []}]"
        )
        + READ,
        [tool("get", outputs=["name"]), PUT],
        [("warning", "ignores `stamp`"), ("warning", "calls unordered `tags`"), ("warning", "looks at `rows`")],
    ),
    "what a verify is given, reads and ignores": (
        (
            "- {match: crm.add, class: compensable, inverse: {tool: crm.drop, args: {id: $result.id}},"
            " verify: {tool: crm.get, args: {idd: $result.ident}, ignore: [stamp], absent_when: [gone]}}\n"
            "- {match: crm.drop, class: irreversible}\n" + READ
        ),
        [
            tool("get", {"properties": {"id": {}}}, outputs=["name"]),
            tool("add", outputs=["id"]),
            tool("drop", {"properties": {"id": {}}}),
        ],
        [
            ("warning", "the verify of `crm.add` gives crm.get the argument `idd`, which it does not know"),
            ("warning", "the verify of `crm.add` reads `$result.ident`, which the answer of crm.add does not have"),
            ("warning", "the verify of `crm.add` ignores `stamp`"),
        ],
    ),
    "no snapshot, and a verify that is missing": (
        "- {match: crm.get, class: reversible, verify: {tool: crm.see}, inverse: {tool: crm.get}}",
        [GET],
        [("error", "the verify of `crm.get` calls `crm.see`, which the server does not offer")],
    ),
    "a pattern covers what no closer rule governs": (
        "- {match: 'crm.*', class: irreversible, gate: never}\n" + READ,
        [GET, tool("drop"), tool("purge")],
        [
            ("warning", "`crm.*` is irreversible and never held"),
            ("note", "`crm.*` (irreversible) covers `crm.drop`, `crm.purge`"),
        ],
    ),
    "no verify of a creation": (
        "- {match: crm.add, class: compensable, inverse: {tool: crm.drop}}\n- {match: crm.drop, class: irreversible}",
        [tool("add"), tool("drop")],
        [("note", "`crm.add` has no verify, so an undo calls crm.drop whatever somebody else did")],
    ),
    "the version of before": (
        UPDATE.replace('name: "$snapshot.name"', 'name: "$snapshot.name", version: "$snapshot.version"') + READ,
        [GET, PUT],
        [
            (
                "warning",
                "gives crm.update the `version` of before the call; if the server wants the one that is there now",
            )
        ],
    ),
    "no snapshot": (
        "- {match: crm.get, class: reversible, inverse: {tool: crm.get}}",
        [GET],
        [("note", "`crm.get` has no snapshot, so an undo cannot tell")],
    ),
}


@pytest.mark.parametrize(("rules", "offered", "expected"), TABLE.values(), ids=TABLE.keys())
def test_check_says(rules: str, offered: list[dict[str, Any]], expected: list[tuple[str, str]]) -> None:
    findings = verify(policy(rules), {"crm": offered})

    assert [severity for severity, _ in expected] == [finding.severity for finding in findings], findings
    for (_, words), finding in zip(expected, findings, strict=True):
        assert words in finding.text


def test_a_server_that_did_not_answer_is_not_judged() -> None:
    assert [] == verify(policy(UPDATE), {})


def test_tools_that_no_agent_sees_need_no_rule() -> None:
    found = verify(
        policy("- {match: crm.get, class: readonly}", "{crm: {command: x}, h: {command: x, expose: false}}"),
        {
            "crm": [GET],
            "h": [tool("delete")],
        },
    )

    assert [] == found


def test_descriptors_of_odd_shapes_break_nothing() -> None:
    odd: list[dict[str, Any]] = [
        {"name": 7},
        {},
        {"name": "get", "inputSchema": [], "outputSchema": {"properties": 1}},
        PUT,
    ]

    assert all(isinstance(finding, Finding) for finding in verify(policy(UPDATE), {"crm": odd}))


BROKEN = {
    "all offered": ({"crm": {"get", "update"}}, None),
    "not known": ({}, None),
    "snapshot": ({"crm": {"update", "got"}}, "the snapshot of its rule (m.yaml:5) calls `crm.get`"),
    "inverse": ({"crm": {"get"}}, "the inverse of its rule (m.yaml:5) calls `crm.update`"),
}


@pytest.mark.parametrize(("offered", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_rule_that_cannot_work_says_why(offered: dict[str, set[str]], why: str | None) -> None:
    found = broken_reads(policy(UPDATE).manifest.rules[0], offered)

    assert found is None if why is None else found is not None and found.startswith(why)
