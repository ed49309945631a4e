"""Clients' files, however they are written: understood, changed, taken back. What matters is what was *not* meant to change."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.onboard.configs.config import Config, NotUnderstood, Splice, apply, reversed_splices
from synartesis.onboard.configs.jsonc import read_json
from synartesis.onboard.configs.toml import read_toml
from synartesis.onboard.edits import Move, put_behind, take_back

read_j: Callable[[str], Config] = partial(read_json, name="mcp.json")
read_t: Callable[[str], Config] = partial(read_toml, name="config.toml")

PROXY = ("/opt/synartesis-proxy", ("--server", "s", "--manifest", "/home/ada/my files/synartesis.yaml"))

names = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | names
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=12
)
servers = st.dictionaries(
    names,
    st.fixed_dictionaries(
        {"command": names}, optional={"args": st.lists(names, max_size=3), "env": values, "x": values}
    ),
    max_size=3,
)
documents = st.fixed_dictionaries({}, optional={"mcpServers": servers, "a": values, "z": values}).flatmap(
    lambda document: st.permutations(list(document.items())).map(dict)
)
blanks = st.lists(
    st.sampled_from([" ", "\t", "\n", "\r\n", '// "}{\n', "/* a */", "/*\n// */", '//,"mcpServers": {\r\n']), max_size=3
).map("".join)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value in JSON as a person may write it."""

    def blank() -> str:
        return draw(blanks)

    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        pieces = [
            (blank() + json.dumps(key) + blank() + ":" if key is not None else "")
            + blank()
            + draw(written(item))
            + blank()
            for key, item in pairs
        ]
        with_comma = draw(st.booleans())
        trailing = "," + blank() if pieces and with_comma else ""
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return opening + blank() + ",".join(pieces) + trailing + blank() + closing
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def moves_for(found: Config, table: str, *, add: bool) -> list[Move]:
    entries = found.data.get(table, {})
    command, args = PROXY
    moves = [Move((table, name), "s", command, args) for name in entries]
    if add and "a new one" not in entries:
        moves.append(Move((table, "a new one"), "s", command, args, (("type", "stdio"),)))
    return moves


@given(documents.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_json_is_read_as_what_it_says_whatever_stands_between(case: tuple[dict[str, Any], str]) -> None:
    value, text = case

    assert read_j(text).data == value


@given(values)
def test_every_leaf_stands_where_it_is_said_to_stand(value: Any) -> None:
    text = json.dumps({"root": value}, indent=1)

    for _, (start, end) in read_j(text).leaves(()):
        json.loads(text[start:end])


@given(documents.flatmap(written), st.booleans())
def test_connecting_and_disconnecting_json_is_exact_and_changes_only_the_entries(text: str, add: bool) -> None:
    before = read_j(text)

    edited = put_behind(text, moves_for(before, "mcpServers", add=add), read_j)
    back = take_back(edited.text, [edited.step], read_j)

    assert edited.text is not None
    assert (back.text, back.is_exact) == (text, True)
    after = read_j(edited.text).data
    assert {key: value for key, value in after.items() if key != "mcpServers"} == {
        key: value for key, value in before.data.items() if key != "mcpServers"
    }
    for name, entry in before.data.get("mcpServers", {}).items():
        assert after["mcpServers"][name] == entry | {"command": PROXY[0], "args": list(PROXY[1])}


@given(documents.flatmap(written), st.booleans())
def test_where_somebody_else_changed_the_file_the_rest_comes_back_all_the_same(text: str, add: bool) -> None:
    before = read_j(text)
    edited = put_behind(text, moves_for(before, "mcpServers", add=add), read_j)
    assert edited.text is not None
    meanwhile = edited.text + " // a person was here"

    back = take_back(meanwhile, [edited.step], read_j)

    assert back.text is not None
    assert read_j(back.text).data == before.data
    assert back.text.endswith("// a person was here")
    assert not back.kept


@given(documents.flatmap(written))
def test_a_file_written_anew_by_its_client_comes_back_in_meaning(text: str) -> None:
    """As the client of the most used one does, all the time."""
    before = read_j(text)
    edited = put_behind(text, moves_for(before, "mcpServers", add=True), read_j)
    assert edited.text is not None
    anew = json.dumps(dict(read_j(edited.text).data), indent=2)

    back = take_back(anew, [edited.step], read_j)

    assert back.text is not None
    assert read_j(back.text).data == before.data


@given(st.text(st.sampled_from('{}[]",:/*\\ \n\ta1-.e'), max_size=30))
def test_what_is_not_json_is_refused_and_what_is_means_the_same_as_elsewhere(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=str)
    except ValueError:
        expected = None
    try:
        found = read_j(text).data
    except NotUnderstood:
        assert not isinstance(expected, dict)
    else:
        assert expected is None or found == expected


@pytest.mark.parametrize(
    "text, where",
    [
        ('{"a": 1 "b": 2}', ":1:9: a `,` or `}`"),
        ('{\n  "a": tru\n}', ":2:8: a value is missing"),
        ("{'a': 1}", ":1:2: a key in double quotes"),
        ('{"a": "x\n"}', ":1:7: this text is not closed"),
        ('{"a": 1', ":1:8: a `,` or `}`"),
        ('{"a":', ":1:6: the file ends"),
        ("[1]", ":1:1: the file should hold an object"),
        ("{} {}", ":1:4: the file should end"),
        ("{} /* x", ":1:4: this comment is not closed"),
        ('{"a": ' + "[" * 200, ":1:107: this is nested too deeply"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, where: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        read_j(text)

    assert f"mcp.json{where}" in refused.value.message
    assert "nothing was changed" in refused.value.hint


def test_a_key_that_is_there_twice_is_refused_where_it_matters() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}, "other": 1, "mcpServers": {}, "other": 2}'

    with pytest.raises(NotUnderstood, match=r'mcp.json:1:\d+: "mcpServers" is there twice'):
        put_behind(text, [Move(("mcpServers", "a"), "s", *PROXY)], read_j)


TOML = [
    "",
    "# only a comment",
    'a = 1\r\n[b]\r\nc = "d"\r\n',
    '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nK = "v"\n\n[last]\n',
    'mcp_servers.a.command = "x"\nmcp_servers."b.c" = {command = \'y\', args = ["1", \'2\'], env = {K = "v"}}\n',
    '[mcp_servers]\na.command = """\nx"""\na.args = [ # one\n  "1", # two\n]\n',
    '[[list]]\nmcp_servers = 1\n[[list.more]]\n[mcp_servers]\n  [mcp_servers.a]\n    args=["1",]\n    command="x"#end',
    "when = 2026-11-30 08:00:00\nhow = [[1, 2], [{x = 1}]]\n\n[mcp_servers.'q u\"o']\ncommand = 'x'\n\n\n# the end\n",
]


@pytest.mark.parametrize("text", TOML)
def test_toml_changes_only_where_it_should_and_comes_back_exactly(text: str) -> None:
    before = tomllib.loads(text)

    edited = put_behind(text, moves_for(read_t(text), "mcp_servers", add=True), read_t)
    back = take_back(edited.text, [edited.step], read_t)

    assert (back.text, back.is_exact) == (text, True)
    assert edited.text is not None
    after = tomllib.loads(edited.text)
    assert {key: value for key, value in after.items() if key != "mcp_servers"} == {
        key: value for key, value in before.items() if key != "mcp_servers"
    }
    for name, entry in before.get("mcp_servers", {}).items():
        assert after["mcp_servers"][name] == entry | {"command": PROXY[0], "args": list(PROXY[1])}


@pytest.mark.parametrize("text", TOML)
def test_toml_that_somebody_else_changed_comes_back_all_the_same(text: str) -> None:
    edited = put_behind(text, moves_for(read_t(text), "mcp_servers", add=True), read_t)
    assert edited.text is not None
    separator = "" if edited.text.endswith("\n") else "\n"

    back = take_back(f"{edited.text}{separator}[zz]\nby = 'a person'\n", [edited.step], read_t)

    assert back.text is not None
    assert tomllib.loads(back.text) == tomllib.loads(text) | {"zz": {"by": "a person"}}


def test_toml_that_cannot_be_changed_without_risk_is_refused() -> None:
    with pytest.raises(NotUnderstood, match=r"config\.toml"):
        put_behind("mcp_servers = {}\n", [Move(("mcp_servers", "a"), "s", *PROXY)], read_t)


@given(st.text(max_size=20), st.data())
def test_splices_reversed_give_the_text_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = list(zip(cuts[::2], cuts[1::2], strict=False))
    splices = [Splice(start, text[start:end], data.draw(st.text(max_size=4))) for start, end in pieces]

    assert apply(apply(text, splices), reversed_splices(splices)) == text


def test_a_step_that_was_never_written_is_forgotten_and_one_with_its_file_gone_is_told() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}}'
    edited = put_behind(text, [Move(("mcpServers", "a"), "s", *PROXY)], read_j)

    never = take_back(text, [edited.step], read_j)
    gone = take_back(None, [edited.step], read_j)

    assert (never.text, never.is_exact) == (text, True)
    assert gone.kept == (("a", "the file is gone"),)
