from __future__ import annotations

import fcntl
import json
import os

import pytest

from synartesis.relay.log import Log


def test_a_line_is_one_json_object_made_fit_to_print() -> None:
    read_end, write_end = os.pipe()

    Log(fd=write_end).warning("server_noise", server="crm", text="\x1b[2J\u202eevil\nnew" + "x" * 2000)

    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        (line,) = pipe.read().splitlines()
    entry = json.loads(line)
    assert entry["level"] == "warning"
    assert entry["server"] == "crm"
    assert entry["text"].startswith("\\x1b[2J\\u202eevil\\x0anew")
    assert len(entry["text"]) < 600


def test_lines_below_the_level_are_not_written() -> None:
    read_end, write_end = os.pipe()

    log = Log("error", fd=write_end)
    log.info("quiet")
    log.error("loud")

    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        assert [json.loads(line)["event"] for line in pipe] == ["loud"]


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="only Linux lets a pipe be made small")
def test_a_reader_that_has_stopped_does_not_stop_us_and_later_hears_what_was_lost() -> None:
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    log = Log(fd=write_end)

    for _ in range(100):
        log.info("server_stderr", text="x" * 400)
    os.read(read_end, 4096)
    log.info("after")

    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        lost, after = (json.loads(line) for line in pipe.read().splitlines()[-2:])
    assert lost["event"] == "log_lines_lost"
    assert lost["count"] > 50
    assert after["event"] == "after"
