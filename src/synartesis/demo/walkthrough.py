"""The loop on the toy CRM, told as it happens: damage, look, undo, a stop, a held e-mail. Everything is done with the
commands that a person types, in processes of their own, in a folder that is thrown away. What the text claims is checked.

Knows the commands only by their words, their exit codes and their `--json`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import synartesis
from synartesis.errors import EXIT_DONE, EXIT_STOPPED

Say: TypeAlias = Callable[[Iterable[str]], None]
AgentCall: TypeAlias = tuple[str, dict[str, str]]

PACKAGE = Path(synartesis.__file__).resolve().parent
SYNARTESIS = [sys.executable, "-m", "synartesis"]

COMMAND_LIMIT_S = 60
"""No command here takes a second; one that hangs must not hang the demo."""

DAMAGE: tuple[AgentCall, ...] = (
    ("update_customer", {"id": "c_001", "plan": "free"}),
    ("delete_customer", {"id": "c_002"}),
)
EMAIL: AgentCall = ("send_email", {"to": "ada@example.com", "subject": "Your plan", "body": "We are sorry."})
HUMAN_NOTE = "Called today: stays on pro whatever the computer says."


class NotAsPromised(Exception):
    """Something did not happen as the text says it does."""


def main(say: Say | None = None) -> int:
    """Tell the whole story; returns the exit code. The folder stays only where something was not as promised."""
    say = say or _print
    folder = Path(tempfile.mkdtemp(prefix="synartesis-demo-")).resolve()
    try:
        tell(Stage(folder, say))
    except NotAsPromised as broken:
        say(["", f"This is not as it should be: {broken}", f"The folder is kept, to look at: {folder}"])
        return EXIT_STOPPED
    shutil.rmtree(folder)
    say(["", "That was all of it. Nothing outside a scratch folder was touched, and the folder is gone again."])
    return EXIT_DONE


def tell(stage: Stage) -> None:
    stage.set_up()
    chapter_damage_and_undo(stage)
    chapter_somebody_else_was_there(stage)
    chapter_what_cannot_be_undone(stage)


def chapter_damage_and_undo(stage: Stage) -> None:
    stage.title("1. An agent does damage, and it is put back")
    stage.text(
        "A small CRM runs behind the proxy, and an agent works with it. It was asked to clean up trial accounts, and",
        "misreads the list.",
    )
    stage.show_customers()
    before = stage.crm_bytes()
    stage.agent(*DAMAGE)
    stage.show_customers()
    stage.check("Ada is on the wrong plan", stage.customers()["c_001"]["plan"] == "free")
    stage.check("Grace is gone", "c_002" not in stage.customers())

    stage.text(
        "The proxy wrote everything down, with the state that each call replaced and the calls that put it back:"
    )
    run = stage.newest_run()
    stage.command("list")
    stage.command("show", run)

    damaged = stage.crm_bytes()
    stage.text("What an undo would do:")
    stage.command("undo", run, "--dry-run")
    stage.check("a dry run changes nothing", stage.crm_bytes() == damaged)

    stage.text("And now really:")
    stage.command("undo", run)
    stage.show_customers()
    stage.check("crm.json is byte for byte what it was before the agent came", stage.crm_bytes() == before)


def chapter_somebody_else_was_there(stage: Stage) -> None:
    stage.title("2. Somebody else was there since: undo stops")
    stage.text("The same damage again.")
    stage.agent(*DAMAGE)
    stage.text("But this time a person writes a note about Ada before anybody thinks of undo:", f'  "{HUMAN_NOTE}"')
    stage.edit_by_hand("c_001", notes=HUMAN_NOTE)
    edited = stage.crm_bytes()

    run = stage.newest_run()
    stage.command("undo", run, exits_with=EXIT_STOPPED)
    stage.check(
        "crm.json is byte for byte what it was before the undo: it looked first, and sent nothing",
        stage.crm_bytes() == edited,
    )
    stage.check("the person's note is there", stage.customers()["c_001"]["notes"] == HUMAN_NOTE)

    stage.text("Grace has nothing to do with that note. Undo can go as far as it may:")
    stage.command("undo", run, "--as-far-as-possible", exits_with=EXIT_STOPPED)
    stage.show_customers()
    stage.check("Grace is back", stage.customers()["c_002"]["plan"] == "enterprise")
    stage.check("and the person's note is still there", stage.customers()["c_001"]["notes"] == HUMAN_NOTE)


def chapter_what_cannot_be_undone(stage: Stage) -> None:
    stage.title("3. What cannot be put back waits for a person")
    stage.text("An e-mail that was read cannot be unread. The agent tries to send one:")
    held = stage.agent(EMAIL)
    stage.check("the agent was refused, and nothing was sent", held[0].get("isError") is True and not stage.outbox())

    stage.text("A person sees exactly what it wants, and decides:")
    stage.command("gates")
    stage.command("approve", stage.waiting_request())
    stage.text("The agent repeats the call, in a new session: an approval outlives a restart.")
    stage.agent(EMAIL)
    stage.check("the e-mail went out", stage.outbox() == [EMAIL[1]])

    stage.text("And once more. The approval was for one call:")
    again = stage.agent(EMAIL)
    stage.check("it is held again", again[0].get("isError") is True)
    stage.check("the e-mail was sent once", stage.outbox() == [EMAIL[1]])


class Stage:
    """The folder in which it all happens, and the ways to act in it."""

    def __init__(self, folder: Path, say: Say) -> None:
        self.folder, self.say = folder, say
        self.crm = folder / "crm.json"
        self.env = os.environ | {
            "PYTHONPATH": _in_front(str(PACKAGE.parent), of="PYTHONPATH"),
            # So that the commands which are printed are as short as where Synartesis is installed for good.
            "PATH": _in_front(str(Path(sys.executable).parent), of="PATH"),
            "SYNARTESIS_HOME": str(folder / "home"),
        }

    def set_up(self) -> None:
        """The shipped policy, with the Python that runs this one, and a CRM with its three customers."""
        policy = (PACKAGE / "manifests" / "toy-crm.yaml").read_text(encoding="utf-8")
        policy = policy.replace("command: python3", f"command: {json.dumps(sys.executable)}")
        (self.folder / "synartesis.yaml").write_text(policy, encoding="utf-8")
        self._run([sys.executable, "-m", "synartesis.demo.toy_crm", "--state", str(self.crm)])
        self._run([*SYNARTESIS, "trust", "--yes"])

    # What is told

    def title(self, text: str) -> None:
        self.say(["", text, "=" * len(text)])

    def text(self, *lines: str) -> None:
        self.say(["", *lines])

    def check(self, claim: str, holds: bool) -> None:
        """Say what holds, or end the story where it does not. Raises NotAsPromised."""
        if not holds:
            raise NotAsPromised(f"it should hold that {claim}")
        self.say([f"  checked: {claim}."])

    def show_customers(self) -> None:
        rows = (f"  {id}  {one['name']:<14}{one['plan']:<12}{one['notes']}" for id, one in self.customers().items())
        self.say(["", "crm.json:", *(row.rstrip() for row in rows)])

    # What is done

    def agent(self, *calls: AgentCall) -> list[dict[str, Any]]:
        """One session of an agent through the proxy: the calls, and what it was answered. Raises NotAsPromised where the
        proxy leaves a call without an answer."""
        client = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "demo-agent", "version": "1"},
        }
        messages: list[dict[str, Any]] = [
            {"id": 0, "method": "initialize", "params": client},
            {"method": "notifications/initialized"},
            *(
                {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
                for number, (tool, arguments) in enumerate(calls, start=1)
            ),
        ]
        lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        done = self._run([*SYNARTESIS, "proxy", "--log-level", "error"], lines)
        answers = {reply.get("id"): reply.get("result") for reply in map(json.loads, done.stdout.splitlines())}
        self.say([""])
        for number, (tool, arguments) in enumerate(calls, start=1):
            if answers.get(number) is None:
                raise NotAsPromised(f"{tool} was not answered: {done.stderr.strip() or done.stdout.strip()}")
            told = answers[number]["content"][0]["text"].splitlines()
            self.say([f"agent>  {tool} {json.dumps(arguments)}", *(f"    {line}".rstrip() for line in told)])
        return [answers[number] for number in range(1, len(calls) + 1)]

    def command(self, *words: str, exits_with: int = EXIT_DONE) -> None:
        """A command as a person types it, with its own output. Raises NotAsPromised where it ends otherwise."""
        self.say(["", f"$ synartesis {' '.join(words)}"])
        done = subprocess.run(
            [*SYNARTESIS, *words],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_LIMIT_S,
            check=False,
        )
        if done.returncode != exits_with:
            raise NotAsPromised(f"`synartesis {' '.join(words)}` ended with {done.returncode}, not {exits_with}")
        if exits_with != EXIT_DONE:
            self.say([f"  (exit code {exits_with})"])

    def edit_by_hand(self, customer: str, **fields: str) -> None:
        data = json.loads(self.crm_bytes())
        data["customers"][customer].update(fields)
        self.crm.write_text(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")

    # What is so

    def crm_bytes(self) -> bytes:
        return self.crm.read_bytes()

    def customers(self) -> dict[str, dict[str, str]]:
        customers: dict[str, dict[str, str]] = json.loads(self.crm_bytes())["customers"]
        return customers

    def outbox(self) -> list[dict[str, str]]:
        outbox: list[dict[str, str]] = json.loads(self.crm_bytes())["outbox"]
        return outbox

    def newest_run(self) -> str:
        return self._first_id("list", kind="agent")

    def waiting_request(self) -> str:
        return self._first_id("gates")

    def _first_id(self, command: str, **having: str) -> str:
        done = self._run([*SYNARTESIS, command, "--json"])
        for row in json.loads(done.stdout) if done.returncode == EXIT_DONE else []:
            if having.items() <= row.items():
                return str(row["id"])
        raise NotAsPromised(f"`synartesis {command}` shows nothing: {done.stderr.strip()}")

    def _run(self, argv: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=COMMAND_LIMIT_S,
            check=False,
        )


def _in_front(entry: str, *, of: str) -> str:
    return os.pathsep.join([entry, *filter(None, [os.environ.get(of)])])


def _print(lines: Iterable[str]) -> None:
    """Flushed at once: between these lines other processes write to the same place."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
