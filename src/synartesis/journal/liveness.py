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
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read()
    except FileNotFoundError:
        return None if os.path.exists("/proc/self/stat") else ""
    except (ProcessLookupError, OSError):
        return None
    fields = stat[stat.rfind(b")") + 2 :].split()  # the name before it may hold blanks and parentheses
    if fields[0] in (b"Z", b"X"):
        return None  # ended, and only waits to be collected
    return f"{fields[19].decode()}@{_boot()}"


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
    import subprocess  # only here: commands on Linux must not pay for it

    try:
        done = subprocess.run(
            # One -o each: behind an equals sign, BSD's ps takes all the rest for the title of that column.
            ["ps", "-o", "stat=", "-o", "lstart=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
            # The time of the same zone whoever asks, and wherever they have travelled since: else a running process seems gone.
            env={"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ.get("PATH", os.defpath)},
        )
    except OSError:
        return ""
    state, _, started = done.stdout.strip().partition(" ")
    if not state or state.startswith("Z"):
        return None
    return started.strip()
