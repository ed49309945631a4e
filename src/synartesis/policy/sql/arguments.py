"""The SQL in a call's arguments: where the rule says that it is, or wherever a text may be some."""

from __future__ import annotations

from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path, PathNotFound, get_path, render_path
from synartesis.policy.sql.beside import Text, may_matter, texts_of
from synartesis.policy.sql.quoting import quote
from synartesis.policy.sql.statement import why_not_one_read


def why_not_a_read(arguments: dict[str, Json], sql: tuple[Path, ...], dialect: str | None) -> str | None:
    """As `is_read_only` says."""
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
