"""docs/manifest.md: its examples load without a warning, and it leaves no key out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synartesis.policy.reader import PLACES, examine

TEXT = (Path(__file__).parents[3] / "docs" / "manifest.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_loads(example: str) -> None:
    examined = examine(example.encode(), Path("/synartesis.yaml"))

    assert [] == examined.problems
    assert examined.manifest is not None
    assert all("there are no rules" in warning for warning in examined.manifest.warnings)


def test_every_key_is_explained_and_shown_in_an_example() -> None:
    keys = {name for table in PLACES.values() for name, key in table.items() if key.read}

    assert set() == {
        name for name in keys if f"`{name}`" not in TEXT and f"{{{name}:" not in TEXT and f", {name}:" not in TEXT
    }
    assert set() == {name for name in keys if not any(re.search(rf"\b{name}:", example) for example in EXAMPLES)}
