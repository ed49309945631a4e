"""Commands that only look start fast: what they do not need is not imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import synartesis

SCRIPT = """
import sys
before = set(sys.modules)
from pathlib import Path
from synartesis.journal import open_history
try:
    open_history(Path("/no such journal"))
except Exception:
    pass
print(*sorted(set(sys.modules) - before))
"""


def test_looking_at_a_journal_imports_no_event_loop_and_no_third_party() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(synartesis.__file__).parent.parent)},
    )
    imported = set(done.stdout.split())

    assert "synartesis.journal.reads" in imported
    assert not imported & {"asyncio", "dataclasses", "inspect", "msgspec", "random", "uuid", "json", "subprocess"}
