"""Whether a process is still there, and still the same."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from synartesis.domain.records import ProcessId
from synartesis.journal.liveness import _started_elsewhere, group_is_alive, identify, is_alive, this_process
from tests.support.waiting import wait_until


def test_this_process_is_alive() -> None:
    assert this_process().pid == os.getpid()
    assert this_process().started
    assert is_alive(this_process())


def test_another_process_with_the_same_number_is_not_the_same() -> None:
    assert not is_alive(this_process()._replace(started="12345@earlier"))


def test_where_nobody_noted_the_start_the_number_has_to_do() -> None:
    assert is_alive(ProcessId(os.getpid(), ""))


def test_a_process_that_ended_is_gone_even_before_its_parent_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_alive(ProcessId(child.pid, ""))
    assert child.stdin is not None
    child.stdin.close()

    wait_until(lambda: not is_alive(ProcessId(child.pid, "")), "it has ended, and counts as alive")
    child.wait()

    assert not is_alive(ProcessId(child.pid, ""))


def test_what_is_no_process_is_not_alive() -> None:
    assert not any(is_alive(ProcessId(pid, "x")) for pid in (0, -1, 2**40))


# --- where there is no /proc

PS_OF_BSD = """#!/bin/sh
fields= titles=
while [ $# -gt 1 ]; do
  case $1 in
    -o) fields="$fields -o ${2%%=*}=" titles="$titles${2#*=}" ;;
    -p) pid=$2 ;;
  esac
  shift 2
done
[ -z "$titles" ] || echo "$titles"
exec /bin/ps $fields -p "$pid"
"""
"""Behind an equals sign everything is the title of the column, commas included."""


@pytest.fixture
def ps_of_bsd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ps"
    program.write_text(PS_OF_BSD)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.defpath}")


@pytest.mark.usefixtures("ps_of_bsd")
def test_when_a_process_started_is_asked_of_ps_and_is_the_same_in_every_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        seen.add(_started_elsewhere(os.getpid()))

    [started] = seen
    assert started is not None
    assert re.fullmatch(r"\w{3} +\w{3} +\d+ \d\d:\d\d:\d\d \d{4}", started)


@pytest.mark.usefixtures("ps_of_bsd")
def test_a_process_that_ended_is_gone_for_ps_even_before_its_parent_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])

    wait_until(lambda: _started_elsewhere(child.pid) is None, "it has ended, and counts as started")
    child.wait()

    assert _started_elsewhere(child.pid) is None


def test_a_group_lives_as_long_as_anything_that_was_started_in_it() -> None:
    shell = subprocess.Popen(
        ["sh", "-c", "sleep 60 >/dev/null & echo $!; exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert shell.stdout is not None
    assert shell.stdin is not None
    left_behind = int(shell.stdout.readline())
    leader = identify(shell.pid)
    assert leader is not None
    assert group_is_alive(leader)

    shell.stdin.close()
    shell.wait()
    assert not is_alive(leader)
    assert group_is_alive(leader)

    os.kill(left_behind, signal.SIGKILL)
    wait_until(lambda: not group_is_alive(leader), "the group is said to live on")
    shell.stdout.close()


def test_a_group_whose_number_is_anothers_by_now_has_ended() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as process:
        assert not group_is_alive(ProcessId(process.pid, "some other time"))
        assert process.stdin is not None
        process.stdin.close()


def test_a_number_that_nobody_has_is_no_process() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()

    assert identify(process.pid) is None
    assert not group_is_alive(ProcessId(process.pid, "then"))
