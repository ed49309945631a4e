"""One run with its proof, to be checked where the journal is not: the rows that it consists of, their payloads, the entries of
the history that cover them, and of all entries in between the links. What it points at comes along: the request that a call
was approved by, the call that an inverse undid.

It proves that what is in it was recorded so, and in this order. It does not prove that nothing else was.
"""

from __future__ import annotations

import base64
import sqlite3
from binascii import Error as NotBase64
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from synartesis.errors import SynartesisError
from synartesis.journal import chain, proof
from synartesis.journal.blobs import fetch
from synartesis.journal.chain import Event
from synartesis.journal.database import empty_database
from synartesis.journal.look import FORMAT
from synartesis.journal.tables import Misfit

Shape: TypeAlias = dict[str, Any]

VERSION = 1
ALIKE = range(3, FORMAT + 1)
"""The formats in which all that an export holds looks the same."""


class Evidence(NamedTuple):
    """An export, as the journal of one run: to be read like any other."""

    connection: sqlite3.Connection
    run: str
    after: tuple[int, bytes]
    last: tuple[int, bytes]
    links: dict[int, bytes]

    def first_misfit(self) -> Misfit | None:
        found = proof.first_misfit(self.connection, after=self.after, links=self.links, only_run=self.run)
        if found is None and chain.last(self.connection) != self.last:
            return Misfit(self.last[0], "it is not the last one that the export speaks of")
        return found


# --- out of a journal


def export_run(connection: sqlite3.Connection, run: str) -> Shape:
    """The proof of one run. In one transaction, so that all of it is of the same moment."""
    connection.execute("BEGIN")
    try:
        return _export(connection, run)
    finally:
        connection.execute("ROLLBACK")


def _export(connection: sqlite3.Connection, run: str) -> Shape:
    (number,) = connection.execute("SELECT number FROM runs WHERE id = :run", {"run": run}).fetchone()
    _note_what_it_is_about(connection, number)
    rows = {table: _rows(connection, f"SELECT * FROM {table} WHERE {where}") for table, where in _OF_THE_RUN.items()}
    numbers = {entry["number"] for entry in rows["events"]}
    first, last = min(numbers), max(numbers)
    links = {
        str(number): link.hex() for number, link in _links(connection, first, last).items() if number not in numbers
    }
    return {
        "version": VERSION,
        "format": FORMAT,
        "run": run,
        "after": {"number": first - 1, "digest": _digest_of(connection, first - 1).hex()},
        "last": {"number": last, "digest": _digest_of(connection, last).hex()},
        "rows": {table: [_as_json(row) for row in some] for table, some in rows.items()},
        "payloads": {digest: _value_as_json(fetch(connection, digest)) for digest in _digests(rows.values())},
        "links": links,
    }


def _note_what_it_is_about(connection: sqlite3.Connection, run: int) -> None:
    connection.execute("DROP TABLE IF EXISTS temp.told")
    connection.execute("CREATE TEMP TABLE told (action INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO temp.told SELECT number FROM actions WHERE run = :run", {"run": run})
    more = -1
    while more:
        more = sum(connection.execute(f"INSERT OR IGNORE INTO temp.told {select}").rowcount for select in _POINTED_AT)
    connection.execute("DROP TABLE IF EXISTS temp.told_runs")
    connection.execute("CREATE TEMP TABLE told_runs (run INTEGER PRIMARY KEY)")
    connection.execute(
        "INSERT INTO temp.told_runs SELECT DISTINCT run FROM actions WHERE number IN temp.told UNION SELECT :run",
        {"run": run},
    )


_POINTED_AT = (
    "SELECT approval FROM actions WHERE number IN temp.told AND approval IS NOT NULL",
    "SELECT undoes FROM actions WHERE number IN temp.told AND undoes IS NOT NULL",
    "SELECT spent_by FROM approvals WHERE action IN temp.told AND spent_by IS NOT NULL",
)
_ENTRIES = "action IN temp.told OR (action IS NULL AND run IN temp.told_runs)"
_OF_THE_RUN = {
    "runs": "number IN temp.told_runs",
    "tallies": "run IN temp.told_runs",
    "processes": "number IN (SELECT process FROM runs WHERE number IN temp.told_runs"
    f" UNION SELECT process FROM events WHERE {_ENTRIES}"
    " UNION SELECT asked_by FROM approvals WHERE action IN temp.told)",
    "servers": "number IN (SELECT server FROM actions WHERE number IN temp.told)",
    "actions": "number IN temp.told",
    "outcomes": "action IN temp.told",
    "approvals": "action IN temp.told",
    "allowances": "request IN temp.told",
    "findings": "action IN temp.told",
    "events": _ENTRIES,
}


def _rows(connection: sqlite3.Connection, select: str) -> list[Shape]:
    cursor = connection.execute(select)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _links(connection: sqlite3.Connection, first: int, last: int) -> dict[int, bytes]:
    rows = connection.execute(
        "SELECT number, covers, content, kind, at, process, run, action, who, note FROM events"
        " WHERE number BETWEEN :first AND :last",
        {"first": first, "last": last},
    )
    return {number: chain.rest_of(number, Event(*fields), covers, content) for number, covers, content, *fields in rows}


def _digest_of(connection: sqlite3.Connection, number: int) -> bytes:
    row = connection.execute("SELECT digest FROM events WHERE number = :number", {"number": number}).fetchone()
    return chain.START if row is None else bytes(row[0])


def _digests(tables: Iterable[list[Shape]]) -> list[str]:
    """Whatever may be the digest of a payload; what is none is not found."""
    found = {value for rows in tables for row in rows for value in row.values() if isinstance(value, str)}
    return sorted(value for value in found if len(value) == 64)


def _as_json(row: Shape) -> Shape:
    return {name: _value_as_json(value) for name, value in row.items()}


def _value_as_json(value: Any) -> Any:
    """Bytes that are text as that text, so that a person can read them."""
    if not isinstance(value, bytes):
        return value
    try:
        return {"text": value.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}


# --- and back


def evidence(shape: Mapping[str, Any]) -> Evidence:
    """An export, opened. Raises SynartesisError where it is none, or of a version that is not known here."""
    if shape.get("version") != VERSION or shape.get("format") not in ALIKE:
        raise SynartesisError(
            f"the export has version {shape.get('version')} (format {shape.get('format')}); this one knows version {VERSION}"
            f" (format {FORMAT})",
            hint="check it with the version of Synartesis that made it",
        )
    try:
        return _evidence(shape)
    except (KeyError, TypeError, ValueError, AttributeError, NotBase64, sqlite3.Error) as error:
        raise SynartesisError(
            f"this is not an export, or not a whole one: {type(error).__name__}: {error}", hint="export the run again"
        ) from error


def _evidence(shape: Mapping[str, Any]) -> Evidence:
    connection = empty_database()
    for table in _OF_THE_RUN:
        for row in shape["rows"][table]:
            _insert(connection, table, {name: _value_from_json(value) for name, value in row.items()})
    for digest, value in shape["payloads"].items():
        body = _value_from_json(value)
        if body is not None:
            _insert(connection, "blobs", {"digest": digest, "size": len(body), "encoding": "plain", "body": body})
    return Evidence(
        connection,
        str(shape["run"]),
        _place(shape["after"]),
        _place(shape["last"]),
        {int(number): bytes.fromhex(link) for number, link in shape["links"].items()},
    )


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    known = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
    if not row.keys() <= known:
        raise ValueError(f"{table} has no {', '.join(sorted(row.keys() - known))}")
    connection.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})", dict(row)
    )


def _value_from_json(value: Any) -> Any:
    match value:
        case {"text": str(text)}:
            return text.encode("utf-8")
        case {"base64": str(text)}:
            return base64.b64decode(text, validate=True)
        case None | int() | str():
            return value
        case _:
            raise ValueError(f"{value!r} is no value of a journal")


def _place(shape: Mapping[str, Any]) -> tuple[int, bytes]:
    return int(shape["number"]), bytes.fromhex(shape["digest"])
