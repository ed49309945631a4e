"""Which entries of a client can go behind the proxy, and the reason that is given for each of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synartesis.onboard.clients import Around, Client, Table, find_client, understand
from synartesis.onboard.entries import Entry, is_proxy, looks_secret, read_entries, variables

HOME = Path("/home/ada")
PROJECT = Path("/work/shop")


def client(name: str) -> Client:
    found = find_client(name)
    assert found is not None
    return found


def read(name: str, fields: Any, *, project: Path | None = None) -> Entry:
    of = client(name)
    found = understand(of, json.dumps({of.key: {"crm": fields}}), "file")
    [entry] = read_entries(of, found, Table((of.key,), project), Around(HOME, PROJECT, {}))
    return entry


@pytest.mark.parametrize(
    "name, fields, why",
    [
        ("cursor", "text", "not a table"),
        ("cursor", {"url": "https://x"}, "remote"),
        ("gemini", {"httpUrl": "https://x"}, "remote"),
        ("claude-code", {"type": "sse", "command": "x"}, "remote"),
        ("cursor", {"args": []}, "has no command"),
        ("cursor", {"command": "x", "args": "y"}, "not a list of texts"),
        ("cursor", {"command": "x", "args": [1]}, "not a list of texts"),
        ("cursor", {"command": "x", "env": ["A=b"]}, "env is not a table"),
        ("cursor", {"command": "x", "args": ["${env:KEY}"]}, "${env:KEY}, which only Cursor fills in"),
        ("claude-code", {"command": "${TOOL:-x}"}, "${TOOL:-x}, which only Claude Code fills in"),
        ("gemini", {"command": "x", "args": ["$KEY"]}, "$KEY, which only Gemini CLI fills in"),
        ("cursor", {"command": "x", "args": ["./data"]}, "./data, which is relative to wherever Cursor was started"),
        ("cursor", {"command": "x", "args": ["--data=../d"]}, "--data=../d, which is relative"),
        ("cursor", {"command": "bin/x"}, "bin/x, which is relative"),
        ("cursor", {"command": "x", "cwd": "data"}, "its cwd data is relative"),
        ("cursor", {"command": "npx -y x"}, "a whole command line"),
        ("vscode", {"command": "x", "sandboxEnabled": True}, "sandbox"),
    ],
)
def test_what_cannot_go_behind_the_proxy_is_left_with_a_reason(name: str, fields: Any, why: str) -> None:
    entry = read(name, fields)

    assert entry.kind in ("odd", "remote")
    assert why in entry.why


@pytest.mark.parametrize(
    "name, fields, project, expected",
    [
        ("cursor", {"command": "npx", "args": ["-y", "@scope/x"]}, None, ("npx", ("-y", "@scope/x"), None)),
        ("cursor", {"command": "x", "args": ["${userHome}/d"]}, None, ("x", ("/home/ada/d",), None)),
        ("claude-code", {"command": "x", "args": ["${HOME}/d"]}, None, ("x", ("/home/ada/d",), None)),
        ("claude-desktop", {"command": "x", "args": ["${HOME}"]}, None, ("x", ("${HOME}",), None)),
        ("codex", {"command": "x", "cwd": "/data", "args": ["./d"]}, None, ("x", ("./d",), Path("/data"))),
        ("vscode", {"command": "x", "args": ["${workspaceFolder}/d"]}, PROJECT, ("x", ("/work/shop/d",), PROJECT)),
        ("vscode", {"command": "./x", "cwd": "sub"}, PROJECT, ("./x", (), PROJECT / "sub")),
    ],
)
def test_what_is_known_of_the_clients_own_variables_is_filled_in(
    name: str, fields: Any, project: Path | None, expected: tuple[str, tuple[str, ...], Path | None]
) -> None:
    if name == "codex":
        text = "[mcp_servers.crm]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())
        found = understand(client(name), text, "file")
        [entry] = read_entries(client(name), found, Table(("mcp_servers",), None), Around(HOME, PROJECT, {}))
    else:
        entry = read(name, fields, project=project)

    assert entry.kind == "server", entry.why
    assert (entry.command, entry.args, entry.cwd) == expected


@pytest.mark.parametrize(
    "command, args, ours",
    [
        ("/opt/bin/synartesis-proxy", [], True),
        ("synartesis", ["proxy", "--server", "x"], True),
        ("/usr/bin/python3", ["-m", "synartesis", "proxy"], True),
        ("synartesis", ["demo"], False),
        ("npx", ["synartesis-proxy"], False),
        ("python3", ["-m", "synartesis.demo.toy_crm"], False),
        (None, [], False),
    ],
)
def test_our_own_entries_are_known(command: Any, args: list[str], ours: bool) -> None:
    assert is_proxy(command, args) is ours


@pytest.mark.parametrize(
    "args, found",
    [
        (("-y", "some-server", "/data"), None),
        (("--api-key", "abc"), "--api-key"),
        (("--token=abc",), "--token"),
        (("GITHUB_TOKEN=abc",), "GITHUB_TOKEN"),
        (("postgres://me:pw@host/db",), "one that looks like a key or a password"),
        (("postgres://host/db",), None),
        (("sk-abcdefghij",), "one that looks like a key or a password"),
        (("--tokenizer", "x"), None),
        (("task-list",), None),
    ],
)
def test_arguments_that_look_secret_are_noticed_and_never_quoted(args: tuple[str, ...], found: str | None) -> None:
    assert looks_secret(args) == found


def test_what_a_client_sets_is_read_as_far_as_it_can_be_known() -> None:
    env = {"A": "plain", "B": "${env:HOST}", "C": "${NONE:-other}", "D": "${input:key}", "E": "pre${HOST}", "F": 1}
    fields = {"env": env}

    cursor = variables(client("cursor"), fields, {"HOST": "h"})
    gemini = variables(client("gemini"), {"env": {"A": "$HOST", "B": "costs 5$"}}, {"HOST": "h"})
    desktop = variables(client("claude-desktop"), {"env": {"A": "${HOST}"}}, {"HOST": "h"})

    assert cursor == {"A": "plain", "B": "h", "C": "other"}
    assert gemini == {"A": "h", "B": "costs 5$"}
    assert desktop == {"A": "${HOST}"}, "this client hands on what stands there"
