"""`doctor`: each thing that can be wrong with a set-up, and the command that mends it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from synartesis.domain.records import NewRun
from synartesis.domain.status import Era, RunKind
from synartesis.journal import open_journal
from synartesis.workspace.bare_path import BARE_PATH
from tests.cli.desk import ALIVE, Desk, Ran, too_wide

TOY = f'{{command: {json.dumps(sys.executable)}, args: ["-m", "synartesis.demo.toy_crm", "--state", "crm.json"]}}'


def manifest(server: str = TOY, *, match: str = "crm.*", name: str = "crm") -> str:
    return f'version: 1\nservers:\n  {name}: {server}\ntools:\n  - {{match: "{match}", class: irreversible}}\n'


@pytest.fixture
def sound(desk: Desk) -> Desk:
    """A set-up with nothing wrong: a manifest that works, and Cursor behind the proxy."""
    desk.manifest.write_text(manifest(), encoding="utf-8")
    (Path(os.environ["HOME"]) / ".cursor").mkdir(parents=True)
    assert desk.run("connect", "cursor", "--yes").code == 0
    return desk


def wrong(ran: Ran) -> list[tuple[str, str, str]]:
    return [(each["about"], each["text"], each["mend"]) for each in ran.json["remarks"] if each["severity"] == "wrong"]


def test_a_sound_set_up_is_called_so(sound: Desk) -> None:
    ran = sound.run("doctor")
    shape = sound.run("doctor", "--json").json

    assert ran.code == 0, ran.said
    assert "All well." in ran.out
    assert "server crm: starts, 7 tools" in ran.said
    assert shape["ok"] is True
    assert not sound.journal.exists(), "looking makes no journal"


def test_nothing_at_all_is_told_with_where_to_begin(desk: Desk) -> None:
    desk.manifest.unlink()

    ran = desk.run("doctor")

    assert ran.code == 1
    assert "mend: synartesis init NAME -- COMMAND" in ran.said
    assert "mend: synartesis connect CLIENT" in ran.said
    assert "approver setup" not in ran.said, "there is no journal yet that it could be for"
    assert "2 things are wrong." in ran.out


def test_a_manifest_with_mistakes_is_told_with_all_of_them(sound: Desk) -> None:
    sound.manifest.write_text(manifest().replace("irreversible", "irreversibel") + "oops: 1\n", encoding="utf-8")

    found = wrong(sound.run("doctor", "--json"))

    assert found[0][0] == "manifest"
    assert "irreversibel" in found[0][1]
    assert "oops" in found[0][1]


def test_the_caret_under_a_mistake_stands_where_it_does_in_check(sound: Desk) -> None:
    """The line is long, and the mistake is at the end of it."""
    rule = '{match: "crm.*", class: irreversible, note: "a long note, and a longer one, and the mistake", gate: alwys}'
    sound.manifest.write_text(f"version: 1\nservers: {{crm: {TOY}}}\ntools:\n  - {rule}\n", encoding="utf-8")

    check, doctor = sound.run("check").err.split("\n"), sound.run("doctor").out.split("\n")

    for lines in (check, doctor):
        at, excerpt = next((at, line) for at, line in enumerate(lines) if "gate: alwys" in line)
        assert lines[at + 1].index("^") == excerpt.index("alwys")
        assert len(excerpt) <= 80


def test_what_a_doctor_says_fits_into_eighty_columns(sound: Desk) -> None:
    sound.manifest.write_text(manifest().replace("irreversible", "irreversibel"), encoding="utf-8")
    assert [] == too_wide(sound.run("doctor").out)
    sound.manifest.write_text(manifest("{command: no-such-command-anywhere, args: [--with, a, --few, words]}"))
    assert [] == too_wide(sound.run("doctor").out)


def test_a_server_that_does_not_start_is_told_with_its_last_words(sound: Desk) -> None:
    words = "import sys; print('no licence', file=sys.stderr); sys.exit(3)"
    sound.manifest.write_text(manifest(f"{{command: {sys.executable}, args: ['-c', {json.dumps(words)}]}}"))

    ran = sound.run("doctor")

    assert ran.code == 1
    assert "exit code 3" in ran.said
    assert "no licence" in ran.said
    assert "try it by itself, and correct its entry (synartesis.yaml:" in ran.said
    assert f"\n           {sys.executable} -c" in ran.out, "on a line of its own, to be pasted"


def test_a_command_that_only_a_shell_finds_is_wrong_where_a_desktop_client_needs_it(
    sound: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "tools" / "crm-server"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m synartesis.demo.toy_crm --state crm.json\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    sound.manifest.write_text(manifest("{command: crm-server}"))

    (about, text, mend), *others = wrong(sound.run("doctor", "--json"))

    assert not others
    assert about == "server crm"
    assert text == f"crm-server is found here, but not with the PATH that desktop programs have ({BARE_PATH})"
    assert f'env: {{PATH: "{tool.parent}:${{PATH}}"}}' in mend
    sound.manifest.write_text(manifest(f'{{command: crm-server, env: {{PATH: "{tool.parent}:${{PATH}}"}}}}'))
    assert sound.run("doctor").code == 0, "what it says does mend it"


def test_a_script_whose_interpreter_only_a_shell_finds_is_noticed_as_well(
    sound: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As npx is: found by its whole path, and then looks for node along PATH."""
    runner = tmp_path / "tools" / "some-node"
    runner.parent.mkdir()
    runner.symlink_to(sys.executable)
    script = tmp_path / "server"
    script.write_text(
        "#!/usr/bin/env some-node\nimport sys\nfrom synartesis.demo.toy_crm import main\n"
        "sys.argv[1:] = ['--state', 'crm.json']\nmain()\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runner.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    sound.manifest.write_text(manifest(f"{{command: {script}}}"))

    [(_, text, mend)] = wrong(sound.run("doctor", "--json"))

    assert text.startswith("some-node is found here, but not")
    assert str(runner.parent) in mend


def test_a_journal_that_cannot_be_used_is_told(sound: Desk) -> None:
    sound.journal.write_bytes(b"not a journal at all, but something else")

    [(about, text, mend)] = wrong(sound.run("doctor", "--json"))

    assert about == "journal"
    assert "is not a journal" in text
    assert "--journal" in mend


def test_a_place_in_which_no_journal_can_be_made_is_told(sound: Desk) -> None:
    ran = sound.run("doctor", "--json", "--journal", str(sound.manifest / "journal.db"))

    [(about, text, _)] = wrong(ran)
    assert about == "journal"
    assert f"cannot be made: {sound.manifest} is not a folder that can be written" in text


def test_tools_without_a_rule_are_told_with_the_command_that_drafts_them(sound: Desk) -> None:
    sound.manifest.write_text(manifest(match="crm.send_*"))

    [(about, text, mend)] = wrong(sound.run("doctor", "--json"))

    assert about == "server crm"
    assert text.startswith("6 tools without a rule, so every call is held: ")
    assert text.endswith(" and 1 more")
    assert mend.startswith("synartesis init crm --manifest ")
    assert sound.run(*mend.split()[1:]).code == 0
    assert sound.run("doctor").code == 0, "what it says does mend it"


def test_a_client_that_goes_past_the_proxy_is_told(desk: Desk) -> None:
    desk.manifest.write_text(manifest(), encoding="utf-8")
    file = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {"crm": {"command": "crm-server"}}}')

    [(about, text, mend)] = wrong(desk.run("doctor", "--json"))

    assert (about, text) == ("client Cursor", "past the proxy: crm")
    assert mend.startswith("synartesis connect cursor")


def test_a_client_whose_file_cannot_be_read_is_told_with_the_place(sound: Desk) -> None:
    file = Path(os.environ["HOME"]) / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {,}}')

    [(about, text, _)] = wrong(sound.run("doctor", "--json"))

    assert about == "client Gemini CLI"
    assert f"{file}:1:17:" in text


def test_an_entry_that_starts_what_is_not_there_any_more_is_told(sound: Desk) -> None:
    file = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    entries = json.loads(file.read_text())
    entries["mcpServers"]["crm"]["command"] = "/gone/synartesis-proxy"
    file.write_text(json.dumps(entries))
    sound.manifest.write_text(manifest(name="renamed", match="renamed.*"))

    found = wrong(sound.run("doctor", "--json"))

    assert [text for _, text, _ in found] == [
        "crm starts /gone/synartesis-proxy, which is not there",
        f"crm asks for the server crm, which {sound.manifest} does not name",
    ]
    assert all(f"correct it by hand, in {file}:1" in mend for _, _, mend in found), "`disconnect` would not touch it"


def test_what_connect_wrote_is_connected_anew_by_the_command_that_is_printed(
    sound: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the private environment was moved."""
    moved = sound.folder / "moved"
    moved.write_text("#!/bin/sh\n")
    record = next(Path(os.environ["HOME"]).joinpath(".synartesis", "connected").glob("cursor-*.json"))
    file = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    old = json.loads(file.read_text())["mcpServers"]["crm"]["command"]
    for each in (record, file):
        each.write_text(each.read_text().replace(json.dumps(old), json.dumps("/gone/synartesis-proxy")))

    [(_, text, mend)] = wrong(sound.run("doctor", "--json"))
    first, second = mend.split(" && ")

    assert text == "crm starts /gone/synartesis-proxy, which is not there"
    for command in (first, second):
        assert command.startswith("synartesis ")
        assert sound.run(*command.split()[1:], "--yes").code == 0
    assert sound.run("doctor").code == 0, "what it says does mend it"


def test_servers_that_cannot_go_behind_the_proxy_are_named_as_going_past_it(sound: Desk) -> None:
    file = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    entries = json.loads(file.read_text())
    entries["mcpServers"] |= {"docs": {"url": "https://docs.example/mcp"}, "all": {"command": "npx -y some-server"}}
    file.write_text(json.dumps(entries))

    said = sound.run("doctor").said

    assert "note client Cursor: past the proxy: docs, because it is a remote server" in said
    assert "note client Cursor: past the proxy: all, because its command is a whole command line" in said
    assert "mend: put the program into command, the rest into args" in said


def test_a_proxy_that_runs_an_older_manifest_is_told(sound: Desk) -> None:
    async def run(digest: str) -> None:
        new = NewRun(digest[:12], RunKind.AGENT, "", str(sound.manifest), digest, (), ALIVE)
        await journal.open_run(new)
        await journal.record_opening(new.id, Era.HANDSHAKE, b"{}", "cursor 1.0")

    journal = open_journal(sound.journal)
    asyncio.run(run("0" * 64))
    journal.close()

    [(about, text, mend)] = wrong(sound.run("doctor", "--json"))

    assert about == "run 000000000000"
    assert text.startswith("cursor 1.0 runs the manifest as it was when it started")
    assert mend == "restart that client"
