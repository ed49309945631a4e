"""Is a process still there? Told from a later one with the same number by when it started. Knows nothing of
journals."""

from __future__ import annotations

import os
import sys

from synartesis.domain.records import ProcessId

ENDED_BEFORE_SENDING = "the process that recorded this call ended before it was sent"
ENDED_WITHOUT_OUTCOME = "the process that made this call ended before its outcome was recorded"
"""What is noted of a call whose process is gone."""


def this_process() -> ProcessId:
    """Who we are, for a run that others will want to know alive or gone."""
    pid = os.getpid()
    return ProcessId(pid, _started(pid) or "")


def is_alive(process: ProcessId) -> bool:
    """Whether this very process still runs. Where the system does not say when it started, its number has to do."""
    if process.pid <= 0 or not _exists(process.pid):
        return False
    started = _started(process.pid)
    if started is None:
        return False
    return not process.started or not started or started == process.started


def group_is_alive(leader: ProcessId) -> bool:
    """Whether a process that was started in a group of its own still runs, or anything that it started there."""
    if is_alive(leader):
        return True
    try:
        os.killpg(leader.pid, 0)
    except PermissionError:
        pass
    except (ProcessLookupError, OverflowError):
        return False
    if _started(leader.pid):
        return False  # the number is another's by now, so of that group nothing was left
    return _has_member_linux(leader.pid) if sys.platform == "linux" else _has_member_elsewhere(leader.pid)


def identify(pid: int) -> ProcessId | None:
    """The process that has this number now. None where there is none."""
    started = _started(pid)
    return None if started is None else ProcessId(pid, started)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True  # somebody else's, but there
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _started(pid: int) -> str | None:
    """When a process started, in the words of its system; empty where it does not say, None where the process is
    gone."""
    return _started_linux(pid) if sys.platform == "linux" else _started_elsewhere(pid)


def _started_linux(pid: int) -> str | None:
    fields = _stat_linux(pid)
    if fields is None:
        return None if os.path.exists("/proc/self/stat") else ""
    return f"{fields[19].decode()}@{_boot()}"


def _stat_linux(pid: int | str) -> list[bytes] | None:
    """What the system says of a process, from its state on. None where it has ended, also where it was not collected yet."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read()
    except OSError:
        return None
    fields = stat[stat.rfind(b")") + 2 :].split()  # the name before it may hold blanks and parentheses
    return None if fields[0] in (b"Z", b"X") else fields


def _has_member_linux(group: int) -> bool:
    stats = (_stat_linux(entry) for entry in os.listdir("/proc") if entry.isdigit())
    return any(fields is not None and int(fields[2]) == group for fields in stats)


def _boot() -> str:
    """Ticks count from the start of the machine, so the same number after a restart is another process."""
    global _boot_id
    if _boot_id is None:
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
                _boot_id = file.read(8)
        except OSError:
            _boot_id = ""
    return _boot_id


_boot_id: str | None = None


def _started_elsewhere(pid: int) -> str | None:
    # One -o each: behind an equals sign, BSD's ps takes all the rest for the title of that column.
    said = _ps("-o", "stat=", "-o", "lstart=", "-p", str(pid))
    if said is None:
        return ""
    state, _, started = said.strip().partition(" ")
    if not state or state.startswith("Z"):
        return None
    return started.strip()


def _has_member_elsewhere(group: int) -> bool:
    said = _ps("-A", "-o", "pgid=", "-o", "stat=")
    if said is None:
        return True  # nothing says that it has ended
    rows = (line.split() for line in said.splitlines())
    return any(row[0] == str(group) and not row[1].startswith("Z") for row in rows if len(row) > 1)


def _ps(*options: str) -> str | None:
    import subprocess  # only here: commands on Linux must not pay for it

    try:
        done = subprocess.run(
            ["ps", *options],
            capture_output=True,
            text=True,
            check=False,
            # The time of the same zone whoever asks, and wherever they have travelled since: else a running process seems gone.
            env={"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ.get("PATH", os.defpath)},
        )
    except OSError:
        return None
    return done.stdout
