"""`install.sh` as a stranger runs it: in an empty home, with a bare PATH, piped and from a clone, twice, and away again.

Needs a package index (or a folder of wheels) that pip finds, hence `live`.
"""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.stranger import SOURCES, put_programs
from tests.support.world import ROOT

LIMIT_S = 110


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Stranger(NamedTuple):
    """Somebody with an empty home, one folder of their own on PATH, and hardly anything else."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def tools(self) -> Path:
        return self.folder / "tools" / "bin"

    @property
    def archive(self) -> Path:
        return self.folder / "synartesis.tar.gz"

    @property
    def venv(self) -> Path:
        return self.home / ".local" / "share" / "synartesis" / "venv"

    def run(self, *words: str | Path, stdin: bytes = b"", **env: str) -> Ran:
        own = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:{self.tools}",
            "SYNARTESIS_SOURCE": f"file://{self.archive}",
        }
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        done = subprocess.run(
            [self.tools / "env", "-i", *(f"{name}={value}" for name, value in (own | pip | env).items()), *words],
            input=stdin,
            capture_output=True,
            cwd=self.home,
            timeout=LIMIT_S,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def piped(self, *options: str, **env: str) -> Ran:
        """`curl ... | bash -s -- OPTIONS`"""
        return self.run("bash", "-s", "--", *options, stdin=(ROOT / "install.sh").read_bytes(), **env)

    def left(self) -> list[str]:
        """Everything in the home and in the folder on PATH."""
        return [str(path.relative_to(self.folder)) for top in (self.home, self.bin) for path in top.rglob("*")]


@pytest.fixture
def stranger(tmp_path: Path) -> Stranger:
    made = Stranger(tmp_path)
    made.home.mkdir()
    made.bin.mkdir()
    put_programs(made.tools)
    return made


def pack(stranger: Stranger) -> None:
    """What a download gives: one folder, in it what is in the repository."""

    def without_leftovers(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if "__pycache__" in entry.name else entry

    with tarfile.open(stranger.archive, "w:gz") as archive:
        for name in SOURCES:
            archive.add(ROOT / name, f"synartesis-main/{name}", filter=without_leftovers)


@pytest.mark.live
def test_piped_into_bash_twice_and_uninstalled_nothing_is_left(stranger: Stranger) -> None:
    pack(stranger)
    first = stranger.piped()
    assert first.code == 0, first.err
    listed = stranger.run("synartesis", "list")
    proxy = stranger.run("synartesis-proxy", "--help")

    second = stranger.piped()
    assert second.code == 0, second.err
    version = stranger.run("synartesis", "--version")
    again = stranger.left()
    gone = stranger.piped("--uninstall")

    assert f"Linked: {stranger.bin}/synartesis and {stranger.bin}/synartesis-proxy" in first.out
    assert "neither a journal nor a manifest was found" in listed.err
    assert proxy.out.startswith("usage: synartesis-proxy")
    assert version.out.startswith("synartesis ")
    assert not [path for path in again if path.startswith("home/") and not path.startswith("home/.local")]
    assert gone.code == 0, gone.err
    assert stranger.left() == []
    assert (stranger.run("synartesis").code, stranger.run("bash", "-c", "synartesis").code) == (127, 127)


@pytest.mark.live
def test_where_nothing_can_be_linked_every_printed_command_is_spelled_out(stranger: Stranger) -> None:
    theirs = stranger.bin / "synartesis"
    theirs.write_text("#!/bin/sh\necho theirs\n")
    theirs.chmod(0o755)

    ran = stranger.run(ROOT / "install.sh")
    demo = stranger.run(stranger.venv / "bin" / "synartesis", "connect")
    connected = stranger.home / ".synartesis" / "connected"
    connected.mkdir(parents=True)
    (connected / "claude-code-0123456789ab.json").write_text("{}")
    refused = stranger.run(ROOT / "install.sh", "--uninstall")
    away = stranger.run(ROOT / "install.sh", "--uninstall", "--anyway")

    assert ran.code == 0, ran.err
    assert "nothing was linked" in ran.out
    assert f"{stranger.venv}/bin/synartesis demo" in ran.out
    assert "MCP clients on this machine" in demo.out
    assert refused.code == 1
    assert f"{stranger.venv}/bin/synartesis disconnect claude-code" in refused.err
    assert away.code == 0
    assert theirs.read_text().endswith("echo theirs\n"), "what is not ours is never touched"
    assert not (stranger.home / ".local").exists()


def test_without_a_python_that_is_new_enough_it_says_so_and_leaves_nothing(stranger: Stranger) -> None:
    old = stranger.folder / "old-python"
    old.write_text('#!/bin/sh\n[ "$1" != --version ] || echo Python 3.9.6\n[ "$1" = --version ]\n')
    old.chmod(0o755)

    ran = stranger.piped(PYTHON=str(old))
    missing = stranger.piped(PYTHON="/no/python")

    assert ran.code == 1
    assert f"Synartesis needs Python 3.11 or newer, and {old} is Python 3.9.6" in ran.err
    assert "there is no /no/python" in missing.err
    assert stranger.left() == []


def test_a_download_that_does_not_come_leaves_nothing(stranger: Stranger) -> None:
    nothing = stranger.piped()
    stranger.archive.write_text("<html>not found</html>")
    garbage = stranger.piped()
    with tarfile.open(stranger.archive, "w:gz") as archive:
        archive.add(ROOT / "LICENSE", "something-else/LICENSE")
    other = stranger.piped()

    assert (nothing.code, garbage.code, other.code) == (1, 1, 1)
    assert "could not be downloaded" in nothing.err
    assert "is not an archive" in garbage.err
    assert "does not hold Synartesis" in other.err
    assert stranger.left() == []


def test_piped_with_nothing_to_download_it_says_what_to_set_and_leaves_nothing(stranger: Stranger) -> None:
    ran = stranger.piped(SYNARTESIS_SOURCE="")

    assert ran.code == 1
    assert "there is no release to download yet" in ran.err
    assert "SYNARTESIS_SOURCE=https://" in ran.err
    assert stranger.left() == []


def test_another_shell_is_told_which_one_it_takes(stranger: Stranger) -> None:
    """Where `sh` is bash, it is taken."""
    script = (ROOT / "install.sh").read_bytes()
    by_name = stranger.run("sh", ROOT / "install.sh", "--help")
    piped = stranger.run("sh", "-s", "--", "--help", stdin=script)

    for ran in (by_name, piped):
        assert ran.out.startswith("usage: install.sh") or "install.sh is for bash" in ran.err
        assert "Illegal option" not in ran.err


def test_half_a_script_does_nothing(stranger: Stranger) -> None:
    script = (ROOT / "install.sh").read_bytes()

    for end in range(0, len(script) - len(b'main "$@"\n'), 997):
        stranger.run("bash", stdin=script[:end])

    assert stranger.left() == []


def test_an_unknown_option_is_an_error(stranger: Stranger) -> None:
    ran = stranger.piped("--unlink")

    assert ran.code == 1
    assert "has no option --unlink" in ran.err
