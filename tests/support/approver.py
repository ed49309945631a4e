"""A journal with an approver, and the two who want something of it: the person who knows the passphrase, and an agent that has a
shell as the same user and does not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from synartesis.approver.key import LockedKey, Sign, make_key, unlock
from synartesis.approver.pin import KeyFile, write_key_file
from synartesis.approver.statement import approval_statement
from synartesis.journal import open_journal
from synartesis.journal.ledger import stamp
from tests.support.terminal import Terminal
from tests.support.world import World

PASSPHRASE = "correct horse battery staple"
CHEAP = 1 << 4
"""What a real key costs is for the test of the real set-up."""


class Person:
    """Knows the passphrase, and sits at a terminal of their own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.key = make_key(PASSPHRASE, cost=CHEAP)

    def set_up(self) -> None:
        """As `approver setup` does it."""
        write_key_file(home_of(self.world), KeyFile(self.key, (str(self.world.journal.resolve()),)))
        record_key(self.world.journal, self.key.public)

    def approve(self, *words: str) -> str:
        """What was to be read on the terminal."""
        code, seen = self.type_passphrase("approve", *words)
        assert code == 0, seen
        return seen

    def type_passphrase(self, *words: str, passphrase: str = PASSPHRASE) -> tuple[int, str]:
        with on_a_terminal_of_its_own(self.world, *words) as terminal:
            terminal.until("Passphrase of")
            terminal.type(f"{passphrase}\n")
            return terminal.ended(), terminal.seen

    def sign(self, row: dict[str, Any], *, at: datetime) -> str:
        """A signature that they really gave, at some time."""
        return signature_of(self.key, row, at=at)


class Agent:
    """May run every command, and read and write every file, as the same user."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.key = make_key("a passphrase of my own", cost=CHEAP)

    def sql(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.world.journal, timeout=30, isolation_level=None)) as database:
            return database.execute(statement, values).fetchall()

    def request(self, id: str | None = None) -> dict[str, Any]:
        """A request as it stands in the journal: the newest, or this one."""
        with closing(sqlite3.connect(self.world.journal, timeout=30)) as database:
            database.row_factory = sqlite3.Row
            rows = database.execute(
                "SELECT q.*, a.id AS id, a.tool AS tool, s.name AS server FROM approvals AS q JOIN actions AS a"
                " ON a.number = q.action JOIN servers AS s ON s.number = a.server ORDER BY q.action DESC"
            ).fetchall()
        return dict(next(row for row in rows if id in (None, row["id"])))

    def grant(self, row: dict[str, Any], *, at: datetime | None = None, signature: str = "", by: str = "ada") -> None:
        """Write a yes into a request's row."""
        self.sql(
            "UPDATE approvals SET status = 'granted', decided_at = :at, decided_by = :by, reason = '', spent_by = NULL,"
            " signature = :signature WHERE action = :action",
            at=stamp(at or datetime.now(UTC)),
            by=by,
            signature=signature,
            action=row["action"],
        )

    def grant_with_my_key(self, row: dict[str, Any]) -> None:
        at = datetime.now(UTC)
        self.grant(row, at=at, signature=signature_of(self.key, row, at=at, passphrase="a passphrase of my own"))


def signature_of(
    key: LockedKey, row: dict[str, Any], *, at: datetime, by: str = "ada", passphrase: str = PASSPHRASE
) -> str:
    sign: Sign | None = unlock(key, passphrase)
    assert sign is not None
    return sign(
        approval_statement(
            asker=row["asker"],
            request=row["id"],
            server=row["server"],
            tool=row["tool"],
            fingerprint=row["fingerprint"],
            at=stamp(at),
            by=by,
            reason="",
        )
    )


def home_of(world: World) -> Path:
    return world.home / ".synartesis"


def record_key(journal: Path, public: str) -> None:
    with closing(open_journal(journal)) as opened:
        opened.set_approver(public, by="somebody")


@contextmanager
def on_a_terminal_of_its_own(world: World, *words: str) -> Iterator[Terminal]:
    with Terminal([*world.program, *words], env=world.env, cwd=world.folder) as terminal:
        yield terminal
