"""The other end of the pipe: a client that talks to a child process in raw lines and keeps everything it hears.

It understands no more of MCP than the two ways to open a connection. Every wait has a deadline and ends the moment the
thing happens; nothing here sleeps.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, Self

JSON = dict[str, Any]

DEADLINE_S = 30.0
"""How long anything may take before the test is told what did not happen. Generous: only failures wait this long."""

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
CLIENT_INFO = {"name": "test-client", "version": "1.0"}


class Ended(NamedTuple):
    """How the process ended."""

    code: int
    stderr: str


@dataclass
class Client:
    """One process and the lines that went both ways."""

    process: subprocess.Popen[bytes]
    stderr_path: Path
    received: list[bytes] = field(default_factory=list)
    """Every line that came, as it came, line ends cut off."""
    heard: threading.Condition = field(default_factory=threading.Condition)
    finished: bool = False
    modern: bool = False
    """Put the envelope of the 2026-07-28 era on every request."""
    last_id: int = 0

    @classmethod
    def start(
        cls, argv: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Self:
        with tempfile.NamedTemporaryFile(prefix="stderr-", delete=False) as stderr:
            process = subprocess.Popen(
                [str(word) for word in argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=None if env is None else dict(env),
                cwd=cwd,
            )
        client = cls(process, Path(stderr.name))
        threading.Thread(target=client._listen, daemon=True).start()
        return client

    # Saying

    def send(self, message: JSON | bytes) -> None:
        """An object as one line, or bytes exactly as they are."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else encode(message)
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def notify(self, method: str, params: JSON | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def request(self, method: str, params: JSON | None = None, *, deadline_s: float = DEADLINE_S) -> JSON:
        """Send a request under a new number and wait for its whole answer."""
        return self.wait_for_reply(self.ask(method, params), deadline_s=deadline_s)

    def ask(self, method: str, params: JSON | None = None) -> int:
        """Send a request under a new number and do not wait; returns the number."""
        self.last_id += 1
        self.send(self.frame(self.last_id, method, params))
        return self.last_id

    def frame(self, ident: Any, method: str, params: JSON | None = None) -> JSON:
        if self.modern:
            envelope = {"protocolVersion": MODERN, "clientCapabilities": {}, "clientInfo": CLIENT_INFO}
            meta = {META + key: value for key, value in envelope.items()}
            params = {**(params or {}), "_meta": meta | (params or {}).get("_meta", {})}
        message: JSON = {"jsonrpc": "2.0", "id": ident, "method": method}
        return message if params is None else message | {"params": params}

    def initialize(self, version: str = "2025-06-18", *, capabilities: JSON | None = None) -> JSON:
        """The handshake of the first four revisions; returns the server's `result`."""
        hello = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": CLIENT_INFO}
        reply = self.request("initialize", hello)
        self.notify("notifications/initialized")
        result: JSON = reply["result"]
        return result

    def discover(self) -> JSON:
        """Open in the 2026-07-28 era; from here on every request carries its envelope."""
        self.modern = True
        result: JSON = self.request("server/discover")["result"]
        return result

    def call(self, tool: str, arguments: JSON | None = None, *, deadline_s: float = DEADLINE_S) -> JSON:
        """One tool call; returns its `result`, or fails with the JSON-RPC error."""
        reply = self.request("tools/call", {"name": tool, "arguments": arguments or {}}, deadline_s=deadline_s)
        assert "result" in reply, reply
        result: JSON = reply["result"]
        return result

    # Hearing

    def wait_for_reply(self, ident: Any, *, deadline_s: float = DEADLINE_S) -> JSON:
        """The answer to the request with this id, of this very type. Fails when the process ends without it."""

        def is_it(message: Any) -> bool:
            return isinstance(message, dict) and "method" not in message and same_id(message.get("id", ...), ident)

        reply: JSON = self.wait_for(is_it, f"no answer to {ident!r}", deadline_s=deadline_s)
        return reply

    def wait_for(self, wanted: Callable[[Any], bool], otherwise: str, *, deadline_s: float = DEADLINE_S) -> Any:
        """The first message that is as wanted, of all that came and will come."""
        looked_at = 0
        until = time.monotonic() + deadline_s
        with self.heard:
            while True:
                for line in self.received[looked_at:]:
                    looked_at += 1
                    message = decode(line)
                    if wanted(message):
                        return message
                if self.finished or not self.heard.wait(until - time.monotonic()):
                    why = "and the output has ended" if self.finished else f"within {deadline_s:.0f} s"
                    raise AssertionError(f"{otherwise} {why}; heard {self.received[-5:]!r}; stderr: {self.stderr()}")

    def messages(self) -> list[Any]:
        """Everything that came, decoded; what is not JSON comes as bytes."""
        with self.heard:
            return [decode(line) for line in self.received]

    def stderr(self) -> str:
        return self.stderr_path.read_text(encoding="utf-8", errors="replace")

    # Ending

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self, *, deadline_s: float = DEADLINE_S) -> Ended:
        """Wait for the process to end by itself and for the last of its output."""
        code = self.process.wait(deadline_s)
        with self.heard:
            assert self.heard.wait_for(lambda: self.finished, deadline_s), "somebody else still holds its output open"
        return Ended(code, self.stderr())

    def close(self, *, deadline_s: float = DEADLINE_S) -> Ended:
        """Close its input and wait for it to end."""
        self.close_input()
        return self.wait(deadline_s=deadline_s)

    def kill(self) -> None:
        """End it at once, as a crash would. Harmless when it has ended."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        with self.heard:
            self.heard.wait_for(lambda: self.finished, 5)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # something was still to be written to it
        self.stderr_path.unlink(missing_ok=True)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self.heard:
                self.received.append(line.removesuffix(b"\n"))
                self.heard.notify_all()
        with self.heard:
            self.finished = True
            self.heard.notify_all()


def same_id(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def encode(message: JSON) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Any:
    """The message, its fractions exact; the bytes where it is not JSON."""
    try:
        return json.loads(line, parse_float=Decimal)
    except ValueError:
        return line
