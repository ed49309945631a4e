"""`connect` and `disconnect` on real files of every client, in a home of its own. The servers are really started."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from synartesis.onboard.clients import CLIENTS, Around, Client, find_client, understand
from synartesis.onboard.entries import is_proxy
from tests.cli.desk import Desk, too_wide

CORPUS = Path(__file__).parents[1] / "corpus" / "clients"
VARIANTS = ["empty", "comments", "unknown"]
TOY = ["-m", "synartesis.demo.toy_crm", "--state"]

HOME_MANIFEST = f"""\
version: 1
servers:
  notes:
    command: {json.dumps(sys.executable)}
    args: ["-m", "synartesis.demo.toy_crm", "--state", "notes.json"]
tools:
  - match: "notes.get_*"
    class: readonly
"""


class Setup(NamedTuple):
    desk: Desk
    home: Path

    @property
    def manifest(self) -> Path:
        return self.home / ".synartesis" / "synartesis.yaml"

    def file_of(self, name: str) -> Path:
        client = find_client(name)
        assert client is not None
        return client.places(self.around)[0].file

    @property
    def around(self) -> Around:
        return Around(self.home, Path.cwd(), os.environ, is_mac=sys.platform == "darwin")

    def write(self, client: str, text: str) -> Path:
        """The client's own file."""
        path = self.file_of(client)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.filled_in(text).encode())
        return path

    def fixture(self, client: str, variant: str) -> Path:
        [source] = (CORPUS / client).glob(f"{variant}.*")
        return self.write(client, source.read_bytes().decode())

    def filled_in(self, text: str) -> str:
        return text.replace("@python@", sys.executable).replace("@home@", str(self.home))


@pytest.fixture
def setup(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A home in which only a manifest with one server is; no manifest in the current folder."""
    for moved in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(moved, raising=False)
    desk.manifest.unlink()
    home = Path(os.environ["HOME"])
    made = Setup(desk, home)
    made.manifest.parent.mkdir(parents=True)
    made.manifest.write_text(HOME_MANIFEST, encoding="utf-8")
    (home / "no-args").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m synartesis.demo.toy_crm --state "{home}/n.json"\n'
    )
    (home / "no-args").chmod(0o755)
    return made


def parsed(client: Client, path: Path) -> dict[str, Any]:
    text = path.read_bytes().decode()
    return dict(tomllib.loads(text) if client.syntax == "toml" else understand(client, text, path.name).data)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_connect_and_disconnect_leave_the_file_byte_for_byte_what_it_was(
    setup: Setup, client: Client, variant: str
) -> None:
    path = setup.fixture(client.name, variant)
    before = path.read_bytes()

    connected = setup.desk.run("connect", client.name, "--yes")

    assert connected.code == 0, connected.said
    servers = parsed(client, path)[client.key]
    behind = [name for name, entry in servers.items() if is_proxy(entry.get("command"), entry.get("args"))]
    assert behind == (
        ["notes"]
        if variant == "empty"
        else [name for name in servers if name in ("crm", "second", "c.r__m", "no-args", "second one")]
    )
    assert path.with_name(path.name + ".before-synartesis").read_bytes() == before
    assert setup.desk.run("check", "--manifest", str(setup.manifest)).code == 0, "what was drafted works"

    disconnected = setup.desk.run("disconnect", client.name, "--yes")

    assert disconnected.code == 0, disconnected.said
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in path.parent.iterdir() if path.name in entry.name) == [path.name]
    assert not (setup.home / ".synartesis" / "connected").exists()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_what_a_person_changed_meanwhile_stays(setup: Setup, client: Client) -> None:
    path = setup.fixture(client.name, "unknown")
    before = path.read_bytes()
    assert setup.desk.run("connect", client.name, "--yes").code == 0
    path.write_bytes(path.read_bytes().replace(b'"dark"', b'"light, as I like it"'))

    disconnected = setup.desk.run("disconnect", client.name, "--yes")

    assert disconnected.code == 0, disconnected.said
    if b'"dark"' in before:
        assert path.read_bytes() == before.replace(b'"dark"', b'"light, as I like it"')
        assert "is kept, because the file changed since" in disconnected.said
    else:
        assert path.read_bytes() == before


def test_an_entry_that_somebody_else_changed_since_is_left_to_them(setup: Setup) -> None:
    path = setup.fixture("claude-desktop", "comments")
    setup.desk.run("connect", "claude-desktop", "--yes")
    file = path.read_text(encoding="utf-8")
    theirs = file.replace('["--server", "second",', '["--log-level", "debug", "--server", "second",')
    assert theirs != file
    path.write_text(theirs, encoding="utf-8", newline="")

    disconnected = setup.desk.run("disconnect", "claude-desktop", "--yes")

    assert disconnected.code == 1
    assert "second" in disconnected.said
    assert "no longer is what we wrote" in disconnected.said
    assert '"--log-level", "debug"' in path.read_text(encoding="utf-8")
    assert '"crm": {"command": ' + json.dumps(sys.executable) in path.read_text(encoding="utf-8")


def test_a_file_that_was_not_there_is_gone_again(setup: Setup) -> None:
    path = setup.file_of("codex")

    assert setup.desk.run("connect", "codex", "--server", "notes", "--yes").code == 0
    assert list(tomllib.loads(path.read_text())["mcp_servers"]) == ["notes"]
    said = setup.desk.run("disconnect", "codex", "--yes").said

    assert "gone again" in said
    assert not path.exists()


def test_two_steps_are_taken_back_together_or_one_by_one(setup: Setup) -> None:
    path = setup.fixture("claude-desktop", "comments")
    before = path.read_bytes()
    for name in ("crm", "second"):
        assert setup.desk.run("connect", "claude-desktop", "--server", name, "--yes").code == 0
    assert setup.desk.run("disconnect", "claude-desktop", "--server", "crm", "--yes").code == 0
    assert b'"synartesis-proxy"' not in path.read_bytes()
    assert b"--server" in path.read_bytes()

    assert setup.desk.run("disconnect", "claude-desktop", "--yes").code == 0

    assert path.read_bytes() == before


def test_the_difference_is_shown_first_and_nothing_secret_is_in_it(setup: Setup) -> None:
    path = setup.fixture("claude-code", "unknown")
    before = path.read_bytes()

    shown = setup.desk.run("connect", "claude-code", "--dry-run")

    assert shown.code == 0
    assert f'-      "command": "{sys.executable}",' in shown.out
    assert '+      "args": ["--server", "crm", "--manifest",' in shown.out
    assert "not-to-be" not in shown.out
    assert "ada@example.org" not in shown.out
    assert "its own shell, edit and web tools" in shown.said, "what stays uncovered"
    assert "notion: it is a remote server" in shown.said
    assert "/somewhere/else" in shown.said
    assert path.read_bytes() == before
    assert setup.manifest.read_text() == HOME_MANIFEST
    assert not (setup.home / ".synartesis" / "connected").exists()


def test_no_secret_gets_into_another_file(setup: Setup) -> None:
    path = setup.fixture("claude-code", "unknown")
    path.chmod(0o600)

    assert setup.desk.run("connect", "claude-code", "--yes").code == 0

    copy = path.with_name(".claude.json.before-synartesis")
    holding = {each for each in setup.home.rglob("*") if each.is_file() and "not-to-be" in each.read_text()}
    assert holding == {path, copy}
    assert 'CRM_TOKEN: "${CRM_TOKEN}"' in setup.manifest.read_text()
    for private in holding:
        assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_secret_argument_is_not_copied_to_where_more_people_can_read_it(setup: Setup) -> None:
    path = setup.write(
        "cursor", '{"mcpServers": {"db": {"command": "@python@", "args": ["-m", "x", "postgres://me:pw@db/x"]}}}'
    )
    path.chmod(0o600)
    setup.manifest.chmod(0o644)

    ran = setup.desk.run("connect", "cursor", "--yes")

    assert ran.code == 1
    assert "seem to hold a secret" in ran.said
    assert f"chmod 600 {setup.manifest}" in ran.said
    assert "pw@db" not in setup.manifest.read_text()


def test_in_a_pipe_nothing_is_changed_without_yes(setup: Setup) -> None:
    path = setup.fixture("gemini", "unknown")
    before = path.read_bytes()

    ran = setup.desk.run("connect", "gemini")

    assert ran.code == 2
    assert "--yes" in ran.err
    assert path.read_bytes() == before


BROKEN = {
    "claude-code": (
        '{\n  "mcpServers": {\n    "crm": {"command": "x" "args": []}\n  }\n}\n',
        ":3:28: a `,` or `}` is missing",
    ),
    "vscode": ('{"servers": {"crm": {"command": "x}}}', ":1:33: this text is not closed"),
    "codex": ("[mcp_servers.crm]\ncommand = x\n", ":2:11: invalid value"),
    "cursor": ('{"mcpServers": [1]}', None),
}


@pytest.mark.parametrize("client", BROKEN)
def test_a_file_with_a_mistake_is_refused_with_line_and_column_and_left(setup: Setup, client: str) -> None:
    text, where = BROKEN[client]
    path = setup.write(client, text)

    ran = setup.desk.run("connect", client, "--server", "notes", "--yes")

    assert ran.code == 2
    if where is not None:
        assert f"{path}{where}" in ran.err.replace("\n  ", " "), ran.err
        assert "mend the file, then try again" in ran.said
    assert "nothing was changed" in ran.said or "should be an object" in ran.said
    assert path.read_text() == text


def test_a_wrong_server_command_is_named_and_left_and_the_others_go(setup: Setup) -> None:
    toy = json.dumps([*TOY, str(setup.home / "crm.json")])
    setup.write(
        "cursor", f'{{"mcpServers": {{"crm": {{"command": "@python@", "args": {toy}}}, "typo": {{"command": "nqx"}}}}}}'
    )

    ran = setup.desk.run("connect", "cursor", "--yes")

    assert ran.code == 0
    assert 'typo: server "typo" cannot be started: there is no command nqx in PATH' in ran.said
    assert "crm:" in setup.manifest.read_text()
    assert "typo" not in setup.manifest.read_text()


def test_a_server_that_only_the_client_could_start_is_left_with_the_reason(setup: Setup) -> None:
    setup.write(
        "vscode",
        '{"servers": {"a": {"command": "npx", "args": ["${input:key}"]}, "b": {"command": "./b"},'
        ' "c": {"command": "npx -y c"}, "d": {"command": "npx", "sandboxEnabled": true}}}',
    )

    ran = setup.desk.run("connect", "vscode", "--server", "a", "--server", "b", "--server", "c", "--server", "d")

    assert ran.code == 1
    for words in (
        "${input:key}, which only VS Code fills in",
        "./b, which is relative",
        "whole command line",
        "sandbox",
    ):
        assert words in ran.said


def test_what_the_client_sets_for_its_server_is_there_for_an_undo_as_well(setup: Setup) -> None:
    """The server answers only with its token, which stands in the client's file and nowhere else."""
    server = setup.home / "needs-token"
    server.write_text(
        f'#!/bin/sh\n[ "$CRM_TOKEN" = "not-to-be-copied" ] || {{ echo "no token" >&2; exit 7; }}\n'
        f'exec "{sys.executable}" -m synartesis.demo.toy_crm --state "{setup.home}/crm.json"\n'
    )
    server.chmod(0o755)
    setup.write(
        "gemini",
        f'{{"mcpServers": {{"crm": {{"command": "{server}", "env": {{"CRM_TOKEN": "not-to-be-copied"}}}}}}}}',
    )
    assert setup.desk.run("connect", "gemini", "--yes").code == 0

    checked = setup.desk.run("check", "--manifest", str(setup.manifest))

    assert "crm: 7 tools" in checked.said
    setup.desk.run("disconnect", "gemini", "--yes")
    checked = setup.desk.run("check", "--manifest", str(setup.manifest))
    assert "CRM_TOKEN, which is not set" in checked.said


def test_servers_of_this_project_go_behind_the_proxy_with_its_folder(setup: Setup) -> None:
    project = Path.cwd()
    (project / "start").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m synartesis.demo.toy_crm --state crm.json\n')
    (project / "start").chmod(0o755)
    entry = '{"mcpServers": {"crm": {"command": "./start"}}}'
    (project / ".mcp.json").write_text(entry)
    own = setup.write("claude-code", f'{{"projects": {{"{project}": {entry}}}}}')
    before = own.read_bytes()

    ran = setup.desk.run("connect", "claude-code", "--yes")
    foreign = (project / ".mcp.json").read_text()
    named = setup.desk.run("connect", "claude-code", "--config", ".mcp.json", "--yes")

    assert (ran.code, named.code) == (0, 0), ran.said + named.said
    assert foreign == entry, "what comes with a project is not started unless somebody means it"
    assert f"if you trust it: --config {project}/.mcp.json" in ran.said
    assert f'cwd: "{project}"' in setup.manifest.read_text()
    for path in (own, project / ".mcp.json"):
        assert "--manifest" in path.read_text()
    assert (project / "crm.json").exists(), "it was started where it belongs"
    setup.desk.run("disconnect", "claude-code", "--yes")
    assert own.read_bytes() == before
    assert (project / ".mcp.json").read_text() == entry


def test_an_older_copy_is_not_written_over(setup: Setup) -> None:
    path = setup.fixture("cursor", "comments")
    older = path.with_name("mcp.json.before-synartesis")
    older.write_text("kept from another time")

    assert setup.desk.run("connect", "cursor", "--yes").code == 0

    assert older.read_text() == "kept from another time"
    assert path.with_name("mcp.json.before-synartesis-2").exists()
    setup.desk.run("disconnect", "cursor", "--yes")
    assert sorted(each.name for each in path.parent.iterdir()) == ["mcp.json", "mcp.json.before-synartesis"]


def test_a_file_that_was_put_back_by_hand_is_connected_as_if_for_the_first_time(setup: Setup) -> None:
    """Of what `connect` did before, nothing is there any more: it is not taken back, and its copy is of another time."""
    path = setup.fixture("cursor", "comments")
    setup.desk.run("connect", "cursor", "--yes")
    path.write_bytes(path.with_name("mcp.json.before-synartesis").read_bytes() + b"// by hand\n")
    before = path.read_bytes()

    connected = setup.desk.run("connect", "cursor", "--yes")
    copy = path.with_name("mcp.json.before-synartesis-2")
    copied = copy.read_bytes()
    disconnected = setup.desk.run("disconnect", "cursor", "--yes")

    assert f"As it was before: {copy}" in connected.said
    assert copied == before
    assert disconnected.code == 0, disconnected.said
    assert "byte for byte what it was" in disconnected.said
    assert path.read_bytes() == before
    assert not copy.exists()


def test_the_copy_of_the_first_connect_is_called_that_when_another_follows(setup: Setup) -> None:
    path = setup.fixture("claude-desktop", "comments")
    first = setup.desk.run("connect", "claude-desktop", "--server", "crm", "--yes").said
    second = setup.desk.run("connect", "claude-desktop", "--server", "second", "--yes").said

    copy = path.with_name(path.name + ".before-synartesis")
    assert f"As it was before: {copy}" in first
    assert f"As it was before the first connect: {copy}" in second


def test_where_the_clients_folder_cannot_be_made_that_is_said_and_nothing_is_remembered(setup: Setup) -> None:
    setup.file_of("cursor").parent.write_text("a file where a folder should be")

    ran = setup.desk.run("connect", "cursor", "--yes")

    assert ran.code in (1, 2)
    assert "went wrong that should not" not in ran.said
    assert str(setup.file_of("cursor").parent) in ran.err
    assert "nothing of Cursor was connected" in setup.desk.run("disconnect", "cursor").said


def test_a_manifest_of_this_folder_is_offered_to_the_client_whole(setup: Setup) -> None:
    setup.desk.manifest.write_text(HOME_MANIFEST, encoding="utf-8")
    path = setup.write("claude-code", '{"theme": "dark"}')

    assert setup.desk.run("connect", "claude-code", "--yes").code == 0

    entry = json.loads(path.read_text())["mcpServers"]["notes"]
    assert entry["args"][-4:] == ["--server", "notes", "--manifest", str(setup.desk.manifest)]
    assert os.path.isabs(entry["command"])


def test_connecting_twice_does_nothing_the_second_time(setup: Setup) -> None:
    path = setup.fixture("cursor", "comments")
    setup.desk.run("connect", "cursor", "--yes")
    once = path.read_bytes()

    ran = setup.desk.run("connect", "cursor", "--yes")

    assert ran.code == 0
    assert "behind it already: crm" in ran.said
    assert path.read_bytes() == once


def test_wrong_words_are_told_with_the_nearest_right_one(setup: Setup) -> None:
    setup.fixture("cursor", "comments")

    client = setup.desk.run("connect", "curser")
    server = setup.desk.run("connect", "cursor", "--server", "crn")
    nothing = setup.desk.run("disconnect", "cursor")

    assert (client.code, server.code, nothing.code) == (2, 2, 1)
    assert "did you mean cursor?" in client.said
    assert "did you mean crm?" in server.said
    assert "nothing of Cursor was connected" in nothing.said


def test_which_clients_are_here_is_listed(setup: Setup) -> None:
    setup.fixture("cursor", "comments")
    setup.write("gemini", "{")

    ran = setup.desk.run("connect")
    shape = setup.desk.run("connect", "--json").json

    assert "cursor Cursor 1 server, none behind the proxy" in ran.said
    assert "codex Codex CLI not found" in ran.said
    assert "gemini Gemini CLI its file cannot be read" in ran.said
    assert "settings.json:1:2:" in ran.said
    assert [] == too_wide(ran.out)
    assert next(each for each in shape if each["client"] == "cursor")["servers"][0]["behind"] is False
