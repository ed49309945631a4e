"""Somebody else's manifest, added to: what stood there stands there, byte for byte and in its order."""

from __future__ import annotations

from pathlib import Path

import pytest

from synartesis.onboard.draft import draft_rules
from synartesis.onboard.extend import CannotExtend, NewServer, add_rules, add_server, new_manifest
from synartesis.policy.manifest import Manifest
from synartesis.policy.reader import examine
from tests.unit.onboard.descriptors import tool

FILES = NewServer("files", "npx", ("-y", "server", "./a dir"), ("TOKEN",), "sub")
DRAFTS = draft_rules("files", [tool("read", "path", reads=True), tool("write", "path", "content")])

#: What people write, and (where it is worth showing) what becomes of it.
FORMS = {
    "usual": """\
# my servers
version: 1

servers:
  crm:          # the CRM
    command: python3
    args: ["./crm.py"]   # here
    # args: ["./other.py"]

# what may happen
tools:
  - match: "crm.get"   # a read
    class: readonly
  # and nothing else
""",
    "tools first": """\
version: 1
tools:
    -   match: crm.get
        class: readonly

    # about the servers
servers:
    crm:
        command: x
""",
    "dashes at the edge": """\
version: 1
servers:
  crm: {command: x}
tools:
- match: crm.get
  class: readonly
# the end
""",
    "dashes at the edge, then servers": """\
tools:
- match: crm.get
  class: readonly
# the servers
servers:
  crm: {command: x}
version: 1
""",
    "braces": """\
version: 1
servers: {crm: {command: x, args: [a, b,],},}  # one
tools: [{match: crm.get, class: readonly},]
""",
    "braces over lines": """\
version: 1
servers: {
  crm: {command: x}  # one
}
tools: [
  {match: crm.get, class: readonly},  # a read
  # more to come
]
""",
    "JSON": '{"version": 1, "servers": {"crm": {"command": "x"}}, "tools": [{"match": "crm.get", "class": "readonly"}]}\n',
    "JSON without rules": '{\n  "version": 1,\n  "servers": {"crm": {"command": "x"}}\n}\n',
    "no rules": "version: 1\nservers:\n  crm:\n    command: x\n",
    "no rules, and it ends with comments": "version: 1\nservers:\n  crm:\n    command: x\n\n# vim: set et:\n",
    "no rules, servers first": "servers:\n  crm:\n    command: x\nversion: 1\n",
    "an empty list": "version: 1\nservers:\n  crm:\n    command: x\ntools: []  # none yet\n",
    "an empty list before the servers": "version: 1\ntools: []\nservers:\n  crm:\n    command: x\n",
    "no line end at the end": "version: 1\nservers:\n  crm:\n    command: x\ntools:\n  - {match: crm.get, class: readonly}",
    "a comment without a line end": "version: 1\nservers:\n  crm: {command: x}\ntools:\n  - {match: crm.get, class: readonly}\n"
    "  # end",
    "Windows": "version: 1\r\nservers:\r\n  crm:\r\n    command: x\r\ntools:\r\n  - match: crm.get\r\n    class: readonly\r\n",
    "a byte order mark": "\ufeffversion: 1\nservers:\n  crm: {command: x}\n",
    "a document's start and end": "---\nversion: 1\nservers:\n  crm: {command: x}\n...\n",
    "a text over lines": """\
version: 1
servers:
  crm:
    command: x
    env:
      NOTE: |+
        first

        # no comment

tools:
  - match: crm.get
    class: readonly
""",
    "anchors and merges": """\
version: 1
servers: &s
  crm: &crm {command: x}
  two:
    <<: *crm
tools: &t
  - &read
    match: crm.get
    class: readonly
  - <<: *read
    match: two.get
""",
    "a dash alone": "version: 1\nservers:\n  crm: {command: x}\ntools:\n  -\n    match: crm.get\n    class: readonly\n",
    "keys in quotes": '"version": 1\n"servers":\n  "crm": {command: x}\n"tools":\n  - {"match": "crm.get", class: readonly}\n',
    "words of ours in other places": """\
version: 1
servers:
  tools:
    command: "servers:"
    args: ["tools:", "- match: x"]
tools:
  - match: tools.servers
    class: readonly
""",
}


def load(text: str) -> Manifest:
    examined = examine(text.encode(), Path("/m.yaml"))
    assert examined.manifest is not None, (text, examined.problems)
    return examined.manifest


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_a_server_and_rules_are_added_and_nothing_else_changes(text: str) -> None:
    before = load(text)

    extended = add_rules(add_server(text, FILES), DRAFTS, header=["what came"])

    after = load(extended)
    assert [spec.name for spec in before.servers] == [spec.name for spec in after.servers[:-1]]
    assert ("files", "npx", ("-y", "server", "./a dir"), "sub") == _started(after)
    assert (("TOKEN", "${TOKEN}"),) == after.servers[-1].env
    assert [rule.match for rule in (*before.rules,)] == [rule.match for rule in after.rules[:-2]]
    assert [("files.read", "readonly"), ("files.write", "irreversible")] == [
        (rule.match, str(rule.tool_class)) for rule in after.rules[-2:]
    ]
    assert _is_contained(text.replace("tools: []", "tools:"), extended)


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_the_file_keeps_its_line_ends_and_how_it_ends(text: str) -> None:
    extended = add_rules(add_server(text, FILES), DRAFTS)

    assert ("\r\n" in text) == ("\r\n" in extended)
    assert text.count("\r\n") == text.count("\n") or "\r" not in extended
    assert text.endswith("\n") == extended.endswith("\n")


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_it_can_be_done_again_and_again(text: str) -> None:
    for number in range(3):
        text = add_server(text, NewServer(f"s{number}", "x"))
        text = add_rules(text, draft_rules(f"s{number}", [tool("a"), tool("b", reads=True)]), header=[f"--- s{number}"])

    assert ["s0.a", "s0.b", "s1.a", "s1.b", "s2.a", "s2.b"] == [rule.match for rule in load(text).rules[-6:]]


def test_comments_stay_with_what_they_are_about() -> None:
    extended = add_rules(add_server(FORMS["usual"], FILES), DRAFTS, header=["files: new"])

    assert (
        extended
        == """\
# my servers
version: 1

servers:
  crm:          # the CRM
    command: python3
    args: ["./crm.py"]   # here
    # args: ["./other.py"]
  files:
    command: npx
    args: ["-y", "server", "./a dir"]
    cwd: "sub"
    env:
      TOKEN: "${TOKEN}"

# what may happen
tools:
  - match: "crm.get"   # a read
    class: readonly
  # and nothing else

  # files: new

  - match: "files.read"
    class: readonly  # marked for review: the server says so
  - match: "files.write"
    class: irreversible  # TODO: held until a person approves it. Where a call undoes it, write instead:
    # class: reversible
    # snapshot: {tool: "files.read", args: {path: "$.path"}}
    # inverse: {tool: "files.write", args: {path: "$.path", content: "$snapshot.content"}}
"""
    )


def test_a_comment_at_the_edge_stays_above_what_follows_it() -> None:
    extended = add_rules(FORMS["dashes at the edge, then servers"], DRAFTS)

    assert "# the servers\nservers:\n" in extended


UNSAFE = {
    "servers that are an alias": "x: &s {crm: {command: x}}\nservers: *s\n",
    "servers that come by a merge": "<<: {servers: {crm: {command: x}}}\n",
    "no mapping at all": "- a\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", UNSAFE.values(), ids=UNSAFE.keys())
def test_where_no_place_is_safe_nothing_is_made(text: str) -> None:
    with pytest.raises(CannotExtend):
        add_server(text, FILES)


def test_a_new_manifest_is_as_a_person_would_write_it() -> None:
    assert (
        new_manifest(["mine"], FILES)
        == """\
# mine
version: 1

servers:
  files:
    command: npx
    args: ["-y", "server", "./a dir"]
    cwd: "sub"
    env:
      TOKEN: "${TOKEN}"
"""
    )


def _started(manifest: Manifest) -> tuple[str, str, tuple[str, ...], str]:
    spec = manifest.servers[-1]
    return spec.name, spec.command, spec.args, spec.cwd


def _is_contained(old: str, new: str) -> bool:
    """Whether the new text is the old one with pieces put in between."""
    rest = iter(new)
    return all(character in rest for character in old)
