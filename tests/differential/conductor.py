"""Holds a conversation, direct and through the proxy, and says what was different.

The client is this process, on two pipes; the server is a puppet of it (puppet.py). So each line is said when everything
before it has arrived, and what arrives is compared, in order, with what arrived with nothing in between.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from synartesis.domain.records import Action
from synartesis.journal import open_history
from tests.differential.exceptions import SAME, Expected, Unlike, Variant, unlike
from tests.differential.script import (
    OTHER,
    AnswerReads,
    AwaitRead,
    Complain,
    Conversation,
    EndInput,
    HoldReads,
    Say,
    Scene,
    Side,
    Together,
)
from tests.support.client import META
from tests.support.world import ROOT

PUPPET = Path(__file__).with_name("puppet.py")
DEADLINE_S = 20.0
"""How long a line may take. Only what is broken waits so long; a relay that is broken on purpose is given less."""

OWN_ID = b'"id":"syn-'

MANIFESTS: dict[Variant, str] = {
    "readonly": '  - {match: "p.*", class: readonly}\n',
    "reversible": """
  - match: "p.*"
    class: reversible
    snapshot: {tool: "p.read_state", args: {}}
    inverse: {tool: "p.write_state", args: {state: "$snapshot"}}
  - match: "p.keyed"
    class: reversible
    snapshot: {tool: "p.read_state", args: {key: "$.key"}}
    inverse: {tool: "p.write_state", args: {key: "$.key", state: "$snapshot"}}
""",
}
#: What the server offers when the proxy asks. `keyed` is about a record of its own for each key.
TOOLS = ("write", "keyed", "read_state", "write_state")


class Difference(NamedTuple):
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class Outcome:
    """Of one conversation, or of many."""

    messages: int = 0
    differences: list[Difference] = field(default_factory=list)
    recorded: list[Action] = field(default_factory=list)
    """What the journal has of it."""

    def add(self, other: Outcome) -> None:
        self.messages += other.messages
        self.differences += other.differences


def compare(
    conversation: Conversation, variant: Variant, *, package: Path = ROOT / "src", deadline_s: float = DEADLINE_S
) -> Outcome:
    """Hold it twice. `package`: the folder that `synartesis` is imported from."""
    with direct() as line:
        plain = Player(conversation, line, rules=lambda say: SAME, own_reads=None, deadline_s=DEADLINE_S).play()
    assert not plain.differences, f"not even direct: {plain.differences}"
    with through_the_proxy(variant, package) as line:
        reads = OwnReads(line, modern=conversation.is_modern) if variant == "reversible" else None
        player = Player(
            conversation, line, rules=lambda say: unlike(say.but, variant), own_reads=reads, deadline_s=deadline_s
        )
        outcome = player.play()
    outcome.recorded = line.recorded
    return outcome


# --- the two ways to connect


class End:
    """What one side received: lines, as they came."""

    def __init__(self, name: Side) -> None:
        self.name = name
        self.lines: list[bytes] = []
        self.seen = 0
        """How many of them were expected and came."""
        self.finished = False
        self.heard = threading.Condition()
        self.intercept: Callable[[bytes], bool] = lambda line: False
        """Takes the lines that are between the proxy and the server."""
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            line = b"".join((*self._parts, piece, b"\n"))
            self._parts.clear()
            if not self.intercept(line):
                lines.append(line)
        if rest:
            self._parts.append(rest)
        with self.heard:
            self.lines += lines
            self.heard.notify_all()

    def finish(self) -> None:
        with self.heard:
            if self._parts:
                self.lines.append(b"".join(self._parts))
            self.finished = True
            self.heard.notify_all()


class Line:
    """The connection: two ends, what each says to the other, and the process next to the client."""

    def __init__(self, process: subprocess.Popen[bytes], orders: socket.socket, stderr: Path) -> None:
        self.process = process
        self.orders = orders
        self.stderr = stderr
        self.ends: dict[Side, End] = {"client": End("client"), "server": End("server")}
        self.recorded: list[Action] = []
        self._writing = threading.Lock()
        assert process.stdout is not None
        self._threads = [
            threading.Thread(target=self._listen, args=["client", process.stdout.fileno(), os.read], daemon=True),
            threading.Thread(target=self._listen, args=["server", orders, socket.socket.recv], daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def say(self, by: Side, data: bytes) -> None:
        if by == "server":
            self.order(b"out", data)
            return
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended: what is missing then says so

    def order(self, where: bytes, data: bytes) -> None:
        with self._writing:
            try:
                self.orders.sendall(b"%s %d\n" % (where, len(data)) + data)
            except OSError:
                pass  # it was ended: what is missing then says so

    def _listen(self, side: Side, source: Any, read: Callable[[Any, int], bytes]) -> None:
        end = self.ends[side]
        try:
            while data := read(source, 1 << 20):
                end.feed(data)
        except OSError:
            pass  # reset: there is no more to come
        end.finish()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.orders.close()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass


@contextmanager
def direct() -> Iterator[Line]:
    with _folder() as folder, _listening(folder) as door:
        yield from _connected(door, [sys.executable, "-I", str(PUPPET), str(folder / "s")], folder, os.environ.copy())


@contextmanager
def through_the_proxy(variant: Variant, package: Path) -> Iterator[Line]:
    with _folder() as folder, _listening(folder) as door:
        argv = json.dumps(["-I", str(PUPPET), str(folder / "s")])
        manifest = folder / "synartesis.yaml"
        manifest.write_text(
            f"version: 1\nservers:\n  p: {{command: {json.dumps(sys.executable)}, args: {argv}}}\n"
            f"tools:\n{MANIFESTS[variant]}",
            encoding="utf-8",
        )
        env = {name: value for name, value in os.environ.items() if not name.startswith("SYNARTESIS_")}
        env |= {"PYTHONPATH": str(package), "HOME": str(folder)}
        command = [sys.executable, "-m", "synartesis", "proxy", "--manifest", str(manifest)]
        journal = folder / "journal.db"
        for line in _connected(door, [*command, "--journal", str(journal)], folder, env):
            yield line
            with open_history(journal) as history:
                line.recorded = [action for one in history.runs() for action in history.actions(one.run.id)]


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="diff-"))  # short: the path of a socket may not be long
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _listening(folder: Path) -> Iterator[socket.socket]:
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(folder / "s"))
    door.listen(1)
    door.settimeout(DEADLINE_S)
    with door:
        yield door


def _connected(door: socket.socket, argv: list[str], folder: Path, env: dict[str, str]) -> Iterator[Line]:
    stderr = folder / "stderr"
    with stderr.open("wb") as log:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=env, cwd=folder)
    try:
        orders, _ = door.accept()
    except TimeoutError:
        process.kill()
        process.wait()
        raise AssertionError(f"no server was started: {stderr.read_text(errors='replace')[-2000:]}") from None
    orders.settimeout(None)
    line = Line(process, orders, stderr)
    line.start()
    try:
        yield line
    finally:
        line.close()


# --- the conversation


class OwnReads:
    """Answers what the proxy asks of the server on its own account, and looks whether it asks as the client would."""

    def __init__(self, line: Line, *, modern: bool) -> None:
        self._line = line
        self._modern = modern
        self._held: list[bytes] | None = None
        self._count = 0
        self._asked = threading.Condition()
        self.faults: list[str] = []
        self.may_ask = modern
        """A handshake has to be over first."""
        self.meta: dict[str, Any] = {}
        """What the client last said of itself, in the modern era."""

        line.ends["server"].intercept = self._take

    def _take(self, line: bytes) -> bool:
        if OWN_ID not in line[:200]:
            return False
        self._look_at(line)
        with self._asked:
            if self._held is None:
                self._answer(line)
            else:
                self._held.append(line)
                self._asked.notify_all()
        return True

    def hold(self) -> None:
        with self._asked:
            self._held = []

    def await_held(self, deadline_s: float) -> bool:
        """Whether it has asked for something since `hold`."""
        with self._asked:
            return self._asked.wait_for(lambda: bool(self._held), deadline_s)

    def go_on(self) -> None:
        with self._asked:
            held, self._held = self._held or [], None
            for line in held:
                self._answer(line)

    def _look_at(self, line: bytes) -> None:
        message = json.loads(line)
        meta = message.get("params", {}).get("_meta")
        if not self.may_ask:
            self.faults.append(f"asked before the client had finished its handshake: {line[:200]!r}")
        if not self._modern and meta is not None:
            self.faults.append(f"asked with `_meta` in a revision that has none: {line[:200]!r}")
        if self._modern and meta != self.meta:
            self.faults.append(f"asked as another client than the one there is: {meta} and not {self.meta}")

    def _answer(self, line: bytes) -> None:
        message = json.loads(line)
        result: dict[str, Any] = {"resultType": "complete"} if self._modern else {}
        if message["method"] == "tools/list":
            result["tools"] = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            if self._modern:
                result |= {"ttlMs": 0, "cacheScope": "private"}
        else:
            self._count += 1  # every write changes something
            result["content"] = [{"type": "text", "text": f"state {self._count}"}]
        self._line.say("server", json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\n")


class Lost(Exception):
    """A line did not come, or not as it should: what follows would not be understood."""


class Player:
    """Plays both parts of one conversation over one line."""

    def __init__(
        self,
        conversation: Conversation,
        line: Line,
        *,
        rules: Callable[[Say], Unlike],
        own_reads: OwnReads | None,
        deadline_s: float,
    ) -> None:
        self._conversation = conversation
        self._line = line
        self._rules = rules
        self._reads = own_reads
        self._deadline_s = deadline_s
        self._outcome = Outcome()
        self._scene = Scene("opening")
        self._kept_back: set[Say] = set()
        """Lines that never reached the other end, so that nobody answers them."""
        self._fences = 0
        self._left: list[Expected] = []
        """What the client still gets when the connection ends."""

    def play(self) -> Outcome:
        scenes = self._conversation.scenes
        try:
            for self._scene in scenes:
                for step in self._scene.steps:
                    self._do(step)
                if self._scene is not scenes[-1]:
                    self._fence()
            self._end()
        except Lost as lost:
            self._differs(str(lost))
        for fault in self._reads.faults if self._reads is not None else []:
            self._differs(fault)
        return self._outcome

    def _differs(self, what: str) -> None:
        where = f"{self._conversation.name} ({self._conversation.revision}), {self._scene.name}"
        self._outcome.differences.append(Difference(where, what))

    def _do(self, step: Any) -> None:
        match step:
            case Say():
                self._say((step,))
            case Together(lines=lines):
                self._say(lines)
            case Complain(data=data):
                self._line.order(b"err", data)
            case HoldReads() if self._reads is not None:
                self._reads.hold()
            case AnswerReads() if self._reads is not None:
                self._reads.go_on()
            case AwaitRead() if self._reads is not None:
                if not self._reads.await_held(self._deadline_s):
                    raise Lost(f"the proxy never read the state before; {self._last_words()}")
            case EndInput():
                self._end_input()
            case _:
                pass

    # --- saying, and hearing it at the other end

    def _say(self, says: tuple[Say, ...]) -> None:
        says = tuple(say for say in says if say.answers not in self._kept_back)
        if not says:
            return
        by = says[0].by
        there: list[Expected] = []
        here: list[Expected] = []
        for say in says:
            rule = self._rules(say)
            arrives = rule.arrives(say.line)
            if not arrives:
                self._kept_back.add(say)
            there += arrives
            here += rule.comes_back(say.line)
            self._left += rule.at_the_end(say.line)
            self._note(say)
        self._outcome.messages += len(says)
        self._write(by, b"".join(say.line for say in says), says[0].pieces)
        if says[-1].ends_input:
            self._end_input()
        # Guarded calls wait for a read of the state before: what was said with them overtakes them.
        in_order = self._reads is None or not any(say.calls_a_tool or answers_a_call(say) for say in says)
        self._hear(self._line.ends[OTHER[by]], there, in_order=in_order)
        self._hear(self._line.ends[by], here, in_order=True)

    def _note(self, say: Say) -> None:
        reads = self._reads
        if reads is None or say.by != "client":
            return
        if not self._conversation.is_modern:
            reads.may_ask = reads.may_ask or b"notifications/initialized" in say.line
        elif say.calls_a_tool:
            meta = _meta_of(say.line)
            if META + "protocolVersion" in meta:
                reads.meta = {key: one for key, one in meta.items() if key.startswith(META) and "logLevel" not in key}

    def _write(self, by: Side, data: bytes, pieces: int) -> None:
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            self._line.say(by, data[start : start + size])

    def _hear(self, end: End, expected: list[Expected], *, in_order: bool) -> None:
        waiting = list(expected)
        until = time.monotonic() + self._deadline_s
        while waiting:
            got = self._next(end, until, waiting[0])
            if in_order:
                if not _is(got, waiting[0]):
                    raise Lost(f"the {end.name} got {_shown(got)} and not {_shown(waiting[0])}")
                waiting.pop(0)
                continue
            found = next((one for one in waiting if _is(got, one)), None)
            if found is None:
                raise Lost(f"the {end.name} got {_shown(got)}, which nobody said")
            waiting.remove(found)

    def _next(self, end: End, until: float, wanted: Expected) -> bytes:
        with end.heard:
            while end.seen == len(end.lines):
                left = until - time.monotonic()
                if end.finished or left <= 0 or not end.heard.wait(left):
                    why = "its input has ended" if end.finished else "nothing came"
                    raise Lost(f"the {end.name} did not get {_shown(wanted)}: {why}; {self._last_words()}")
            got = end.lines[end.seen]
            end.seen += 1
        return got

    def _fence(self) -> None:
        """A question and its answer: whatever was on its way has then arrived, and nothing else may have."""
        self._fences += 1
        ident = b'"fence-%d"' % self._fences
        question = b'{"jsonrpc":"2.0","id":' + ident + b',"method":"x/fence"}\n'
        answer = b'{"jsonrpc":"2.0","id":' + ident + b',"result":{}}\n'
        self._line.say("client", question)
        self._hear(self._line.ends["server"], [question], in_order=True)
        self._line.say("server", answer)
        self._hear(self._line.ends["client"], [answer], in_order=True)

    def _end_input(self) -> None:
        assert self._line.process.stdin is not None
        self._line.process.stdin.close()

    def _end(self) -> None:
        self._end_input()
        self._drain(self._line.ends["server"])
        self._line.orders.shutdown(socket.SHUT_WR)
        self._drain(self._line.ends["client"])
        code = self._line.process.wait(self._deadline_s)
        if code:
            self._differs(f"it ended with {code}; {self._last_words()}")

    def _drain(self, end: End) -> None:
        with end.heard:
            if not end.heard.wait_for(lambda: end.finished, self._deadline_s):
                raise Lost(f"the {end.name} never heard the end; {self._last_words()}")
        left = self._left if end.name == "client" else []
        for got in end.lines[end.seen :]:
            expected = next((one for one in left if _is(got, one)), None)
            if expected is None:
                self._differs(f"the {end.name} got {_shown(got)}, which nobody said")
            else:
                left.remove(expected)
        if left:
            self._differs(f"the {end.name} was not told of {len(left)} requests that were still open")

    def _last_words(self) -> str:
        return "stderr: " + self._line.stderr.read_text(encoding="utf-8", errors="replace")[-600:]


def answers_a_call(say: Say) -> bool:
    return say.answers is not None and say.answers.calls_a_tool


def _meta_of(line: bytes) -> dict[str, Any]:
    try:
        meta = json.loads(line.removeprefix(b"\xef\xbb\xbf"))["params"]["_meta"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return meta if isinstance(meta, dict) else {}


def _is(got: bytes, expected: Expected) -> bool:
    return got == expected if isinstance(expected, bytes) else expected(got)


def _shown(line: Expected) -> str:
    if not isinstance(line, bytes):
        return "our answer in its place"
    return repr(line if len(line) < 600 else line[:400] + b" ... " + line[-150:])
