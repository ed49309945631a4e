"""A server's process: started in a group of its own, its last words kept, ended as a whole group.

Imports no event loop, so that a server can be started before one is loaded. A proxy that is killed with SIGKILL can end
nothing; its servers then see the end of their input. (Linux could signal them, but only from code that runs between fork
and exec, which makes every start slow and unsafe; and the signal would follow the thread that started them, not the proxy.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from synartesis.errors import ServerUnavailable
from synartesis.wire.printable import printable

TAIL_BYTES: Final = 4096
"""How much of a server's last words is kept."""

LINE_BYTES: Final = 4096
"""How much of one line on stderr is looked at."""

SHORTEST_SECRET: Final = 4
"""Shorter values of declared variables are not hidden: replacing every `1` would hide the words, not a secret."""


class Launch(Protocol):
    """How to start a server; every variable expanded."""

    @property
    def command(self) -> str: ...
    @property
    def args(self) -> tuple[str, ...]: ...
    @property
    def cwd(self) -> Path: ...
    @property
    def env(self) -> dict[str, str]: ...


class ServerProcess:
    """A running server. The descriptors are ours; `close` gives them back."""

    def __init__(self, name: str, child: subprocess.Popen[bytes], secrets: tuple[str, ...]) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.name = name
        self.pid = child.pid
        self.stdin = child.stdin.fileno()
        self.stdout = child.stdout.fileno()
        self.stderr = child.stderr.fileno()
        self.words = LastWords(secrets)
        self._child = child

    def exit_code(self) -> int | None:
        """None while it runs. Negative: the signal that ended it."""
        return self._child.poll()

    def signal_group(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def group_is_alive(self) -> bool:
        """Whether anything that it started still runs. What has ended but was not yet collected does not count, but for the
        server itself: its main thread may have ended before the others."""
        if self._child.poll() is None:
            return True
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # macOS: only ended ones are left
            return False
        return not sys.platform.startswith("linux") or _has_running_member(self.pid)

    def kill(self) -> None:
        """End it at once, before it was used."""
        self.signal_group(signal.SIGKILL)
        self._child.wait()
        self.close()

    def close_stdin(self) -> None:
        if self._child.stdin is not None:
            self._child.stdin.close()

    def close(self) -> None:
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()


def start(name: str, launch: Launch, *, secrets: tuple[str, ...] = ()) -> ServerProcess:
    """Start a server. Raises ServerUnavailable naming the command and where it was looked for."""
    try:
        child = subprocess.Popen(
            [launch.command, *launch.args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=launch.cwd,
            env=launch.env,
            start_new_session=True,  # its own group: npx and uvx start the real server as a grandchild
        )
    except OSError as error:
        raise _cannot_start(name, launch, error) from error
    return ServerProcess(name, child, secrets)


def secrets_of(declared: Mapping[str, str]) -> tuple[str, ...]:
    """Values that must not be printed: those of the variables that were declared for this server. Longest first, so that a
    secret inside of another leaves no rest."""
    values = {value for value in declared.values() if len(value) >= SHORTEST_SECRET}
    return tuple(sorted(values, key=len, reverse=True))


def how_it_ended(code: int | None) -> str:
    if code is None:
        return "closed its output"
    if code >= 0:
        return f"ended (exit code {code})"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


class LastWords:
    """What a server said on stderr: its lines for the log, and the end of it to quote. Sans-IO."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        # A secret that the cut would split could no longer be found, so more is kept than is quoted.
        self._kept_bytes = TAIL_BYTES + max((len(secret) for secret in secrets), default=0) * 4
        self._tail = b""
        self._line = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now, fit to be logged."""
        self._tail = (self._tail + data[-self._kept_bytes :])[-self._kept_bytes :]
        lines: list[str] = []
        for at, piece in enumerate(data.split(b"\n")):
            if at:
                self._end_line(lines)
            if not self._skipping:
                self._line += piece[: LINE_BYTES + 1 - len(self._line)]
                if len(self._line) > LINE_BYTES:
                    lines.append(self._fit(self._line))
                    self._line, self._skipping = b"", True
        return lines

    def finish(self) -> list[str]:
        lines: list[str] = []
        self._end_line(lines)
        return lines

    def quote(self, limit: int = 300) -> str:
        """The last words on one line; empty where there were none."""
        text = "; ".join(line.strip() for line in self._redacted(self._tail).splitlines() if line.strip())
        return printable(text) if len(text) <= limit else "..." + printable(text[-limit:])

    def _end_line(self, lines: list[str]) -> None:
        if self._line.strip():
            lines.append(self._fit(self._line))
        self._line, self._skipping = b"", False

    def _fit(self, line: bytes) -> str:
        return printable(self._redacted(line).rstrip("\r"))

    def _redacted(self, text: bytes) -> str:
        shown = text.decode("utf-8", "replace")
        for secret in self._secrets:
            shown = shown.replace(secret, "(hidden)")
        return shown


# --- why it did not start


def _cannot_start(name: str, launch: Launch, error: OSError) -> ServerUnavailable:
    if not launch.cwd.is_dir():
        return ServerUnavailable(
            f'server "{name}" cannot be started: its working directory {launch.cwd} does not exist',
            hint="create the directory, or change cwd in the manifest",
        )
    if isinstance(error, PermissionError):
        return ServerUnavailable(
            f'server "{name}" cannot be started: {launch.command} may not be executed ({error.strerror})',
            hint="make the file executable, or name the program that runs it as the command",
        )
    if not isinstance(error, FileNotFoundError):
        return ServerUnavailable(f'server "{name}" cannot be started: {launch.command}: {error.strerror}')
    if "/" in launch.command:
        return ServerUnavailable(
            f'server "{name}" cannot be started: there is no {launch.command} (looked for from {launch.cwd})',
            hint="correct the command; a relative path starts at the folder in which the server runs",
        )
    path = launch.env.get("PATH", os.defpath)
    return ServerUnavailable(
        f'server "{name}" cannot be started: there is no command {launch.command} in PATH ({path})',
        hint=f"is it spelled right, and installed? where it works in a terminal, give the command as an absolute path: "
        f"`command -v {launch.command}` prints that there",
    )


def _has_running_member(group: int) -> bool:
    """Linux: whether a process of the group is more than an uncollected rest."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                state, _parent, its_group = file.read().rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(its_group) == group and state not in (b"Z", b"X"):
            return True
    return False
