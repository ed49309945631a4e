"""The story of docs/guide.md, played in an empty home: every transcript on that page is what this saw. `make guide` plays it and
writes the page anew; test_the_guide.py plays it and compares.

The person types on a terminal. The agent is a client that reads its own configuration, starts exactly what stands there, and
names its folder as Claude Code does. The server is the real one: npx takes it from a node_modules folder above the home, so that
it is the version that tests/live/package-lock.json names, and nothing has to be downloaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.client import Client
from tests.support.stranger import put_programs, put_sources
from tests.support.terminal import Terminal
from tests.support.world import ROOT

GUIDE = ROOT / "docs" / "guide.md"
NODE_PACKAGES = ROOT / ".cache" / "node" / "node_modules"

WIDTH = 110
SETTING_UP_S = 100
"""An installation says nothing for as long as pip downloads."""
HOME_ON_THE_PAGE = "/home/ada"
CLAUDE_CODE = {"name": "claude-code", "version": "2.1.0"}

TODO = b"buy milk\ncall Ada\n"
PLAN = b"# Plan\r\n\r\n1. Rest.\r\n"
"""Its line ends are those of another system: this server turns them around whenever it edits a file."""

CLIENT_FILE = """{
  "numStartups": 12,
  "theme": "dark",
  "projects": {
    "@home@/notes": {
      "allowedTools": [],
      "hasTrustDialogAccepted": true
    }
  }
}
"""
"""As Claude Code writes it."""


@dataclass
class Person:
    """Somebody with an empty home, the clone in it, two notes, and a client."""

    home: Path
    env: dict[str, str]
    typed: list[str] = field(default_factory=list)
    page: list[str] = field(default_factory=list)
    """What is seen in this scene."""

    @property
    def notes(self) -> Path:
        return self.home / "notes"

    @property
    def client_file(self) -> Path:
        return self.home / ".claude.json"

    def types(self, command: str, *answers: str, code: int = 0) -> None:
        """A command on a terminal, and what is answered when it asks; it has to end with this code."""
        self.typed.append(command)
        self.page += ["", f"$ {command}"] if self.page else [f"$ {command}"]
        with Terminal(["bash", "--noprofile", "--norc", "-c", command], env=self.env, cwd=self.home) as terminal:
            for answer in answers:
                terminal.until("[y/N] ")
                terminal.type(f"{answer}\n")
            ended = terminal.ended(patience_s=SETTING_UP_S)
            seen = terminal.screen
        for answer in answers:
            seen = seen.replace("[y/N] \n", f"[y/N] {answer}\n", 1)
        assert ended == code, seen
        self.page += [line.rstrip() for line in seen.rstrip("\n").split("\n")] if seen else []
        if code:
            self.page.append(f"(exit code {code})")

    def lets_the_agent(self, *calls: tuple[str, dict[str, Any]]) -> list[str]:
        """One session: the client starts its server as its configuration says. Returns what it was told."""
        entry = json.loads(self.client_file.read_bytes())["mcpServers"]["files"]
        told = []
        with Client.start(
            [entry["command"], *entry["args"]], env=self.env | entry.get("env", {}), cwd=self.notes
        ) as client:
            open_as_claude_code_does(client, self.notes)
            assert "write_file" in {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
            for tool, arguments in calls:
                answer = client.call(tool, arguments)["content"][0]["text"]
                told.append(answer)
                self.page += [f"agent>  {tool} {json.dumps(arguments)}"]
                self.page += wrapped(answer)
            assert client.close().code == 0
        return told

    def hashes(self) -> dict[str, str]:
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(self.notes.iterdir())}


def open_as_claude_code_does(client: Client, folder: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": CLAUDE_CODE}
    assert "result" in client.request("initialize", hello)
    client.notify("notifications/initialized")
    asked = client.wait_for(lambda message: message.get("method") == "roots/list", "the server asks for no folder")
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": folder.as_uri(), "name": "notes"}]}})


def wrapped(answer: str) -> list[str]:
    indent = " " * 8
    lines: list[str] = []
    for line in answer.rstrip().split("\n"):
        lines += textwrap.wrap(line, WIDTH - len(indent), break_on_hyphens=False) or [""]
    return [f"{indent}{line}".rstrip() for line in lines]


# --- the scenes, in order


def install(person: Person) -> None:
    person.types("~/synartesis/install.sh")


def init(person: Person) -> None:
    person.types("synartesis init --home files -- npx -y @modelcontextprotocol/server-filesystem ~/notes")


def connect(person: Person) -> None:
    person.types("synartesis connect claude-code", "y")


def the_agent_does_damage(person: Person) -> None:
    person.lets_the_agent(
        ("write_file", {"path": str(person.notes / "todo.md"), "content": "(nothing to do)\n"}),
        (
            "edit_file",
            {"path": str(person.notes / "plan.md"), "edits": [{"oldText": "1. Rest.", "newText": "1. Work."}]},
        ),
    )


def show(person: Person) -> None:
    person.types("synartesis show")


def undo(person: Person) -> None:
    person.types("synartesis undo", "y")


def the_agent_wants_a_folder(person: Person) -> None:
    [told] = person.lets_the_agent(("create_directory", {"path": str(person.notes / "archive")}))
    assert "HELD" in told
    assert not (person.notes / "archive").exists()


def what_waits(person: Person) -> None:
    person.types("synartesis gates")


def deny(person: Person) -> None:
    person.types("synartesis deny --reason 'notes stay in one folder'")
    person.page.append("")
    [told] = person.lets_the_agent(("create_directory", {"path": str(person.notes / "archive")}))
    assert "notes stay in one folder" in told
    assert not (person.notes / "archive").exists()


def the_same_damage_and_an_edit(person: Person) -> None:
    the_agent_does_damage(person)
    person.types("echo 'call Grace' >> ~/notes/todo.md")


def the_undo_stops(person: Person) -> None:
    before = person.hashes()
    person.types("synartesis undo", code=1)
    assert person.hashes() == before


def as_far_as_possible(person: Person) -> None:
    person.types("synartesis undo --as-far-as-possible", "y", code=1)
    assert (person.notes / "plan.md").read_bytes() == PLAN
    assert (person.notes / "todo.md").read_bytes() == b"(nothing to do)\ncall Grace\n"


def doctor(person: Person) -> None:
    person.types("synartesis doctor")


def away(person: Person) -> None:
    person.types("synartesis disconnect claude-code", "y")
    person.types("~/synartesis/install.sh --uninstall")


FIRST_HOUR: tuple[Callable[[Person], None], ...] = (install, init, connect, the_agent_does_damage, show, undo)
ON_PURPOSE: tuple[Callable[[Person], None], ...] = (
    the_agent_wants_a_folder,
    what_waits,
    deny,
    the_same_damage_and_an_edit,
    the_undo_stops,
    as_far_as_possible,
)
THE_END: tuple[Callable[[Person], None], ...] = (doctor, away)


@dataclass
class Played:
    """What happened, scene by scene, and what it did to the files."""

    scenes: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, dict[str, str]] = field(default_factory=dict)
    typed_in_the_first_hour: list[str] = field(default_factory=list)
    client_file_before: bytes = b""
    client_file_after: bytes = b""
    left: list[str] = field(default_factory=list)
    """In the home at the end."""


def play() -> Played:
    """The whole story, once."""
    played = Played()
    with somebody() as person:
        names = Names(person.home)

        def see(*scenes: Callable[[Person], None]) -> None:
            for scene in scenes:
                person.page = []
                scene(person)
                played.scenes[scene.__name__] = names.written("\n".join(person.page) + "\n")
                played.hashes[scene.__name__] = person.hashes()

        played.client_file_before = person.client_file.read_bytes()
        played.hashes["before"] = person.hashes()
        see(*FIRST_HOUR)
        played.typed_in_the_first_hour = list(person.typed)
        played.scenes["hashes"] = table_of_hashes(played.hashes)
        see(*ON_PURPOSE, *THE_END)
        played.client_file_after = person.client_file.read_bytes()
        played.left = sorted(str(path.relative_to(person.home)) for path in person.home.rglob("*") if path.is_file())
    return played


@contextmanager
def somebody() -> Iterator[Person]:
    """A home with nothing in it but what the story needs, and a PATH with hardly anything on it."""
    scratch = Path(os.path.realpath(tempfile.mkdtemp(prefix="guide-", dir="/tmp")))  # short: lines break as on the page
    try:
        home = scratch / "ada"
        (home / ".local" / "bin").mkdir(parents=True)
        (home / "notes").mkdir()
        (home / "notes" / "todo.md").write_bytes(TODO)
        (home / "notes" / "plan.md").write_bytes(PLAN)
        (home / ".claude.json").write_text(CLIENT_FILE.replace("@home@", str(home)), encoding="utf-8")
        put_programs(scratch / "tools" / "bin", ["node", "npx"])
        put_sources(home / "synartesis")
        (scratch / "node_modules").symlink_to(NODE_PACKAGES)
        (scratch / "tmp").mkdir()
        yield Person(home, env_of(home, scratch))
    finally:
        shutil.rmtree(scratch)


def env_of(home: Path, scratch: Path) -> dict[str, str]:
    """Nothing of whoever runs this, but where pip and npm find packages."""
    registries = {name: value for name, value in os.environ.items() if name.upper().startswith(("PIP_", "NPM_CONFIG_"))}
    return registries | {
        "HOME": str(home),
        "PATH": f"{home}/.local/bin:{scratch}/tools/bin",
        "TMPDIR": str(scratch / "tmp"),
        "TERM": "xterm",
        "NO_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "LC_ALL": "C.UTF-8",
        "npm_config_update_notifier": "false",
    }


def table_of_hashes(hashes: dict[str, dict[str, str]]) -> str:
    """What the files were, in the first characters of their SHA-256."""
    moments = {
        "before": "before the session",
        "the_agent_does_damage": "after the session",
        "undo": "after the undo",
    }
    names = list(hashes["before"])
    lines = [f"{'SHA-256':<20}" + "".join(f"{name:<20}" for name in names)]
    for moment, words in moments.items():
        lines.append(f"{words:<20}" + "".join(f"{hashes[moment][name][:16]:<20}" for name in names))
    return "".join(f"{line.rstrip()}\n" for line in lines)


# --- the page

_BLOCK = re.compile(r"(<!-- played: (\w+) -->\n```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)


class Names:
    """The home, the person, the ids and the times of this play, as they are called on the page: the same in every play."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._ids: dict[str, str] = {}

    def written(self, text: str) -> str:
        text = text.replace(self._home, HOME_ON_THE_PAGE)
        # Where node is no program of the system, the manifest has two lines more, and `init` says why.
        text = re.sub(r"note: desktop programs do not look .*? that folder\n\n", "", text, flags=re.DOTALL)
        text = re.sub(r"(?<=synartesis\.yaml:)\d+", "100", text)
        text = re.sub(r"\b[0-9a-f]{12}\b", self._id, text)
        text = re.sub(r"(?<=denied by )\S+(?=: )|\S+(?= denied this exact call)", "ada", text)
        text = re.sub(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b", "2026-11-30 09:02", text)
        return re.sub(r"\b\d\d:\d\d:\d\d\b", "09:02:11", text)

    def _id(self, found: re.Match[str]) -> str:
        number = len(self._ids) + 1
        return self._ids.setdefault(found[0], hashlib.sha256(b"%d" % number).hexdigest()[:12])


def shown(page: str) -> dict[str, str]:
    """The transcripts on the page."""
    return {name: text for _, name, text, _ in _BLOCK.findall(page)}


def rewritten(page: str, played: Played) -> str:
    return _BLOCK.sub(lambda found: found[1] + played.scenes[found[2]] + found[4], page)


def main() -> None:
    if not NODE_PACKAGES.exists():
        sys.exit("the real servers are not installed: make live-servers")
    GUIDE.write_text(rewritten(GUIDE.read_text(encoding="utf-8"), play()), encoding="utf-8")


if __name__ == "__main__":
    main()
