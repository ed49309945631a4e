"""What the gate says of SQL against what SQLite and DuckDB really do with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synartesis.policy.sql import is_read_only
from tests.unit.policy.scratch import DuckDb, Scratch, Sqlite
from tests.unit.policy.sql_corpus import reads, writes


@pytest.mark.parametrize("engine", [Sqlite, DuckDb], ids=["sqlite", "duckdb"])
@pytest.mark.timeout(300)
def test_what_passes_the_gate_changes_nothing_when_it_is_carried_out(
    engine: type[Scratch], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held_against_the_server(engine(tmp_path), capsys)


def held_against_the_server(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every statement of a dialect's corpus is carried out, and what it changed is compared with what the gate says."""
    wrong, acted, looked = [], 0, 0
    bad, good = writes(scratch.dialect), reads(scratch.dialect)
    for statement in bad + good:
        changed = scratch.changed_by(statement)
        passes = is_read_only({"q": scratch.spelled(statement).text}, (("q",),), scratch.dialect) is None
        if changed and (passes or statement in good):
            wrong.append(f"{statement} changed {', '.join(changed)}: {statement.text}")
        acted += bool(changed)
        looked += changed == [] and statement in good
    with capsys.disabled():
        sys.stdout.write(
            f"\n{scratch.dialect}: {acted} of {len(bad)} writes took effect here, "
            f"{looked} of {len(good)} published reads ran and changed nothing\n"
        )
    assert wrong == []
    assert acted >= 40  # else the scratch database sees nothing
    assert looked >= 20
