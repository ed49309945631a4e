"""The switch by which a skipped test fails a run, tried on a run of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.world import ROOT

ONE_SKIPS = """
import pytest

def test_that_runs():
    pass

def test_that_skips():
    pytest.skip("node is not installed")
"""


@pytest.mark.parametrize(("switch", "code"), [pytest.param("1", 1, id="on"), pytest.param("", 0, id="off")])
def test_a_skip_fails_the_run_only_where_nothing_may_be_missing(tmp_path: Path, switch: str, code: int) -> None:
    (tmp_path / "test_it.py").write_text(ONE_SKIPS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    env = os.environ | {"SYNARTESIS_NO_SKIPS": switch, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    argv = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-q", str(tmp_path)]

    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)

    assert done.returncode == code, done.stdout + done.stderr
    assert ("test_it.py::test_that_skips: Skipped: node is not installed" in done.stdout) == bool(switch)
