"""Whether a process is still there, and still the same."""

from __future__ import annotations

import os
import subprocess
import sys

from synartesis.domain.records import ProcessId
from synartesis.journal.liveness import is_alive, this_process


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
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    gone_but_not_collected = is_alive(ProcessId(child.pid, ""))
    child.wait()

    assert not gone_but_not_collected
    assert not is_alive(ProcessId(child.pid, ""))


def test_what_is_no_process_is_not_alive() -> None:
    assert not any(is_alive(ProcessId(pid, "x")) for pid in (0, -1, 2**40))
