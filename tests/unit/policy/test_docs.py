"""docs/manifest.md: its examples load without a warning, and it leaves no key out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from synartesis.policy.reader import PLACES, examine

TEXT = (Path(__file__).parents[3] / "docs" / "manifest.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_loads(example: str) -> None:
    examined = examine(example.encode(), Path("/synartesis.yaml"))

    assert [] == examined.problems
    assert examined.manifest is not None
    assert all("there are no rules" in warning for warning in examined.manifest.warnings)


SECTIONS = {
    "the manifest": "At the top",
    "a server": "`servers`",
    "a rule": "`tools`: one rule each",
    "a snapshot": "`snapshot`",
    "a verify": "`snapshot`",  # where it is said that it has the same keys
    "an inverse": "`inverse` and `inverse_if_absent`",
    "an entry": "`snapshot`",
    "a decode": "`decode`",
}
"""Where the keys of a place are explained."""


@pytest.mark.parametrize("place", PLACES)
def test_every_key_is_explained_in_the_section_of_its_place(place: str) -> None:
    found = re.search(rf"^## {re.escape(SECTIONS[place])}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = [line.rpartition(" | ")[0] or line for line in found[1].splitlines() if line.startswith(("| `", "- `"))]

    unexplained = [name for name in keys_of(place) if not any(re.search(rf"[`{{ ]{name}[`:]", line) for line in lines)]

    assert [] == unexplained


def test_every_key_is_shown_in_an_example_in_its_place() -> None:
    shown: dict[str, set[str]] = {place: set() for place in PLACES}
    for example in EXAMPLES:
        note_keys(YAML(typ="safe").load(example), shown)
    shown["a verify"] |= shown["a snapshot"]  # they are the same keys

    assert {} == {place: keys_of(place) - names for place, names in shown.items() if keys_of(place) - names}


def keys_of(place: str) -> set[str]:
    return {name for name, key in PLACES[place].items() if key.read}


def note_keys(manifest: Any, shown: dict[str, set[str]]) -> None:
    """The keys of a manifest, by their places."""
    shown["the manifest"] |= set(manifest)
    for server in manifest["servers"].values():
        shown["a server"] |= set(server)
    for rule in manifest.get("tools", []):
        shown["a rule"] |= set(rule)
        for key in ("inverse", "inverse_if_absent"):
            calls = rule.get(key, [])
            for call in calls if isinstance(calls, list) else [calls]:
                shown["an inverse"] |= set(call)
        for key in ("snapshot", "verify"):
            read = rule.get(key, {})
            shown[f"a {key}"] |= set(read)
            for marks in (read.get(when, []) for when in ("absent_when", "error_when", "incomplete_when")):
                shown["an entry"] |= {name for mark in marks if isinstance(mark, dict) for name in mark}
            shown["a decode"] |= set(read["decode"]) if isinstance(read.get("decode"), dict) else set()


def test_what_a_manifest_may_not_use_yet_is_not_explained_as_if_it_could() -> None:
    not_yet = {name for table in PLACES.values() for name, key in table.items() if not key.read}

    assert {"url", "headers", "helper", "roots"} == not_yet
    assert [] == [name for name in not_yet if re.search(rf"^\| `{name}`", TEXT, re.MULTILINE)]
