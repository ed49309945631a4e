"""What an undo costs: the undo of a run of 2,000 calls, against the very same reads and writes made directly, one after another,
by a client that does nothing else. Measured, and asserted by no test: machines differ.

    .venv/bin/python tests/bench/undo.py [--calls 2000] [--folder /dev/shm/bench] [--while-its-proxy-lives]

The server is the toy CRM with as many customers, which reads and writes its one JSON file at every call, as small servers do.
What is left above 1x is looking, judging, recording (on disk before anything leaves) and proving.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "src" / "synartesis" / "manifests" / "toy-crm.yaml"
OPENING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
Call = tuple[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--folder", type=Path, help="where to work (default: a new temporary folder)")
    parser.add_argument("--while-its-proxy-lives", action="store_true", help="the proxy does it (decision 0015)")
    options = parser.parse_args()
    if options.folder is not None:
        shutil.rmtree(options.folder, ignore_errors=True)
        options.folder.mkdir(parents=True)
    folder = options.folder or Path(tempfile.mkdtemp())
    customers = {
        f"c_{number:04}": {"name": f"Customer {number}", "email": f"{number}@example.com", "plan": "pro", "notes": ""}
        for number in range(options.calls)
    }
    state = folder / "crm.json"
    state.write_text(json.dumps({"customers": customers, "outbox": []}, indent=2, sort_keys=True), encoding="utf-8")
    shutil.copy(MANIFEST, folder / "synartesis.yaml")
    synartesis = [sys.executable, "-m", "synartesis"]
    files = ["--manifest", str(folder / "synartesis.yaml"), "--journal", str(folder / "journal.db")]

    def undo() -> float:
        started = time.perf_counter()
        undo = [*synartesis, "undo", "--yes", *files]
        subprocess.run(undo, cwd=folder, env=env(), check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    changes: list[Call] = [("update_customer", {"id": name, "plan": "free"}) for name in customers]
    undo_s = 0.0

    def meanwhile() -> None:
        nonlocal undo_s
        if options.while_its_proxy_lives:
            undo_s = undo()

    talk([*synartesis, "proxy", *files], changes, folder, then=meanwhile)
    undo_s = undo_s or undo()
    assert json.loads(state.read_text(encoding="utf-8"))["customers"] == customers
    server = [sys.executable, "-m", "synartesis.demo.toy_crm", "--state", str(state)]
    direct_s = talk(server, the_same_calls(customers), folder)

    sys.stdout.write(
        f"undo of {options.calls:,} calls: {undo_s:.2f} s\n"
        f"the same {4 * options.calls:,} reads and writes, made directly: {direct_s:.2f} s\n"
        f"ratio: {undo_s / direct_s:.2f}x, {(undo_s - direct_s) / options.calls * 1000:.2f} ms a call\n"
    )


def the_same_calls(customers: dict[str, dict[str, str]]) -> list[Call]:
    """A look at everything; then for each, newest first: a look, the inverse, and a look that proves it."""
    names = list(reversed(customers))
    calls: list[Call] = [("get_customer", {"id": name}) for name in names]
    for name in names:
        look = ("get_customer", {"id": name})
        calls += [look, ("update_customer", {"id": name, **customers[name]}), look]
    return calls


def talk(argv: list[str], calls: list[Call], folder: Path, *, then: Callable[[], None] = lambda: None) -> float:
    """Make the calls one after the other, and something else before the end; returns how long the calls took."""
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=env())
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(ident: int, method: str, params: dict[str, Any]) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        line = json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline()

    ask(0, "initialize", OPENING)
    process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    started = time.perf_counter()
    for ident, (tool, arguments) in enumerate(calls, start=1):
        ask(ident, "tools/call", {"name": tool, "arguments": arguments})
    took = time.perf_counter() - started
    then()
    process.stdin.close()
    process.wait()
    return took


def env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "src")}


if __name__ == "__main__":
    main()
