"""One desk per test, in UTC and without a home, so that transcripts are the same everywhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.desk import Desk

MANIFEST = """\
version: 1
servers:
  crm: {command: python3, args: ["./crm_server.py"]}
tools:
  - match: "crm.get_customer"
    class: readonly
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    folder = tmp_path / "crm"
    folder.mkdir()
    installed = tmp_path / "bin"
    installed.mkdir()
    (installed / "synartesis").touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{installed}:{os.path.dirname(sys.executable)}:{os.defpath}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("SYNARTESIS_HOME", raising=False)
    monkeypatch.delenv("SYNARTESIS_DEBUG", raising=False)
    monkeypatch.chdir(folder)
    time.tzset()
    made = Desk(folder, capsys)
    made.manifest.write_text(MANIFEST, encoding="utf-8")
    yield made
    monkeypatch.undo()
    time.tzset()
