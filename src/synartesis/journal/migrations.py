"""From each past format to the next one, in words that never change again: what a format was is history."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping

from synartesis.domain.records import ProcessId
from synartesis.journal.liveness import is_alive

Step = Callable[[sqlite3.Connection], None]


def proxies_on(connection: sqlite3.Connection) -> list[int]:
    """Processes that may write into this journal as they know it. All formats have these columns."""
    rows = connection.execute(
        "SELECT DISTINCT p.pid, p.started FROM runs AS r JOIN processes AS p ON p.number = r.process"
        " WHERE r.ended_at IS NULL"
    )
    return [pid for pid, started in rows if pid != os.getpid() and is_alive(ProcessId(pid, started))]


def statements(script: str) -> list[str]:
    """A script in single statements; `executescript` would end the transaction first."""
    found, lines = [], []
    for line in script.splitlines(keepends=True):
        lines.append(line)
        if sqlite3.complete_statement("".join(lines)):
            found.append("".join(lines))
            lines = []
    return found


def _step(script: str) -> Step:
    def run(connection: sqlite3.Connection) -> None:
        for statement in statements(script):
            connection.execute(statement)

    return run


_SIGNED_APPROVALS = """
ALTER TABLE approvals ADD COLUMN asker TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN asked_by INTEGER REFERENCES processes;
ALTER TABLE approvals ADD COLUMN signature TEXT NOT NULL DEFAULT '';
DROP INDEX approvals_waiting;
CREATE UNIQUE INDEX approvals_waiting ON approvals (fingerprint, asker) WHERE status = 'waiting';
CREATE TABLE approvers (number INTEGER PRIMARY KEY REFERENCES events, public TEXT NOT NULL);
"""

_OUTCOMES_AND_PARTS = """
CREATE TABLE outcomes (
    action INTEGER PRIMARY KEY, reply, after_state TEXT, after_why TEXT, after_is_error INTEGER, after_answer, inverse
);
INSERT INTO outcomes SELECT number, reply, after_state, after_why, after_is_error, after_answer, inverse FROM actions
    WHERE number IN (SELECT action FROM events WHERE covers & 4);

CREATE TABLE actions_3 (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL REFERENCES runs, seq INTEGER NOT NULL,
    server INTEGER NOT NULL REFERENCES servers, tool TEXT NOT NULL, arguments NOT NULL, tool_class TEXT NOT NULL,
    fingerprint TEXT NOT NULL, status TEXT NOT NULL, resource TEXT, read,
    before_state TEXT, before_why TEXT, before_is_error INTEGER, before_answer,
    captured_read, captured_state TEXT, captured_why TEXT, captured_is_error INTEGER, captured_answer,
    planned, undoes INTEGER REFERENCES actions, undoes_step INTEGER NOT NULL DEFAULT 0,
    claim_released INTEGER NOT NULL DEFAULT 0, approval INTEGER REFERENCES approvals, undone TEXT,
    note TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, UNIQUE (run, seq)
);
INSERT INTO actions_3 SELECT number, id, run, seq, server, tool, arguments, tool_class, fingerprint, status, resource, read,
    before_state, before_why, before_is_error, before_answer,
    captured_read, captured_state, captured_why, captured_is_error, captured_answer,
    planned, undoes, undoes_step, claim_released, approval, undone, note, at FROM actions;
DROP TABLE actions;
ALTER TABLE actions_3 RENAME TO actions;
CREATE UNIQUE INDEX actions_claim ON actions (undoes, undoes_step)
    WHERE undoes IS NOT NULL AND claim_released = 0
    AND status IN ('recorded', 'sent', 'paused', 'applied', 'unknown');
CREATE INDEX actions_inverses ON actions (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX actions_resource ON actions (server, resource) WHERE tool_class <> 'readonly';
CREATE INDEX actions_repeated ON actions (fingerprint) WHERE tool_class = 'irreversible' OR approval IS NOT NULL;

CREATE TABLE blobs_3 (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
    encoding TEXT NOT NULL CHECK (encoding IN ('plain', 'zlib', 'parts')), body BLOB NOT NULL
);
INSERT INTO blobs_3 SELECT number, digest, size, encoding, body FROM blobs;
DROP TABLE blobs;
ALTER TABLE blobs_3 RENAME TO blobs;

DROP INDEX events_action;
CREATE INDEX runs_ended ON runs (ended_at);
"""

_FEWER_QUESTIONS = """
ALTER TABLE approvals ADD COLUMN asked_in INTEGER REFERENCES runs;
ALTER TABLE approvals ADD COLUMN seen_read;
ALTER TABLE approvals ADD COLUMN seen_state TEXT;
ALTER TABLE approvals ADD COLUMN seen_why TEXT;
ALTER TABLE approvals ADD COLUMN seen_is_error INTEGER;
ALTER TABLE approvals ADD COLUMN seen_answer;
ALTER TABLE approvals ADD COLUMN says TEXT NOT NULL DEFAULT '';
CREATE TABLE allowances (
    number INTEGER PRIMARY KEY REFERENCES events, request INTEGER NOT NULL REFERENCES approvals,
    run INTEGER NOT NULL REFERENCES runs, server INTEGER NOT NULL REFERENCES servers, tool TEXT NOT NULL,
    uses INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, at TEXT NOT NULL, by TEXT NOT NULL, reason TEXT NOT NULL,
    asker TEXT NOT NULL, signature TEXT NOT NULL, revoked_at TEXT
);
CREATE INDEX allowances_run ON allowances (run);
CREATE TABLE freezes (
    number INTEGER PRIMARY KEY REFERENCES events, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, by TEXT NOT NULL,
    reason TEXT NOT NULL, ended_at TEXT, ended_by TEXT NOT NULL DEFAULT '', signature TEXT NOT NULL DEFAULT ''
);
"""

_ORDERS = """
CREATE TABLE orders (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, asked_of INTEGER NOT NULL REFERENCES runs,
    what TEXT NOT NULL CHECK (what IN ('undo', 'look')), about TEXT NOT NULL, manifest TEXT NOT NULL,
    options BLOB NOT NULL, by TEXT NOT NULL, signature TEXT NOT NULL, signed_at TEXT NOT NULL, status TEXT NOT NULL,
    asker INTEGER NOT NULL REFERENCES processes, taker INTEGER REFERENCES processes,
    stops INTEGER NOT NULL DEFAULT 0, phase TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0, answer BLOB NOT NULL DEFAULT x''
);
CREATE INDEX orders_waiting ON orders (asked_of) WHERE status = 'waiting';
"""

_SERVER_PROCESSES = """
CREATE TABLE server_processes (
    number INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES processes, server TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, UNIQUE (process, server, pid, started)
);
"""

MIGRATIONS: Mapping[int, Step] = {
    1: _step(_SIGNED_APPROVALS),
    2: _step(_OUTCOMES_AND_PARTS + _FEWER_QUESTIONS),
    3: _step(_ORDERS),
    4: _step(_SERVER_PROCESSES),
}
"""From a format to the next one."""
