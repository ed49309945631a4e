from __future__ import annotations

import json

from synartesis.relay.catalog import TOOLS, merged_result
from synartesis.relay.merging import growing, introduction, merged_abilities, usable_version


def test_abilities_are_the_union_of_what_is_really_served() -> None:
    merged = merged_abilities(
        [
            {"tools": {"listChanged": False}, "tasks": {}},
            {"prompts": {}, "resources": {"subscribe": True}, "tools": {"listChanged": True}},
            None,
        ]
    )

    assert merged == {"tools": {"listChanged": True}, "prompts": {}, "resources": {"subscribe": True}}


def test_where_servers_are_late_the_lists_are_said_to_change() -> None:
    assert growing({"prompts": {}, "logging": {}}) == {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "logging": {},
    }


def test_the_version_is_the_oldest_that_one_of_the_servers_speaks() -> None:
    said = {"new": {"protocolVersion": "2025-11-25"}, "old": {"protocolVersion": "2025-03-26"}}

    result = json.loads(introduction(said, {}, b'{"protocolVersion":"2025-11-25"}', "ours", "1.0"))

    assert result["protocolVersion"] == "2025-03-26"
    assert result["serverInfo"] == {"name": "synartesis", "version": "1.0"}


def test_instructions_are_joined_under_each_name_and_ours_come_last() -> None:
    said = {
        "a": {"protocolVersion": "2025-06-18", "instructions": "Be kind."},
        "b": {"protocolVersion": "2025-06-18", "instructions": "x" * 9000},
    }

    text = json.loads(introduction(said, {}, b"{}", "ours", "1.0"))["instructions"]

    assert text.startswith("[a] Be kind.\n\n[b] xxx")
    assert text.endswith("\n\nours")
    assert len(text) < 5000


def test_a_version_that_never_existed_is_not_usable() -> None:
    assert usable_version("2024-11-05")
    assert not usable_version("1999-01-01")
    assert not usable_version(None)


def test_a_merged_list_keeps_the_items_bytes_and_the_most_careful_caching() -> None:
    rests = [
        {"ttlMs": b"5000", "cacheScope": b'"public"', "resultType": b'"complete"'},
        {"ttlMs": b"100", "cacheScope": b'"private"'},
    ]

    merged = merged_result(TOOLS, [b'{"name":"a","n":1.10}', b'{"name":"b"}'], [dict(rest) for rest in rests])

    assert b'"tools":[{"name":"a","n":1.10},{"name":"b"}]' in merged
    assert json.loads(merged)["ttlMs"] == 100
    assert json.loads(merged_result(TOOLS, [], rests, whole=False))["ttlMs"] == 0
    assert json.loads(merged)["cacheScope"] == "private"
    assert json.loads(merged)["resultType"] == "complete"
