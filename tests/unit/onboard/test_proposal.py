"""What `init` would write: only what loads, only what is new, and only what leaves the rest as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from synartesis.domain.status import ToolClass
from synartesis.errors import ManifestInvalid, UsageError
from synartesis.onboard.extend import NewServer
from synartesis.onboard.proposal import propose, with_server
from tests.unit.onboard.descriptors import CRM, tool
from tests.unit.onboard.test_known import offered_by

PATH = Path("/work/synartesis.yaml")
SERVER = NewServer("crm", "python3", ("crm.py",))
OTHER = b"""\
version: 1
servers:
  mail: {command: mail-server}
tools:
  - {match: "*.send_*", class: irreversible, gate: always}
  - {match: "mail.*", class: readonly}
"""


def test_a_new_file_holds_the_server_and_a_rule_for_every_tool() -> None:
    proposal = propose(PATH, None, SERVER, CRM)

    assert proposal.is_new_file
    assert proposal.text.startswith("# What may happen with the tools of these servers.")
    assert ["crm.get_customer"] == proposal.of_class(ToolClass.READONLY)
    assert 3 == len(proposal.of_class(ToolClass.IRREVERSIBLE))
    assert 4 == proposal.tools


def test_a_rule_that_is_there_already_governs_and_nothing_is_drafted_over_it() -> None:
    proposal = propose(PATH, OTHER, SERVER, CRM)

    assert not proposal.is_new_file
    assert proposal.is_new_server
    assert (("send_email", "*.send_*"),) == proposal.governed
    assert "crm.send_email" not in proposal.text


def test_a_server_that_is_there_gets_rules_for_what_has_come_since_and_nothing_else() -> None:
    first = propose(PATH, None, SERVER, CRM[:2]).text
    mine = first.replace("# TODO: held", "# mine: held")

    second = propose(PATH, mine.encode(), SERVER, CRM)

    assert not second.is_new_server
    assert ["crm.delete_customer", "crm.send_email"] == [rule.match for rule in second.added]
    assert second.text.startswith(mine)


def test_where_every_tool_has_a_rule_the_text_is_the_same() -> None:
    text = propose(PATH, None, SERVER, CRM).text

    again = propose(PATH, text.encode(), SERVER, CRM)

    assert again.text == text
    assert () == again.added


WRITES_OF_MEMORY = [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
]


def test_a_policy_that_fits_is_taken_with_its_comments() -> None:
    proposal = propose(PATH, OTHER, NewServer("brain", "x"), offered_by("memory"))

    assert "memory" == proposal.policy
    assert "proved with @modelcontextprotocol/server-memory" in proposal.about
    assert "# --- brain: the policy `memory` that ships with Synartesis." in proposal.text
    assert "# Where it runs out:" in proposal.text
    assert [f"brain.{tool}" for tool in WRITES_OF_MEMORY] == proposal.of_class(ToolClass.REVERSIBLE)


def test_a_policy_that_does_not_fit_is_told_with_the_rule_and_the_tools_are_drafted() -> None:
    tools = [one for one in offered_by("memory") if one["name"] != "read_graph"]

    proposal = propose(PATH, None, NewServer("brain", "x"), tools)

    assert "" == proposal.policy
    assert proposal.misfit is not None
    assert "memory" == proposal.misfit.policy
    assert "brain.read_graph" in proposal.misfit.why
    assert "TODO" in proposal.text
    assert not proposal.of_class(ToolClass.REVERSIBLE)


def test_of_a_policy_that_fits_only_what_has_no_rule_yet_is_taken() -> None:
    data = b'version: 1\nservers: {m: {command: x}}\ntools:\n  - {match: "m.create_entities", class: irreversible}\n'

    proposal = propose(PATH, data, NewServer("m", "x"), offered_by("memory"))

    assert "memory" == proposal.policy
    assert (("create_entities", "m.create_entities"),) == proposal.governed
    assert [f"m.{tool}" for tool in WRITES_OF_MEMORY[1:]] == proposal.of_class(ToolClass.REVERSIBLE)


def test_a_policy_that_was_asked_for_is_taken_with_tools_that_it_does_not_know_drafted() -> None:
    proposal = propose(PATH, None, NewServer("m", "x"), [*offered_by("memory"), tool("wipe")], policy="memory")

    assert "memory" == proposal.policy
    assert "m.wipe" in proposal.of_class(ToolClass.IRREVERSIBLE)


def test_a_policy_that_was_asked_for_and_does_not_fit_is_an_error_with_the_rule() -> None:
    with pytest.raises(UsageError) as caught:
        propose(PATH, None, SERVER, CRM, policy="memory")

    assert "memory.yaml:" in caught.value.message
    assert "`crm.read_graph`, which the server does not offer" in caught.value.message


@pytest.mark.parametrize("name", ["a.b", "a__b", "", "*"])
def test_a_name_that_no_manifest_can_hold_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(ManifestInvalid) as caught:
        with_server(PATH, None, NewServer(name, "x"))

    assert str(PATH) in caught.value.message
    assert caught.value.hint


def test_a_name_that_means_another_server_there_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        propose(PATH, OTHER, NewServer("mail", "another"), CRM)

    assert "another server named 'mail': mail-server" in caught.value.message


def test_a_file_that_cannot_be_read_is_not_extended_and_says_what_is_wrong_where() -> None:
    with pytest.raises(ManifestInvalid) as caught:
        propose(PATH, OTHER.replace(b"class: readonly", b"clas: readonly"), SERVER, CRM)

    assert "was not extended" in caught.value.message
    assert "synartesis.yaml:6" in caught.value.message


ALIAS = b"""\
version: 1
<<: {servers: {mail: {command: x}}}
tools: []
"""


def test_a_file_without_a_safe_place_is_left_alone_with_the_lines_to_put_in_by_hand() -> None:
    with pytest.raises(ManifestInvalid) as caught:
        propose(PATH, ALIAS, SERVER, CRM)

    assert "  crm:\n    command: python3" in caught.value.message


def test_an_extension_that_would_not_load_is_never_handed_out() -> None:
    data = b"version: 1\nservers:\n  mail: {command: x}\n  # servers end here\n"
    proposal = propose(PATH, data, SERVER, CRM)
    assert proposal.manifest.server("crm").command == "python3"

    with pytest.raises(ManifestInvalid):
        propose(PATH, b"version: 1\nservers: {mail: {command: x}}\ntools: *nothing\n", SERVER, CRM)


def test_tools_that_no_rule_can_name_are_said_to_be_held() -> None:
    assert ("a*b",) == propose(PATH, None, SERVER, [tool("a*b", reads=True)]).not_named


def test_a_server_without_tools_gets_an_entry_and_no_rules() -> None:
    proposal = propose(PATH, OTHER, SERVER, [])

    assert proposal.is_new_server
    assert () == proposal.added
    assert proposal.text.count("tools:") == 1
