from __future__ import annotations

import os
import signal
import sys
import time
import tracemalloc
from pathlib import Path
from typing import NamedTuple

import pytest

from synartesis.errors import ServerUnavailable
from synartesis.wire.process import LastWords, how_it_ended, secrets_of, start
from tests.promises import promise


class Launched(NamedTuple):
    command: str
    args: tuple[str, ...]
    cwd: Path
    env: dict[str, str]


def launch(folder: Path, command: str = sys.executable, *args: str, **env: str) -> Launched:
    return Launched(command, args, folder, dict(os.environ) | env)


def test_a_missing_command_is_named_with_the_path_that_was_searched(tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailable) as raised:
        start("crm", launch(tmp_path, "no-such-command", PATH="/usr/bin:/bin"))

    assert "no-such-command" in raised.value.message
    assert "/usr/bin:/bin" in raised.value.message
    assert "absolute path" in raised.value.hint


def test_a_missing_working_directory_is_not_taken_for_a_missing_command(tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailable, match="working directory"):
        start("crm", launch(tmp_path / "gone"))


def test_a_file_that_may_not_be_executed_is_said_to_be_that(tmp_path: Path) -> None:
    script = tmp_path / "server"
    script.write_text("#!/bin/sh\n", encoding="utf-8")

    with pytest.raises(ServerUnavailable, match="may not be executed"):
        start("crm", launch(tmp_path, str(script)))


def test_a_server_runs_in_a_group_of_its_own(tmp_path: Path) -> None:
    process = start("crm", launch(tmp_path, sys.executable, "-c", "input()"))
    try:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
        assert process.group_is_alive()
    finally:
        process.kill()
    assert not process.group_is_alive()


MAIN_THREAD_ENDS_FIRST = """
import ctypes, os, threading
threading.Thread(target=input, daemon=True).start()
os.write(1, b"up\\n")  # one piece, whatever PYTHONUNBUFFERED says
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_server_whose_main_thread_has_ended_before_the_others_is_still_there(tmp_path: Path) -> None:
    process = start("crm", launch(tmp_path, sys.executable, "-c", MAIN_THREAD_ENDS_FIRST))
    try:
        assert os.read(process.stdout, 3) == b"up\n"
        until = time.monotonic() + 30
        while b") Z" not in Path(f"/proc/{process.pid}/stat").read_bytes():
            assert time.monotonic() < until

        assert process.exit_code() is None
        assert process.group_is_alive()
    finally:
        process.kill()
    assert not process.group_is_alive()


def test_the_last_words_are_quoted_without_secrets_and_control_characters() -> None:
    words = LastWords(secrets_of({"TOKEN": "hunter2hunter2", "FLAG": "1"}))

    lines = words.feed(b"starting\ntoken hunter2hunter2 rejected \x1b[31m1\x1b[0m\nbo")
    words.feed(b"om")

    assert lines == ["starting", "token (hidden) rejected \\x1b[31m1\\x1b[0m"]
    assert words.quote() == "starting; token (hidden) rejected \\x1b[31m1\\x1b[0m; boom"


def test_of_a_long_story_the_end_is_quoted() -> None:
    words = LastWords()

    words.feed(b"".join(b"  File x.py, line %d\n" % at for at in range(100)) + b"KeyError: 'token'\n")

    assert words.quote(limit=40) == "...8; File x.py, line 99; KeyError: 'token'"


@pytest.mark.parametrize("at", range(4080, 4110))
def test_a_secret_that_the_kept_end_cuts_in_two_is_hidden_all_the_same(at: int) -> None:
    words = LastWords(secrets_of({"TOKEN": "hunter2hunter2"}))

    words.feed(b"hunter2hunter2" + b"x" * at)

    assert "hunter" not in words.quote(limit=10_000)
    assert "ter2" not in words.quote(limit=10_000)


def test_memory_for_a_line_without_end_is_bounded_and_it_is_logged_once() -> None:
    words = LastWords()

    logged = [line for _ in range(100) for line in words.feed(b"x" * 10_000)]

    assert len(logged) == 1
    assert len(logged[0]) < 600
    assert words.feed(b"\nnext\n") == ["next"]


@promise("C006")
def test_of_a_flood_only_the_end_is_held_in_memory() -> None:
    words = LastWords(secrets_of({"TOKEN": "hunter2hunter2"}))
    flood = b"much to say about nothing at all" * 2000
    words.feed(flood)

    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(500):  # 32 MB
            words.feed(flood)
            words.feed(b"and a line\n")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert after - before < 64 * 1024
    assert words.quote().endswith("nothing at alland a line")
    assert len(words.quote()) <= 310


def test_how_a_server_ended_is_said_in_words() -> None:
    assert how_it_ended(3) == "ended (exit code 3)"
    assert how_it_ended(-signal.SIGKILL) == "was ended by SIGKILL"
    assert how_it_ended(None) == "closed its output"
