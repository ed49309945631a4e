"""Whoever decides is told that something waits: by the manifest's own command, which gets the request on stdin, and by the
desktop where there is one. In a thread, seldom enough to flood nobody; whatever becomes of it, the call knows nothing of it."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from synartesis.domain.canonical import NotJson, decode_json, encode_json
from synartesis.domain.records import Approval
from synartesis.relay.log import Log

SELDOM_S: Final = 10.0
"""From one notification to the next; what is held meanwhile is told together."""
PATIENCE_S: Final = 30.0
"""How long a command may take; then it is ended with all that it started."""

CLOSING_S: Final = 1.0
"""How long it may go on when the proxy ends."""

Command = tuple[str, ...]


class Notifier:
    """`held` returns at once. `desktop`: what shows a notification on this desktop, where something does."""

    def __init__(
        self,
        command: Command,
        *,
        desktop: Command = (),
        folder: Path,
        approve_command: Callable[[str], str],
        log: Log,
        seldom_s: float = SELDOM_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._command = command
        self._desktop = desktop
        self._folder = folder
        self._approve_command = approve_command
        self._log = log
        self._seldom_s = seldom_s
        self._patience_s = patience_s
        self._held: queue.SimpleQueue[Approval | None] = queue.SimpleQueue()
        """None: there is no more to come."""
        self._worker: threading.Thread | None = None
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False
        """Nothing is started any more."""

    def close(self) -> None:
        """The proxy ends: what was held last may be told, for a moment; what then runs is ended with all that it started."""
        self._closing.set()
        self._held.put(None)
        if self._worker is not None:
            self._worker.join(CLOSING_S)
        with self._starting:
            self._closed = True
        if self._child is not None:
            _end(self._child)

    def held(self, request: Approval) -> None:
        self._held.put(request)
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="notifier", daemon=True)
            self._worker.start()

    def _work(self) -> None:
        while not (self._closing.is_set() and self._held.empty()):
            taken = [self._held.get()]
            while not self._held.empty():
                taken.append(self._held.get())
            requests = [request for request in taken if request is not None]
            if requests and self._command:
                self._run(self._command, self._told(requests))
            if requests and self._desktop:
                self._run((*self._desktop, _for_desktop(len(requests))), b"")
            self._closing.wait(self._seldom_s)

    def _told(self, requests: Sequence[Approval]) -> bytes:
        """The newest request, and the ids of those that were held since the last time."""
        *others, newest = requests
        try:
            arguments = decode_json(newest.arguments)
        except NotJson:
            arguments = None
        return encode_json(
            {
                "id": newest.id,
                "run": newest.asked_in or newest.run,
                "seq": newest.seq,
                "server": newest.server,
                "tool": newest.tool,
                "args": arguments,
                "why": newest.why,
                "requested_at": newest.requested_at,
                "approve": self._approve_command(newest.id),
                "others": [request.id for request in others],
            }
        )

    def _start(self, command: Command) -> subprocess.Popen[bytes] | None:
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,  # ours belongs to the client
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._log.warning("notifier_failed", command=command[0], why=str(error))
            return None

    def _run(self, command: Command, told: bytes) -> None:
        with self._starting:
            child = None if self._closed else self._start(command)
            self._child = child
        if child is None:
            return
        try:
            child.communicate(told + b"\n" if told else None, timeout=self._patience_s)
        except subprocess.TimeoutExpired:
            self._log.warning("notifier_ended", command=command[0], why=f"it took longer than {self._patience_s:g} s")
            _end(child)
            child.communicate()
            return
        finally:
            self._child = None
        if child.returncode:
            self._log.warning("notifier_failed", command=command[0], why=f"it ended with {child.returncode}")


def desktop_command() -> Command:
    """What shows a notification here; its last argument is the text. Empty where nothing does."""
    if sys.platform == "darwin" and shutil.which("osascript"):
        script = 'on run argv\ndisplay notification (item 1 of argv) with title "Synartesis"\nend run'
        return ("osascript", "-e", script)
    if os.environ.get("DBUS_SESSION_BUS_ADDRESS") and shutil.which("notify-send"):
        return ("notify-send", "--app-name=Synartesis", "Synartesis")
    return ()


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)


def _for_desktop(number: int) -> str:
    """Nothing that an agent chose stands in it: a desktop shows markup, and everybody who passes reads it."""
    what = "A call waits" if number == 1 else f"{number} calls wait"
    return f"{what} for your decision: synartesis gates"
