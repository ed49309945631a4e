"""Whether the SQL in a call is surely one read statement. Whatever is not surely one is held.

`arguments` finds the texts, `statement` judges one; it parses it, and two lists say what is known to read: kinds of syntax
(`syntax`, `nodes`) and functions (`functions`, one list per dialect). What is on neither is not judged to write; it is only
not known to be harmless. `beside` judges the other texts of a call, where no rule says which of them is SQL. Nothing here
knows rules, gates or approvals, and nothing is imported before the first call is judged: most proxies judge none.
"""

from __future__ import annotations

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path

DIALECTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake")


def is_read_only(arguments: dict[str, Json], sql: tuple[Path, ...] = (), dialect: str | None = None) -> str | None:
    """None where the call's SQL is one read; else why that is not sure, quoting the text.

    `sql` says which arguments are SQL: each that is there must be one read, and nothing else is looked at. Without it, every
    text anywhere in the arguments is judged: plain words, numbers and names beside a read do not matter, a second statement
    does. `dialect`: one of DIALECTS; without it, what servers read differently must be a read however it is read.
    """
    from synartesis.policy.sql.arguments import why_not_a_read

    return why_not_a_read(arguments, sql, dialect)
