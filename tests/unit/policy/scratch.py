"""Databases on which statements are really carried out, and what each changed: rows, definitions, sequences, settings and
locks of the session, files."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import duckdb
import pytest

from synartesis.policy.sql import is_read_only
from tests.unit.policy.sql_corpus import DIALECTS, Statement, reads, tables, writes

State: TypeAlias = dict[str, object]

SHOP = [
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER, note TEXT, customer TEXT)",
    "INSERT INTO orders VALUES (1, 10, 'a', 'x'), (2, 20, 'b', 'y'), (7, 70, 'g', 'z')",
    "CREATE TABLE t (a INTEGER, b INTEGER, c TEXT)",
    "INSERT INTO t VALUES (1, 2, 'x')",
]


class Scratch(ABC):
    """One database and one session with it, both made anew after a statement that changed something."""

    dialect: ClassVar[str]
    shop: ClassVar[list[str]]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self._asked = ""
        self._before: State = {}

    def changed_by(self, statement: Statement) -> list[str] | None:
        """What a statement changed; None where the server refuses it."""
        asked = next((name for name in ("tpc-h", "tpc-ds") if name in statement.source), "shop")
        if asked != self._asked:
            self.end()
            shutil.rmtree(self.out, ignore_errors=True)
            self.out.mkdir(parents=True)
            self.begin(asked)
            self._asked, self._before = asked, self._state()
        ran = self.carry_out(self.spelled(statement).text)
        after = self._state()
        changed = sorted(key for key in self._before.keys() | after.keys() if self._before.get(key) != after.get(key))
        if changed:
            self._asked = ""
        return changed if ran or changed else None

    def spelled(self, statement: Statement) -> Statement:
        """With the folder that it may write to."""
        return statement._replace(text=statement.text.replace("{OUT}", str(self.out)))

    def tables(self, asked: str) -> list[str]:
        return self.shop if asked == "shop" else tables(asked)

    def _state(self) -> State:
        files = [path for path in self.out.rglob("*") if path.is_file()]
        return self.state() | {"files": sorted((str(path), path.stat().st_size) for path in files)}

    @abstractmethod
    def begin(self, asked: str) -> None:
        """A new database with these tables, and a new session."""

    @abstractmethod
    def end(self) -> None:
        """The session, where there is one."""

    @abstractmethod
    def carry_out(self, text: str) -> bool:
        """Whether the server took the text."""

    @abstractmethod
    def state(self) -> State:
        """All that a statement could change, but for the files in `out`."""


class InOneFile(Scratch):
    """A database that is a file, copied from one that was made once."""

    connection: Any = None

    @property
    def path(self) -> Path:
        return self.folder / "shop.db"

    def begin(self, asked: str) -> None:
        pristine = self.folder / f"{asked}.pristine"
        if not pristine.exists():
            self.make(pristine, self.tables(asked))
        for left in self.folder.glob("shop.db*"):
            left.unlink()
        shutil.copy(pristine, self.path)
        self.connection = self.connect()

    def end(self) -> None:
        if self.connection is not None:
            self.connection.close()

    def digest(self) -> str:
        files = sorted(self.folder.glob("shop.db*"))
        return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.suffix != ".db-shm")).hexdigest()

    @abstractmethod
    def make(self, path: Path, statements: list[str]) -> None: ...

    @abstractmethod
    def connect(self) -> Any: ...


class Sqlite(InOneFile):
    dialect = "sqlite"
    shop: ClassVar[list[str]] = [
        *SHOP,
        "CREATE VIRTUAL TABLE notes USING fts3(note)",
        "INSERT INTO notes VALUES ('one'), ('two')",
    ]
    settings = """
        application_id cache_size foreign_keys ignore_check_constraints journal_mode locking_mode query_only
        recursive_triggers synchronous temp_store user_version writable_schema
    """

    def make(self, path: Path, statements: list[str]) -> None:
        connection = sqlite3.connect(path)
        connection.executescript(";\n".join(statements))
        connection.close()

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None)
        connection.create_function("sweep", 0, (self.out / "swept").touch)
        return connection

    def carry_out(self, text: str) -> bool:
        try:
            self.connection.executescript(text)
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return False
        return True

    def state(self) -> State:
        ask = self.connection.execute
        found: State = {name: ask(f"PRAGMA {name}").fetchall() for name in self.settings.split()}
        found["temporary"] = ask("SELECT * FROM temp.sqlite_schema").fetchall()  # this opens it, too
        found["databases"] = ask("PRAGMA database_list").fetchall()
        found["in a transaction"] = self.connection.in_transaction
        found["database"] = self.digest()
        return found


class DuckDb(InOneFile):
    dialect = "duckdb"
    shop: ClassVar[list[str]] = [
        *SHOP,
        "CREATE SEQUENCE ids START 10",
        "CREATE MACRO sweep() AS nextval('ids')",
    ]
    asked: ClassVar[dict[str, str]] = {
        "tables": "SELECT database_name, schema_name, table_name, sql, comment FROM duckdb_tables() ORDER BY ALL",
        "sequences": "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY ALL",
        "types": "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY ALL",
        "databases": "SELECT database_name, path FROM duckdb_databases() ORDER BY ALL",
        "extensions": "SELECT extension_name, loaded, installed FROM duckdb_extensions() ORDER BY ALL",
        "secrets": "SELECT name, type FROM duckdb_secrets() ORDER BY ALL",
        "variables": "SELECT name, value FROM duckdb_variables() ORDER BY ALL",
        "prepared": "SELECT name, statement FROM duckdb_prepared_statements() ORDER BY ALL",
        "schema": "SELECT current_database(), current_schema()",
    }

    def make(self, path: Path, statements: list[str]) -> None:
        connection = duckdb.connect(str(path))
        for statement in statements:
            connection.execute(statement)
        connection.close()

    def connect(self) -> Any:
        connection = duckdb.connect(str(self.path), config={"threads": 1})
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        connection.execute(f"SET home_directory = '{home}'")
        connection.execute("SET autoinstall_known_extensions = false")
        connection.execute(
            f"SET custom_extension_repository = '{self.folder / 'no repository'}'"
        )  # asks nobody outside
        return connection

    def carry_out(self, text: str) -> bool:
        try:
            self.connection.execute(text).fetchall()
        except (duckdb.Error, RuntimeError, ValueError):
            return False
        return True

    def state(self) -> State:
        ask = self.connection.execute
        found: State = {"in a transaction": self._in_a_transaction()}
        found["settings"] = ask("SELECT name, value FROM duckdb_settings() ORDER BY ALL").fetchall()
        found |= {name: ask(asked).fetchall() for name, asked in self.asked.items()}
        for schema, table in ask("SELECT schema_name, table_name FROM duckdb_tables()").fetchall():
            if table in ("orders", "t"):
                found[f"rows of {table}"] = ask(f'SELECT * FROM "{schema}"."{table}"').fetchall()
        found["database"] = self.digest()
        found["home"] = sorted(str(path) for path in (self.folder / "home").rglob("*"))
        return found

    def _in_a_transaction(self) -> bool:
        try:
            self.connection.execute("BEGIN TRANSACTION")
            return False
        except duckdb.Error:
            return True
        finally:
            self.connection.execute("ROLLBACK")


# --- the comparison


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
    assert not wrong, "\n".join(wrong)
    assert acted >= 40  # else the scratch database sees nothing
    assert looked >= 20


def foreign_held_against_the_server(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every statement of the other dialects' corpora that passes where no rule names the dialect is carried out here."""
    wrong, looked = [], 0
    foreign = [
        found for dialect in DIALECTS if dialect != scratch.dialect for found in writes(dialect) + reads(dialect)
    ]
    passing = [found for found in foreign if is_read_only({"q": scratch.spelled(found).text}) is None]
    for statement in passing:
        changed = scratch.changed_by(statement)
        if changed:
            wrong.append(f"{statement} changed {', '.join(changed)}: {statement.text}")
        looked += changed == []
    with capsys.disabled():
        sys.stdout.write(
            f"\n{scratch.dialect}: of {len(passing)} statements of other dialects that pass undeclared, {looked} ran here\n"
        )
    assert not wrong, "\n".join(wrong)
    assert looked >= 20
