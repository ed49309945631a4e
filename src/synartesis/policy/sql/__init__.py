"""Whether the SQL in a call is surely one read statement. Whatever is not surely one is held.

`statement` judges one text; it parses it, and two lists say what is known to read: kinds of syntax (`syntax`) and functions
(`functions`, one list per dialect). What is on neither is not judged to write; it is only not known to be harmless. `beside`
judges the other texts of a call, where no rule says which of them is SQL. Nothing here knows calls, gates or approvals.
"""

from __future__ import annotations

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path, PathNotFound, get_path, render_path
from synartesis.policy.sql.beside import Text, may_matter, texts_of
from synartesis.policy.sql.quoting import quote
from synartesis.policy.sql.statement import why_not_one_read

DIALECTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake")


def is_read_only(arguments: dict[str, Json], sql: tuple[Path, ...] = (), dialect: str | None = None) -> str | None:
    """None where the call's SQL is one read; else why that is not sure, quoting the text.

    `sql` says which arguments are SQL: each that is there must be one read, and nothing else is looked at. Without it, every
    text anywhere in the arguments is judged: plain words, numbers and names beside a read do not matter, a second statement
    does.
    """
    return _why_not_named(arguments, sql, dialect) if sql else _why_not_found(arguments, dialect)


def _why_not_named(arguments: dict[str, Json], sql: tuple[Path, ...], dialect: str | None) -> str | None:
    judged = 0
    for path in sql:
        try:
            found = get_path(arguments, path)
        except PathNotFound:
            continue
        texts = found if isinstance(found, list) else [found]
        for text in texts:
            if not isinstance(text, str):
                return f"the argument `{render_path(path)}`, which holds the SQL, is not a text"
            if why := why_not_one_read(text, dialect):
                return why
            judged += 1
    if judged:
        return None
    names = " nor ".join(f"`{render_path(path)}`" for path in sql)
    return f"the call has no argument {names}, which would hold the SQL"


def _why_not_found(arguments: dict[str, Json], dialect: str | None) -> str | None:
    reads: list[str] = []
    others: list[tuple[Text, str]] = []
    for text in texts_of(arguments):
        why = (
            why_not_one_read(text.text, dialect)
            if text.may_be_the_read
            else f"it may be a statement: {quote(text.text)}"
        )
        if why is None:
            reads.append(text.text)
        else:
            others.append((text, why))
    for text, why in others:
        if may_matter(text, reads):
            return why
    if reads:
        return None
    longest = max((text.text for text, _ in others if not text.is_a_key), key=len, default="")
    return f"none of the arguments is a read that can be recognised as one: {quote(longest)}"
