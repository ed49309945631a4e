"""A folder with a manifest and a fake server in it, and the installed commands to use on them.

world.items["c1"] = {...}                 what the server's store holds; also how "a person edits it"
with world.proxy() as client: ...         the proxy as a client starts it, opened
world.cli("undo", "--yes")                a command as a person types it in that folder
world.calls("set_item")                   what the server really executed, in order
world.behave(rules=[...])                 what the server does from now on; see fake_server.BEHAVIOUR
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from synartesis.errors import ManifestInvalid
from synartesis.policy.reader import read_manifest
from synartesis.workspace.trust import accept
from tests.support.client import DEADLINE_S, JSON, Client

ROOT = Path(__file__).resolve().parents[2]
FAKE_SERVER = Path(__file__).with_name("fake_server.py")

#: Of the 2024-11-05 to 2025-11-25 era: the two lines that open a connection, ids as in the cases.
INIT = (
    b'{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"test-client","version":"1.0"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)

#: M of the cases, and the text files of the server besides.
RULES = """
  - match: "f.get_item"
    class: readonly
  - match: "f.set_item"
    class: reversible
    snapshot:
      tool: "f.get_item"
      args: {id: "$.id"}
      absent_when: ["not found"]
    inverse:
      tool: "f.set_item"
      args: {id: "$.id", name: "$snapshot.name"}
  - match: "f.del_item"
    class: reversible
    snapshot:
      tool: "f.get_item"
      args: {id: "$.id"}
      absent_when: ["not found"]
    inverse:
      tool: "f.restore_item"
      args: {id: "$snapshot.id", name: "$snapshot.name"}
  - match: "f.create_item"
    class: compensable
    inverse: {tool: "f.del_item", args: {id: "$result.id"}}
  - match: "f.send_note"
    class: irreversible
    gate: always
  - match: "f.read"
    class: readonly
  - match: "f.write"
    class: reversible
    snapshot:
      tool: "f.read"
      args: {path: "$.path"}
      absent_when: ["ENOENT"]
    inverse: {tool: "f.write", args: {path: "$.path", content: "$snapshot"}}
    inverse_if_absent: {tool: "f.remove", args: {path: "$.path"}}
"""


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as one JSON value, fractions exact."""
        return json.loads(self.out, parse_float=Decimal)


@dataclass
class World:
    folder: Path
    clients: list[Client] = field(default_factory=list)
    program: tuple[str, ...] = (sys.executable, "-m", "synartesis")
    """How `synartesis` is started."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(exist_ok=True)
        self.files.mkdir(exist_ok=True)
        self.write_manifest()

    # What is where

    @property
    def manifest(self) -> Path:
        return self.folder / "synartesis.yaml"

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    @property
    def state(self) -> Path:
        """The server's store."""
        return self.folder / "state.json"

    @property
    def script(self) -> Path:
        return self.folder / "script.json"

    @property
    def files(self) -> Path:
        """The folder of the server's text files."""
        return self.folder / "files"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def env(self) -> dict[str, str]:
        """This process's environment, with a home of its own and nothing of the person's set-up."""
        outside = {name: value for name, value in os.environ.items() if not name.startswith("SYNARTESIS_")}
        path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
        return outside | {"HOME": str(self.home), "PYTHONPATH": path, "COLUMNS": "120", "NO_COLOR": "1"}

    def write_manifest(self, rules: str = RULES, *, servers: Mapping[str, str] | None = None, text: str = "") -> None:
        """A manifest with these rules for the fake server `f`; or with these `servers`, each the YAML of its body; or this
        very text."""
        bodies = servers if servers is not None else {"f": self.fake()}
        lines = [f"  {name}: {body}\n" for name, body in bodies.items()]
        self.manifest.write_text(text or f"version: 1\nservers:\n{''.join(lines)}tools:{rules}", encoding="utf-8")
        self.trust()

    def trust(self) -> None:
        """As `synartesis trust` does; a manifest that does not load starts nothing in any case."""
        with suppress(ManifestInvalid):
            accept(read_manifest(self.manifest), home=self.home / ".synartesis")

    def fake(self, name: str = "", *, extra: str = "", **behaviour: Any) -> str:
        """The YAML body of a fake server. `name` gives it a store and a list of calls of its own: state-NAME.json,
        calls-NAME.log; `extra` is more YAML keys."""
        suffix = f"-{name}" if name else ""
        argv = [str(FAKE_SERVER), "--state", str(self.folder / f"state{suffix}.json")]
        argv += [
            "--calls",
            str(self.folder / f"calls{suffix}.log"),
            "--script",
            str(self.folder / f"script{suffix}.json"),
        ]
        argv += ["--files", str(self.files), "--behave", json.dumps(behaviour)]
        more = f", {extra}" if extra else ""
        return f"{{command: {json.dumps(sys.executable)}, args: {json.dumps(argv)}{more}}}"

    # The server's side

    @property
    def items(self) -> JSON:
        """What the store holds, fractions exact. To change it: `world.edit`."""
        if not self.state.exists():
            return {}
        items: JSON = json.loads(self.state.read_bytes(), parse_float=Decimal)["items"]
        return items

    def put(self, **items: JSON) -> None:
        """Fill the store, replacing what was there."""
        self.put_text(json.dumps(items))

    def put_text(self, items: str) -> None:
        """Fill the store with items given as JSON text, where the spelling of a number matters."""
        new = self.state.with_suffix(".edited")
        new.write_text(f'{{"items":{items},"notes":[]}}\n', encoding="utf-8")
        new.replace(self.state)

    def edit(self, item: str, /, **fields: Any) -> None:
        """Change fields of one item behind everybody's back, as a person would."""
        data = json.loads(self.state.read_bytes())
        data["items"].setdefault(item, {}).update(fields)
        self.state.write_text(json.dumps(data), encoding="utf-8")

    def behave(self, name: str = "", **behaviour: Any) -> None:
        """What the server does from its next message on, in this process and in later ones."""
        script = self.folder / (f"script-{name}.json" if name else "script.json")
        new = script.with_suffix(".new")
        new.write_text(json.dumps(behaviour), encoding="utf-8")
        new.replace(script)

    def calls(self, tool: str | None = None, *, server: str = "") -> list[JSON]:
        """Every call that the server executed, in order: `{tool, arguments}`; of one tool, its arguments."""
        log = self.folder / (f"calls-{server}.log" if server else "calls.log")
        lines = log.read_bytes().splitlines() if log.exists() else []
        entries: list[JSON] = [json.loads(line, parse_float=Decimal) for line in lines]
        if tool is None:
            return entries
        return [entry["arguments"] for entry in entries if entry["tool"] == tool]

    # Our side

    def start_proxy(self, *options: str, env: Mapping[str, str] | None = None) -> Client:
        """The proxy, not opened yet. It is ended with the test."""
        client = Client.start([*self.program, "proxy", *options], env=self.env | dict(env or {}), cwd=self.folder)
        self.clients.append(client)
        return client

    def proxy(self, *options: str, version: str = "2025-06-18") -> Client:
        """The proxy, opened by the handshake."""
        client = self.start_proxy(*options)
        client.initialize(version)
        return client

    def agent(self, *calls: tuple[str, JSON]) -> list[JSON]:
        """One session that makes these calls, one after the other, and goes; returns the results."""
        client = self.proxy()
        results = [client.call(tool, arguments) for tool, arguments in calls]
        ended = client.close()
        assert ended.code == 0, ended
        return results

    def cli(self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
        """A command, run to its end."""
        done = subprocess.run(
            [*self.program, *words],
            input=stdin.encode(),
            capture_output=True,
            env=self.env | dict(env or {}),
            cwd=cwd or self.folder,
            timeout=DEADLINE_S * 2,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def close(self) -> None:
        for client in self.clients:
            client.__exit__()
