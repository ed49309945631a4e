"""One text: is it surely one statement that only reads?

A server and a parser must not be led to read different things. So a text is held that has what they are known to take
differently (a comment that is carried out, a comment in a comment, invisible characters), and where the dialect or a
server's setting decides (a backslash before a quote, a `$`, a `#`), it must be a read however it is read.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from synartesis.policy.sql import DIALECTS
from synartesis.policy.sql.functions import reading_functions
from synartesis.policy.sql.quoting import quote
from synartesis.policy.sql.syntax import WRITTEN_AS, why_not_a_read
from synartesis.policy.sql.words import words

MAX_LENGTH = 100_000
"""Characters. A text is parsed in the proxy's own process, about a millisecond for each kilobyte."""
MAX_TOKENS = 10_000
IN_EVERY_DIALECT_LENGTH = 10_000
"""Characters of a text that is parsed in each dialect, one after the other."""
MAX_DEPTH = 200
"""Open brackets. Parsing goes as deep as they do."""


REMEMBERED, REMEMBERED_LENGTH = 500, 4096
"""Agents ask the same again; verdicts of so many texts of up to so many characters are kept."""


def why_not_one_read(text: str, dialect: str | None = None) -> str | None:
    """None where the text is one read; else why that is not sure, quoting it. `dialect`: one of DIALECTS, or None where no
    rule names it."""
    return (_remembered if len(text) <= REMEMBERED_LENGTH else _why_not_one_read)(text, dialect)


def _why_not_one_read(text: str, dialect: str | None) -> str | None:
    why = _why_not_parsed(text)
    if why is not None:
        return f"{why}: {quote(text)}"
    if dialect is None:
        return _why_not_anywhere(text)
    why = _judge(text, dialect, declared=True).why
    if why is None and dialect in _OTHER_ESCAPES and _BACKSLASH_AND_QUOTE.search(text):
        why = _why_not_otherwise(text, _OTHER_ESCAPES[dialect])
    return why


_remembered = lru_cache(REMEMBERED)(_why_not_one_read)


class _Verdict(NamedTuple):
    """Of one reading. NEVER_CLOSED: a quote or a comment has no end, and a server that reads so refuses the whole text."""

    kind: Literal["READS", "NEVER_CLOSED", "UNREADABLE", "NOT_A_READ"]
    why: str | None = None


# --- what is not even parsed

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_CARRIED_OUT = re.compile(r"/\*M?!")
_BRACKET = re.compile(r"[(\[{]|([)\]}])")


def _why_not_parsed(text: str) -> str | None:
    if len(text) > MAX_LENGTH:
        return f"a text of {len(text)} characters is not judged, the limit is {MAX_LENGTH}"
    if not text.strip():
        return "it holds no statement, not one"
    if found := _CONTROL.search(text):
        return f"it holds the control character U+{ord(found[0]):04X}"
    if _CARRIED_OUT.search(text):
        return "MySQL carries out what stands in `/*! ... */`"
    return "its brackets are nested too deep to be judged" if _depth(text) > MAX_DEPTH else None


def _depth(text: str) -> int:
    """How deep brackets nest at most, whatever they stand in."""
    if text.count("(") + text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    deepest = depth = 0
    for found in _BRACKET.finditer(text):
        depth = max(0, depth - 1) if found[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


# --- the ways in which it may be read

_DASHES_WITHOUT_SPACE = re.compile(r"--(?=\S)")
_PLAIN_STRING = re.compile(r"'[^'\\]*'")
_READ_DIFFERENTLY = re.compile(r"[\\$#`]")
_BACKSLASH_AND_QUOTE = re.compile(r"""\\['"`]""")
_BRACKET_AND_QUOTE = re.compile(r"""\[[^\]]*['"`\[]""")
_NAMES = ("VAR", "IDENTIFIER")
_OTHER_ESCAPES = {"mysql": "postgres", "postgres": "mysql"}
"""Both have a setting that says whether a backslash escapes a quote."""


def _readings(text: str) -> list[str]:
    """The dialects in which a text must be one read where no rule names its dialect."""
    readings = [""]
    if _READ_DIFFERENTLY.search(text):
        readings += ["mysql", "postgres", "sqlite"]
    if _DASHES_WITHOUT_SPACE.search(text) and _DASHES_WITHOUT_SPACE.search(_PLAIN_STRING.sub("''", text)):
        readings += ["mysql"]
    if _BRACKET_AND_QUOTE.search(text):
        readings += ["tsql", "sqlite"]
    if "'''" in text or '"""' in text:
        readings += ["bigquery"]
    return list(dict.fromkeys(readings))


def _why_not_anywhere(text: str) -> str | None:
    """It is a read to one kind of server at least, and to no other is it anything else than a read or refused."""
    readings = _readings(text)
    verdicts = [_judge(text, name, declared=False) for name in readings]
    closed = [verdict for verdict in verdicts if verdict.kind != "NEVER_CLOSED"] or verdicts
    held = [verdict for verdict in closed if verdict.why]
    if not held:
        return None
    if all(verdict.kind == "UNREADABLE" for verdict in held) and _is_a_read_to_who_can_read_it(text):
        return None
    if len(held) == len(closed):
        return held[0].why
    if _only_quotes_names(text) and all(verdict.kind == "UNREADABLE" for verdict in held):
        return None
    return f"servers read it differently, and to some it is no read; a `dialect` in the rule would settle it ({held[0].why})"


def _is_a_read_to_who_can_read_it(text: str) -> bool:
    """In the words of one dialect. To each of the parsers that can read it, it is a read; to the others it holds nothing that
    could do anything, so that a server which reads more than its parser would not do anything either."""
    if len(text) > IN_EVERY_DIALECT_LENGTH:
        return False
    found = False
    for name in DIALECTS:
        match _judge(text, name, declared=False).kind:
            case "READS":
                found = True
            case "NOT_A_READ":
                return False
            case "UNREADABLE" if not _only_selects(text, name):
                return False
            case _:
                pass
    return found


def _only_selects(text: str, dialect: str) -> bool:
    """Judged by the words alone: it begins as a query does, and no word and no function in it could do more."""
    tokens = _dialect(dialect).tokenize(text)
    if tokens[0].token_type.name not in ("SELECT", "WITH"):
        return False
    known = reading_functions("")
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        called = after is not None and after.token_type.name == "L_PAREN"
        if _may_change(token) or (called and token.token_type.name in _NAMES and token.text.lower() not in known):
            return False
    return True


def _only_quotes_names(text: str) -> bool:
    """Backticks: a server that does not know them refuses the whole text."""
    return "`" in text and _readings(text.replace("`", "")) == [""]


def _why_not_otherwise(text: str, dialect: str) -> str | None:
    """A second reading, of a server whose setting differs. It may fail in a text that could do nothing."""
    kind, why = _judge(text, dialect, declared=False)
    if kind in ("READS", "NEVER_CLOSED"):
        return None
    if kind == "UNREADABLE" and not any(map(_may_change, _dialect(dialect).tokenize(text))):
        return None
    return f"it is no read where a backslash before a quote is no escape, or is one ({why})"


def _may_change(token: Any) -> bool:
    word = token.text.upper()
    return token.token_type.name not in _TEXTS and (
        word in _BEGINS_ANOTHER or word in (";", "INTO", "CALL", "DO", "COPY", "LOCK", "SHARE")
    )


# --- one reading


def _judge(text: str, dialect: str, *, declared: bool) -> _Verdict:
    """Read in a dialect; where no rule declared it, what any server knows to only read does."""
    from sqlglot.errors import ParseError, TokenError

    try:
        reader = _dialect(dialect)
        tokens = reader.tokenize(text)
        if len(tokens) > MAX_TOKENS:
            return _Verdict(
                "NOT_A_READ", f"a text of {len(tokens)} words is not judged, the limit is {MAX_TOKENS}: {quote(text)}"
            )
        if why := _why_not_tokens(tokens, text, dialect):
            return _Verdict("NOT_A_READ", f"{why}: {quote(text)}")
        statements = [found for found in reader.parser().parse(tokens, text) if found is not None]
    except TokenError:
        return _Verdict("NEVER_CLOSED", f"a quote or a comment in it is never closed: {quote(text)}")
    except ParseError as error:
        return _Verdict("UNREADABLE", f"it cannot be read as SQL{_where(error)}: {quote(text)}")
    except Exception:  # a parser that fails in a way of its own has not said that it is a read
        return _Verdict("UNREADABLE", f"it cannot be read as SQL: {quote(text)}")
    if len(statements) != 1:
        count = "no statement" if not statements else f"{len(statements)} statements"
        return _Verdict("NOT_A_READ", f"it holds {count}, not one: {quote(text)}")
    why = why_not_a_read(statements[0], text, dialect if declared else "")
    return _Verdict("NOT_A_READ", f"{why}: {quote(text)}") if why else _Verdict("READS")


class _NotKnown(ValueError):
    pass


@cache
def _dialect(name: str) -> Any:
    """The parser's dialect, made to keep the name by which a function was called. Raises where it cannot be had or does
    not do that: then nothing is a read."""
    import logging

    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns about statements that it passes on unparsed
    dialect = sqlglot.Dialect.get_or_raise(name)
    dialect.ORIGINAL_NAME_META_KEY = WRITTEN_AS
    probe: Any = dialect.parse("SELECT Lower(x)")[0]
    kept = probe.selects[0].meta
    if kept.get(WRITTEN_AS) != "Lower" or kept.get("start") != 7:
        raise _NotKnown("this version of sqlglot does not keep the names of functions")
    return dialect


def _where(error: Any) -> str:
    at = next((found for found in error.errors or () if found.get("highlight")), None)
    return f" at {quote(at['highlight'] + at.get('end_context', ''))}" if at else ""


# --- what only the tokens show

_TEXTS = words(
    """
    STRING NATIONAL_STRING RAW_STRING HEREDOC_STRING UNICODE_STRING BYTE_STRING BIT_STRING HEX_STRING IDENTIFIER
    """
)
_BEGINS_ANOTHER = words(
    """
    ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DELETE DENY DISABLE
    DROP DUMP ENABLE EXEC EXECUTE GO GOTO GRANT INSERT KILL LOAD MERGE OPEN PRINT RAISERROR RECEIVE RECONFIGURE
    READTEXT RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SEND SET SETUSER SHUTDOWN THROW TRUNCATE UPDATE UPDATETEXT USE
    WAITFOR WHILE WRITETEXT
    """
)
_BEFORE_A_NAME = words(
    """
    SEMICOLON ALIAS DOT COMMA SELECT DISTINCT L_PAREN ORDER_BY GROUP_BY PARTITION_BY WHERE AND OR NOT ON HAVING WHEN
    THEN ELSE EQ NEQ GT GTE LT LTE PLUS DASH SLASH MOD LIKE IN FOR
    """
)
_ONE_CLAUSE = {("CHARACTER", "SET")}
_RUNS_ON = re.compile(r"\b0x[0-9a-f]*[g-z]\w*", re.IGNORECASE)


def _why_not_tokens(tokens: list[Any], text: str, dialect: str) -> str | None:
    """Why the text may be more than the statement that a parser makes of its tokens."""
    if any("/*" in comment for token in tokens for comment in token.comments or ()):
        return "a comment in a comment ends at different places in different servers"
    if not text.isascii() and (why := _why_not_characters(tokens, text)):
        return why
    if dialect not in ("", "tsql"):
        return None
    if (number := _RUNS_ON.search(text)) and _ends_in_a_statement(number[0].upper()):
        return f"SQL Server ends the number and begins a statement in {quote(number[0])}"
    for before, token, after in zip(tokens[:-1], tokens[1:], [*tokens[2:], None], strict=True):
        if _is_quoted(token, text):
            continue
        word = token.text.upper()
        if _ends_in_a_statement(word):
            return f"SQL Server ends the number and begins a statement in {quote(token.text)}"
        if word == "FETCH" and (after is None or after.text.upper() not in ("FIRST", "NEXT")):
            return f"SQL Server may begin a second statement at {quote(token.text)}"
        if word not in _BEGINS_ANOTHER or before.token_type.name in _BEFORE_A_NAME:
            continue
        if (before.text.upper(), word) not in _ONE_CLAUSE:
            return f"SQL Server needs no `;` between statements, and may begin a second one at {quote(token.text)}"
    return None


def _is_quoted(token: Any, text: str) -> bool:
    kind = token.token_type.name
    return kind in _TEXTS and (kind != "IDENTIFIER" or text[token.start] in '"[`')


def _ends_in_a_statement(word: str) -> bool:
    """`1DELETE`, `0xFFSHUTDOWN`, `$UPDATE`: a number, or a sign of a currency, needs no space behind it."""
    return not (word[:1].isalpha() or word[:1] in "_@#") and any(map(word.endswith, _BEGINS_ANOTHER))


def _why_not_characters(tokens: list[Any], text: str) -> str | None:
    """Spaces that are none and characters that do not show, outside of what is quoted."""
    end = 0
    for token in tokens:
        outside = text[end : token.start]
        if not _is_quoted(token, text):
            outside += text[token.start : token.end + 1]
        end = token.end + 1
        for character in outside if not outside.isascii() else "":
            if ord(character) > 127 and unicodedata.category(character) in ("Cf", "Cc", "Co", "Cn", "Zs", "Zl", "Zp"):
                return f"it holds U+{ord(character):04X}, which does not show or is a space that is none"
    return None
