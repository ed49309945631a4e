"""A person is told, seldom enough; and nothing that the telling does reaches the call."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from synartesis.domain.records import Approval, ProcessId
from synartesis.domain.status import ApprovalStatus
from synartesis.journal.liveness import is_alive
from synartesis.relay.log import Log
from synartesis.relay.notify import Command, Notifier, desktop_command
from tests.support.waiting import wait_until

NEVER_AGAIN_S = 3600.0
SECRET = "rm -rf ~ $(touch pwned) `touch pwned`"


def request(number: int = 1) -> Approval:
    return Approval(
        id=f"{number:012x}",
        run="r1",
        seq=number,
        server="crm",
        identity="1d" * 32,
        tool="send_email",
        arguments=json.dumps({"text": SECRET, "n": 1}).encode(),
        fingerprint="",
        status=ApprovalStatus.WAITING,
        why="It cannot be undone.",
        requested_at="2026-03-04T12:00:00.000000Z",
        attempts=1,
        decided_at=None,
        decided_by="",
        reason="",
        spent_by=None,
        asked_in="r2",
    )


@pytest.fixture
def log() -> Iterator[tuple[Log, Callable[[], str]]]:
    theirs, ours = os.pipe()
    os.set_blocking(theirs, False)
    said: list[str] = []

    def read() -> str:
        try:
            said.append(os.read(theirs, 65536).decode())
        except BlockingIOError:
            pass
        return "".join(said)

    yield Log(fd=ours), read
    os.close(theirs)
    os.close(ours)


def notifier(
    command: Command, folder: Path, log: Log, *, desktop: Command = (), seldom_s: float = NEVER_AGAIN_S, **more: Any
) -> Notifier:
    return Notifier(
        command,
        desktop=desktop,
        folder=folder,
        approve_command=lambda id: f"synartesis approve {id}",
        log=log,
        seldom_s=seldom_s,
        **more,
    )


def script(folder: Path, text: str) -> Command:
    path = folder / "tell me.sh"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return (str(path), "an argument")


def test_the_command_gets_the_request_on_stdin_and_nothing_of_it_in_its_arguments(
    tmp_path: Path, log: tuple[Log, Callable[[], str]]
) -> None:
    command = script(tmp_path, 'cat > told; printf "%s\\n" "$@" > arguments; env > environment; touch done')

    notifier(command, tmp_path, log[0]).held(request())
    wait_until((tmp_path / "done").exists, "the command was never run")

    assert json.loads((tmp_path / "told").read_bytes()) == {
        "id": "000000000001",
        "run": "r2",
        "seq": 1,
        "server": "crm",
        "tool": "send_email",
        "args": {"text": SECRET, "n": 1},
        "why": "It cannot be undone.",
        "requested_at": "2026-03-04T12:00:00.000000Z",
        "approve": "synartesis approve 000000000001",
        "others": [],
    }
    assert (tmp_path / "arguments").read_text(encoding="utf-8") == "an argument\n"
    assert "rm -rf" not in (tmp_path / "environment").read_text(encoding="utf-8")
    assert not (tmp_path / "pwned").exists()


def test_what_is_held_soon_after_is_told_together(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    command = script(tmp_path, "cat >> told; touch done")
    telling = notifier(command, tmp_path, log[0], seldom_s=0.05)

    for number in range(1, 201):
        telling.held(request(number))
    told = tmp_path / "told"
    wait_until(lambda: told.exists() and b"0000000000c8" in told.read_bytes(), "the last one was never told")

    lines = [json.loads(line) for line in told.read_bytes().splitlines()]
    assert len(lines) < 20
    assert sorted(id for line in lines for id in (line["id"], *line["others"])) == [
        request(number).id for number in range(1, 201)
    ]


FAILURES: dict[str, str] = {
    "it fails": "exit 3",
    "it never reads": "exec 0<&-; sleep 0",
    "it is killed": "kill -9 $$",
}


@pytest.mark.parametrize("text", FAILURES.values(), ids=FAILURES)
def test_a_command_that_fails_is_a_line_in_the_log(
    tmp_path: Path, log: tuple[Log, Callable[[], str]], text: str
) -> None:
    notifier(script(tmp_path, f"touch done; {text}"), tmp_path, log[0]).held(request())

    wait_until((tmp_path / "done").exists, "the command was never run")
    if text.startswith(("exit", "kill")):
        wait_until(lambda: "notifier_failed" in log[1](), "nothing was said")
    assert "rm -rf" not in log[1]()


def test_a_command_that_is_not_there_is_a_line_in_the_log(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    notifier((str(tmp_path / "none"),), tmp_path, log[0]).held(request())

    wait_until(lambda: "notifier_failed" in log[1](), "nothing was said")


def test_a_command_that_hangs_is_ended_with_what_it_started(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    command = script(tmp_path, "sleep 600 & echo $! > child; wait")

    notifier(command, tmp_path, log[0], patience_s=0.3).held(request())
    wait_until(lambda: "notifier_ended" in log[1](), "it was never ended")

    child = int((tmp_path / "child").read_text(encoding="utf-8"))
    wait_until(lambda: not is_there(child), "what it started goes on")


def is_there(pid: int) -> bool:
    return is_alive(ProcessId(pid, ""))


def test_closing_ends_what_still_runs(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    telling = notifier(script(tmp_path, "cat > /dev/null; echo $$ > pid; exec sleep 600"), tmp_path, log[0])
    telling.held(request())
    pid = tmp_path / "pid"
    wait_until(lambda: pid.exists() and pid.read_bytes().endswith(b"\n"), "the command was never run")

    telling.close()

    wait_until(lambda: not is_there(int(pid.read_bytes())), "it goes on")


def test_what_was_held_last_is_told_before_the_proxy_ends(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    telling = notifier(script(tmp_path, "cat >> told"), tmp_path, log[0])
    for number in (1, 2, 3):
        telling.held(request(number))

    telling.close()

    lines = [json.loads(line) for line in (tmp_path / "told").read_bytes().splitlines()]
    assert sorted(id for line in lines for id in (line["id"], *line["others"])) == [request(n).id for n in (1, 2, 3)]


def test_after_closing_nothing_is_started(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    telling = notifier(script(tmp_path, "echo $$ >> pids; exec sleep 600"), tmp_path, log[0])
    telling.held(request(1))
    telling.close()
    telling.held(request(2))

    pids = (tmp_path / "pids").read_text(encoding="utf-8").split()
    assert len(pids) == 1
    wait_until(lambda: not is_there(int(pids[0])), "it goes on")


def test_held_returns_at_once(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    command = script(tmp_path, "touch started; cat > /dev/null; sleep 600")
    telling = notifier(command, tmp_path, log[0], patience_s=0.5)
    done = threading.Event()

    def hold() -> None:
        for number in range(50):
            telling.held(request(number))
        done.set()

    threading.Thread(target=hold).start()

    assert done.wait(10)
    wait_until(lambda: "notifier_ended" in log[1](), "it was never ended")


def test_the_desktop_is_told_nothing_that_an_agent_chose(tmp_path: Path, log: tuple[Log, Callable[[], str]]) -> None:
    shows = script(tmp_path, 'printf "%s\\n" "$@" > shown; touch done')

    notifier((), tmp_path, log[0], desktop=shows).held(request())
    wait_until((tmp_path / "done").exists, "nothing was shown")

    assert (tmp_path / "shown").read_text(encoding="utf-8").splitlines() == [
        "an argument",
        "A call waits for your decision: synartesis gates",
    ]


def test_where_there_is_no_desktop_there_is_no_command_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert desktop_command() == ()
