"""What a large result and many calls at once cost, against the same without us."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest

from tests.support.client import DEADLINE_S, encode
from tests.support.world import World

pytestmark = pytest.mark.differential

MB = 1_000_000
LARGE = 50 * MB
TIMES = 9
"""The machine does other things as well, so the ways are tried in turn, and the best time of each counts."""

#: Answers at once what it has made ready: what is measured is the way, not the server.
SERVER = f"""
import os, sys
text = b"x" * {LARGE}
for line in sys.stdin.buffer:
    start = line.find(b'"id":') + 5
    ident = line[start:line.find(b",", start)]
    if b'"initialize"' in line:
        result = b'{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}'
    elif b'"tools/call"' in line:
        result = b'{{"content":[{{"type":"text","text":"' + text + b'"}}]}}'
    elif line.startswith(b'{{"jsonrpc":"2.0","id"'):
        result = b'{{"tools":[{{"name":"big","inputSchema":{{"type":"object"}}}}]}}'
    else:
        continue
    rest = memoryview(b'{{"jsonrpc":"2.0","id":' + ident + b',"result":' + result + b"}}\\n")
    while rest:
        rest = rest[os.write(1, rest):]
"""

RULES = {
    "passed on": "{match: 's.*', class: readonly}",
    "guarded": "{match: 's.*', class: irreversible, gate: never}",
}
CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big","arguments":{}}}\n'
HELLO = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"c","version":"1"}}}\n'
)


@pytest.mark.parametrize("rule", RULES)
def test_a_result_of_50_mb_takes_at_most_twice_as_long_and_four_times_its_size(
    world: World, tmp_path: Path, rule: str
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER, encoding="utf-8")
    body = json.dumps({"command": sys.executable, "args": [str(script)]})
    world.write_manifest(text=f"version: 1\nservers:\n  s: {body}\ntools:\n  - {RULES[rule]}\n")

    with RawClient([sys.executable, str(script)], world) as plain, RawClient([*world.program, "proxy"], world) as ours:
        taken = [(plain.seconds(CALL % at), ours.seconds(CALL % at)) for at in range(1, TIMES + 1)]
        memory = ours.peak_memory()

    direct, through = (min(one) for one in zip(*taken, strict=True))
    print(f"{rule}: direct {direct:.3f} s, through {through:.3f} s, at most {memory / MB:.0f} MB")
    if rule == "passed on":
        assert through <= 2 * direct, (direct, through)
        assert memory <= 4 * LARGE, memory
    else:  # it is read through, kept and compressed besides, which takes its time
        assert memory <= 4 * LARGE, memory


class RawClient:
    """Reads as fast as bytes come, and keeps none of them."""

    def __init__(self, argv: list[str], world: World) -> None:
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=world.env,
            cwd=world.folder,
        )
        self.ask(HELLO)
        self.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def seconds(self, line: bytes) -> float:
        """How long the large answer to it takes."""
        began = time.perf_counter()
        assert self.ask(line) > LARGE
        return time.perf_counter() - began

    def say(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def ask(self, line: bytes) -> int:
        """Returns how long the answer was."""
        assert self._process.stdout is not None
        self.say(line)
        size = 0
        while data := os.read(self._process.stdout.fileno(), MB):
            size += len(data)
            if data.endswith(b"\n"):
                return size
        raise AssertionError("no answer")

    def peak_memory(self) -> int:
        """In bytes; 0 where the system does not say."""
        status = Path(f"/proc/{self._process.pid}/status")
        lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(DEADLINE_S)
        self._process.stdout.close()


# --- many calls

RECORDS, CALLS = 16, 64
PING_WITHIN_S = 0.05


def test_64_calls_under_way_keep_their_ids_and_their_order_and_a_ping_among_them_is_answered_at_once(
    world: World,
) -> None:
    world.put(**{f"c{at}": {"name": "start"} for at in range(RECORDS)})
    world.behave(rules=[{"tool": "set_item", "delay_ms": 20}], concurrent=True)
    client = world.proxy()
    names = [f"n{at}" for at in range(CALLS)]

    client.send(b"".join(a_call(at, f"c{at % RECORDS}", name) for at, name in enumerate(names)))
    pings: list[float] = []
    while len(client.received) < len(("hello",)) + CALLS + len(pings):
        began = time.perf_counter()
        client.request("ping")
        pings.append(time.perf_counter() - began)

    print(f"{len(pings)} pings, median {statistics.median(pings) * 1000:.1f} ms, longest {max(pings) * 1000:.1f} ms")
    for at, name in enumerate(names):
        assert client.wait_for_reply(f"call-{at}")["result"]["structuredContent"] == {
            "id": f"c{at % RECORDS}",
            "name": name,
        }
    for record in range(RECORDS):
        made = [one["name"] for one in world.calls("set_item") if one["id"] == f"c{record}"]
        assert made == [name for at, name in enumerate(names) if at % RECORDS == record]
    assert len(pings) > 10
    assert statistics.median(pings) <= PING_WITHIN_S, sorted(pings)


def a_call(at: int, record: str, name: str) -> bytes:
    params = {"name": "set_item", "arguments": {"id": record, "name": name}}
    return encode({"jsonrpc": "2.0", "id": f"call-{at}", "method": "tools/call", "params": params})
