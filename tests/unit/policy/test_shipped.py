"""The policies that ship with the package load as they are, and every tool that their rules call has a rule itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from tests.support.world import ROOT

SHIPPED = sorted((ROOT / "src/synartesis/manifests").glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_policy_loads_without_a_warning(path: Path) -> None:
    assert read_manifest(path).warnings == ()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_read_and_every_inverse_of_a_shipped_policy_has_a_rule_of_its_own(path: Path) -> None:
    manifest = read_manifest(path)
    policy = Policy(manifest)

    called = [call.tool for rule in manifest.rules for call in (*rule.inverse, *rule.inverse_if_absent)]
    called += [read.tool for rule in manifest.rules for _, read in rule.reads]

    assert called
    assert [tool for tool in called if policy.rule_for(tool).is_default] == []
