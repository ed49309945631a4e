"""What every test may ask for, and the switch by which a run may skip nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import World

NO_SKIPS = os.environ.get("SYNARTESIS_NO_SKIPS") == "1"
"""Set where everything that a test can need is there, so that a skip means a hole: `.ci/run`."""

ONLY_ROOT = "only root can do this"
"""Why a test that is marked `root` is skipped. No hole: whoever runs the tests as somebody else runs these by themselves."""

skipped: dict[str, str] = {}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "world")
    yield world
    world.close()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("root") and os.geteuid() != 0:
        pytest.skip(ONLY_ROOT)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        note_skip(report)


def note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not why.endswith(ONLY_ROOT):
        skipped[report.nodeid] = why


def pytest_sessionfinish(session: pytest.Session) -> None:
    if NO_SKIPS and skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if NO_SKIPS and skipped:
        terminalreporter.section("skipped, where nothing may be (SYNARTESIS_NO_SKIPS=1)", red=True)
        for test, why in sorted(skipped.items()):
            terminalreporter.line(f"{test}: {why}")
