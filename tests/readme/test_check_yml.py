"""The workflow does what .ci/run does, on every system and Python that the README promises."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import YAML

from tests.support.world import ROOT

WORKFLOW: dict[str, Any] = YAML(typ="safe").load((ROOT / ".github" / "workflows" / "check.yml").read_bytes())
JOB = WORKFLOW["jobs"]["check"]


def test_it_runs_on_both_systems_and_on_the_oldest_and_the_newest_python() -> None:
    [oldest] = re.findall(r'requires-python = ">=(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    matrix = JOB["strategy"]["matrix"]

    assert {"ubuntu-latest", "macos-latest"} == set(matrix["os"])
    assert {oldest, "3.x"} == set(matrix["python"])


def test_it_runs_everything_that_has_to_hold_before_a_change_lands() -> None:
    wanted = re.findall(r"^make [a-z-]+$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    runs = [step["run"] for step in JOB["steps"] if "run" in step]

    assert wanted == [run for run in runs if run.startswith("make ")]
    assert any("test_install.py" in run for run in runs)


def test_what_only_root_can_run_is_run_by_root() -> None:
    [step] = [step for step in JOB["steps"] if "-m root" in step.get("run", "")]

    assert step["run"].startswith("sudo --preserve-env ")
    assert "ubuntu" in step["if"]


def test_actions_are_pinned_and_nothing_secret_is_within_reach() -> None:
    actions = [step["uses"] for step in JOB["steps"] if "uses" in step]

    assert [] == [action for action in actions if not re.fullmatch(r"actions/[a-z-]+@v\d+", action)]
    assert {"contents": "read"} == WORKFLOW["permissions"]
    assert "secrets." not in (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
