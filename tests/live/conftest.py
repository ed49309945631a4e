"""Where the real servers are. `make test-live` installs what tests/live/package-lock.json names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.world import ROOT

PACKAGES = ROOT / ".cache" / "node" / "node_modules"


def node_server(script: str) -> list[str]:
    """The command line of a server from npm; skips the test, with the reason, where it cannot run."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    path: Path = PACKAGES / script
    if not path.exists():
        pytest.skip(f"{script} is not installed: run `make test-live`")
    return [node, str(path)]


@pytest.fixture
def filesystem_server() -> list[str]:
    """@modelcontextprotocol/server-filesystem; the folders that it may touch are added to it."""
    return node_server("@modelcontextprotocol/server-filesystem/dist/index.js")
