"""What `watch` looks at: who is connected, what waits, and whether a manifest is still the one that its proxies run."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from synartesis.domain.records import Run
from synartesis.domain.status import ApprovalStatus, RunKind
from synartesis.journal import liveness
from synartesis.journal.reads import SqliteHistory
from synartesis.present.watching import Active, Watched

MOST_ACTIVE = 200
"""Runs are looked at from the newest; one that is older than so many others is not watched."""


class Digests:
    """What manifests are now. A file is read again only when it was touched."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int], str]] = {}

    def has_changed(self, run: Run) -> bool:
        """Whether the run's manifest says something else than when the run started. One that is gone has."""
        try:
            found = os.stat(run.manifest)
            touched = (found.st_mtime_ns, found.st_size)
            if run.manifest not in self._known or self._known[run.manifest][0] != touched:
                digest = hashlib.sha256(Path(run.manifest).read_bytes()).hexdigest()
                self._known[run.manifest] = touched, digest
        except OSError:
            return True
        return self._known[run.manifest][1] != run.manifest_digest


def look(history: SqliteHistory, journal: Path, digests: Digests) -> Watched:
    """Everything there is to see now."""
    rows = [row for row in history.runs(limit=MOST_ACTIVE) if row.run.ended_at is None]
    agents = [row for row in rows if row.run.kind is RunKind.AGENT and liveness.is_alive(row.run.process)]
    active = [Active(row, history.last_call(row.run.id), digests.has_changed(row.run)) for row in reversed(agents)]
    return Watched(str(journal), tuple(active), tuple(history.approvals([ApprovalStatus.WAITING])), history.frozen())
