"""The JSON Schema (2020-12) of the manifest, for editors. What only a reader can judge (references, servers that exist) is
not in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("schema.json")


def manifest_schema() -> dict[str, Any]:
    """The schema as a value."""
    schema: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return schema
