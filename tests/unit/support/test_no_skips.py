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

ONE_IS_FOR_ROOT = """
import pytest

@pytest.mark.root
def test_for_root():
    pass
"""


@pytest.mark.parametrize(("switch", "code"), [pytest.param("1", 1, id="on"), pytest.param("", 0, id="off")])
def test_a_skip_fails_the_run_only_where_nothing_may_be_missing(tmp_path: Path, switch: str, code: int) -> None:
    done = run(tmp_path, ONE_SKIPS, switch)

    assert done.returncode == code, done.stdout + done.stderr
    assert ("test_it.py::test_that_skips: Skipped: node is not installed" in done.stdout) == bool(switch)


def test_what_only_root_can_run_is_no_hole_where_somebody_else_runs_the_tests(tmp_path: Path) -> None:
    somebody_else = "import os\nos.geteuid = lambda: 1000\n"

    assert run(tmp_path, somebody_else + ONE_IS_FOR_ROOT, "1").returncode == 0
    assert run(tmp_path, somebody_else + ONE_IS_FOR_ROOT + ONE_SKIPS, "1").returncode == 1


def run(folder: Path, tests: str, switch: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(tests, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = root\n", encoding="utf-8")
    env = os.environ | {"SYNARTESIS_NO_SKIPS": switch, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    argv = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-q", str(folder)]
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, cwd=folder, check=False)
