"""A PostgreSQL of a test's own: a cluster in a folder of its own, reached through a socket there and by nobody else."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class Cluster:
    """Started and stopped by `cluster()`. Its programs run as a user that is not root, because the server insists on that."""

    def __init__(self, programs: Path, folder: Path, user: dict[str, Any]) -> None:
        self.folder = folder
        self._programs = programs
        self._user = user

    def psql(self, database: str, *commands: str) -> subprocess.CompletedProcess[str]:
        """Each command as one message, all in one session."""
        each = [part for command in commands for part in ("-c", command)]
        return self.run("psql", "-XqAt", "-h", str(self.folder), "-d", database, *each)

    def start_psql(self, database: str, command: str, *, name: str) -> subprocess.Popen[bytes]:
        """A session that goes on beside the test, for as long as its command takes."""
        line = [str(self._programs / "psql"), "-XqAt", "-h", str(self.folder), "-d", database, "-c", command]
        silent = subprocess.DEVNULL
        environment = self._environment() | {"PGAPPNAME": name, "PGOPTIONS": ""}
        return subprocess.Popen(line, env=environment, stdin=silent, stdout=silent, stderr=silent, **self._user)

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._programs / program), *arguments],
            env=self._environment(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=False,
            **self._user,
        )

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return kept | {"PGOPTIONS": "-c statement_timeout=20s", "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Skips the test, with the reason, where PostgreSQL is not installed."""
    programs = _programs()
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="synartesis-pg-"))  # the socket's path has to be short
    try:
        if user:
            shutil.chown(folder, user["user"], user["group"])
        made = Cluster(programs, folder, user)
        _succeeded(made.run("initdb", "-D", str(folder / "data"), "-A", "trust", "-E", "UTF8", "--no-sync"))
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c autovacuum=off"
        log = str(folder / "log")
        _succeeded(made.run("pg_ctl", "-D", str(folder / "data"), "-o", options, "-l", log, "-w", "start"))
        try:
            yield made
        finally:
            made.run("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """Debian keeps those of a server beside each other and off PATH."""
    by_version = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = str(by_version[-1]) if by_version else shutil.which("initdb")
    if found is None:
        pytest.skip("PostgreSQL is not installed (on Debian: apt install postgresql)")
    return Path(found).resolve().parent


def _user() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _succeeded(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
