"""The shipped policy of the toy CRM is the worked example of the manifest, so it has to be whole."""

from __future__ import annotations

from synartesis.demo.toy_crm import TOOLS
from synartesis.domain.names import Tool
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from tests.support.world import ROOT

MANIFEST = ROOT / "src/synartesis/manifests/toy-crm.yaml"


def test_it_has_a_rule_of_every_class_and_leaves_no_tool_to_the_default() -> None:
    manifest = read_manifest(MANIFEST)
    policy = Policy(manifest)

    classes = {name: policy.rule_for(Tool("crm", name)).tool_class for name in TOOLS}

    assert classes == {
        "get_customer": ToolClass.READONLY,
        "list_customers": ToolClass.READONLY,
        "create_customer": ToolClass.COMPENSABLE,
        "update_customer": ToolClass.REVERSIBLE,
        "delete_customer": ToolClass.REVERSIBLE,
        "restore_customer": ToolClass.COMPENSABLE,
        "send_email": ToolClass.IRREVERSIBLE,
    }
    assert not any(policy.rule_for(Tool("crm", name)).is_default for name in TOOLS)
    assert policy.rule_for(Tool("crm", "send_email")).gate is GateMode.ALWAYS
    assert not manifest.warnings
