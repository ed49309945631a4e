"""Whether the SQL in a call is surely one read statement. Whatever is not surely one is held.

Two lists say what is known to read: kinds of syntax, and functions. What is on neither is not judged to write; it is only not
known to be harmless. Where no dialect is declared, text that servers read differently (a backslash before a quote, a `$`, a
`--` without a space after it) must be a read however it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from synartesis.domain.canonical import Json

_QUOTED = 80
_MAX_LENGTH = 100_000


def is_read_only(arguments: dict[str, Json], sql: str | None = None, dialect: str | None = None) -> str | None:
    """None where the call's SQL is one read; else why that is not sure, quoting the text.

    `sql` names the argument that is SQL; without it, every string anywhere in the arguments is judged: plain words, numbers
    and names beside a read do not matter, a second statement does.
    """
    if sql is not None:
        text = arguments.get(sql)
        if not isinstance(text, str):
            return f"the argument `{sql}`, which holds the SQL, is not a text"
        return _why_not(text, dialect)
    reads = 0
    left_over = ""
    for text in _strings(arguments):
        why = _why_not(text, dialect)
        if why is None:
            reads += 1
        elif _may_be_a_statement(text):
            return why
        else:
            left_over = max(left_over, text, key=len)
    if reads:
        return None
    return f"none of the arguments is a read that can be recognised as one: {quote(left_over)}"


def quote(text: str) -> str:
    """The text for a reason, on one line, its head and tail where it is long."""
    line = " ".join(text.split())
    if not line:
        return "(nothing)"
    if len(line) > _QUOTED:
        line = f"{line[: _QUOTED - 20]} ... {line[-15:]}"
    return f"`{line}`"


def _strings(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting.extend(reversed(found.values()))
        elif isinstance(found, list):
            waiting.extend(reversed(found))


# --- one text

_EXECUTABLE_COMMENT = re.compile(r"/\*M?!")
_COMMENT_IN_COMMENT = re.compile(r"/\*(?:(?!\*/).)*/\*", re.DOTALL)
_DASHES_WITHOUT_SPACE = re.compile(r"--(?=\S)")
_PLAIN_STRING = re.compile(r"'[^'\\]*'")
_READ_DIFFERENTLY = re.compile(r"[\\$#`]")
_EVERYWHERE = ("", "mysql", "postgres", "sqlite")


def _why_not(text: str, dialect: str | None) -> str | None:
    if len(text) > _MAX_LENGTH:
        return f"a text of {len(text)} characters is not judged: {quote(text)}"
    if _EXECUTABLE_COMMENT.search(text):
        return f"MySQL carries out what stands in `/*! ... */`: {quote(text)}"
    if _COMMENT_IN_COMMENT.search(text):
        return f"a comment in a comment ends at different places in different servers: {quote(text)}"
    if dialect is None and _DASHES_WITHOUT_SPACE.search(_PLAIN_STRING.sub("''", text)):
        return f"`--` without a space after it is no comment in MySQL: {quote(text)}"
    if dialect is not None or not (found := _READ_DIFFERENTLY.findall(text)):
        return _judge(text, dialect or "")[1]
    verdicts = [_judge(text, name) for name in _EVERYWHERE]
    whys = [why for _, why in verdicts if why]
    if set(found) <= {"`"}:  # only quotes names: a server that does not know it refuses the whole text
        return next((why for parsed, why in verdicts if parsed and why), None if len(whys) < len(verdicts) else whys[0])
    return whys[0] if whys else None


def _judge(text: str, dialect: str) -> tuple[bool, str | None]:
    """Whether it could be parsed, and why it is not one read."""
    import logging

    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns about statements that it passes on unparsed
    try:
        statements = [found for found in sqlglot.parse(text, dialect=dialect) if found is not None]
        if len(statements) != 1:
            count = "no statement" if not statements else f"{len(statements)} statements"
            return True, f"it holds {count}, not one: {quote(text)}"
        return True, _why_not_a_read(statements[0], text, dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError):
        return False, f"it cannot be read as SQL: {quote(text)}"
    except Exception:  # a parser that fails in a way of its own has not said that it is a read
        return False, f"it cannot be read as SQL: {quote(text)}"


_EXPLAIN = re.compile(
    r"\s*(?:QUERY\s+PLAN|ANALYZE|VERBOSE|EXTENDED|FORMAT\s*=\s*\w+|\([\w\s,]*\))(?=[\s(])", re.IGNORECASE
)
_SHOWN = re.compile(r"[\w\s.%'\"=*-]{0,200}")


def _why_not_a_read(statement: Any, text: str, dialect: str) -> str | None:
    from sqlglot import exp

    if isinstance(statement, exp.Command):
        return _why_not_command(str(statement.this).upper(), _rest_of(statement), text, dialect)
    if not isinstance(statement, exp.Select | exp.SetOperation | exp.Values | exp.Subquery | exp.Describe | exp.Show):
        return f"{_name(statement)} is not a read: {quote(text)}"
    for node in statement.walk():
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            name = str(node.this).lower()
            if name not in _READING_FUNCTIONS:
                return f"nothing says that the function `{name}` only reads: {quote(text)}"
        elif not _reads(node):
            return f"{_name(node)} may change something: {quote(text)}"
    return None


def _rest_of(command: Any) -> str:
    rest = command.args.get("expression")
    return str(getattr(rest, "this", None) or rest or "").strip()


def _why_not_command(word: str, rest: str, text: str, dialect: str) -> str | None:
    """SHOW and EXPLAIN come as they were written."""
    if word == "SHOW" and _SHOWN.fullmatch(rest) and not _WRITING.search(rest.removeprefix("CREATE")):
        return None
    if word == "EXPLAIN":
        while found := _EXPLAIN.match(rest + " "):
            rest = rest[found.end() :]
        if not re.match(r"\s*EXPLAIN\b", rest, re.IGNORECASE):
            return _judge(rest, dialect)[1] and f"what it explains is not surely a read: {quote(text)}"
    return f"{word} is not a read: {quote(text)}"


def _reads(node: Any) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.NextValueFor | exp.PropertyEQ | exp.Command | exp.DML | exp.DDL):
        return isinstance(node, exp.Query)
    return isinstance(node, exp.Condition | exp.Query) or type(node).__name__ in _READING_SYNTAX


def _name(node: Any) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _may_be_a_statement(text: str) -> bool:
    """Whether a text beside the read is more than plain words: some part of it starts as a statement does."""
    if _EXECUTABLE_COMMENT.search(text):
        return True
    for part in _COMMENT.sub(" ", text).split(";"):
        words = re.findall(r"\w+|[^\w\s]", part.lstrip(" \t\r\n("))
        if words and words[0].upper() in _STATEMENT_WORDS and (len(words) > 1 or words[0].upper() in _WHOLE_STATEMENTS):
            return True
    return False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_WRITING = re.compile(
    r"\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|TRUNCATE|EXEC|EXECUTE|MERGE|CALL|GRANT)\b", re.IGNORECASE
)

_WHOLE_STATEMENTS = _words("BEGIN COMMIT ROLLBACK VACUUM ANALYZE REINDEX CHECKPOINT SHUTDOWN DISCARD")
_STATEMENT_WORDS = _WHOLE_STATEMENTS | _words(
    """
    ABORT ALTER ATTACH BACKUP BULK CALL CLUSTER COMMENT COPY CREATE DBCC DEALLOCATE DECLARE DELETE DENY DESCRIBE DETACH DO
    DROP END EXEC EXECUTE EXPLAIN EXPORT FLUSH FROM GRANT HANDLER IMPORT INSERT INSTALL KILL LISTEN LOAD LOCK MERGE NOTIFY
    OPTIMIZE PRAGMA PREPARE PURGE REASSIGN REFRESH RELEASE RENAME REPAIR REPLACE RESET RESTORE REVOKE SAVEPOINT SECURITY
    SELECT SET SHOW START TABLE TRUNCATE UNDROP UNINSTALL UNLISTEN UNLOCK UPDATE UPSERT USE VALUES WAITFOR WITH
    """
)
_READING_SYNTAX = _words(
    """
    Alias Aliases AtTimeZone CTE Collate ColumnDef Cube DataType DataTypeParam Describe Distinct Fetch Filter From Group
    GroupingSets Having HavingMax Identifier IgnoreNulls IndexTableHint Interval IntervalSpan JSON JSONKeyValue JSONPath
    JSONPathFilter JSONPathKey JSONPathPart JSONPathRecursive JSONPathRoot JSONPathSelector JSONPathSlice JSONPathSubscript
    JSONPathUnion JSONPathWildcard JSONValue Join Lambda Lateral Limit LimitOptions Offset Order Ordered Pivot PivotAny
    PositionalColumn Prior Qualify RespectNulls Rollup Show Slice Sort Star Table TableAlias TableSample Tuple
    UnpivotColumns Values Var Version Where WindowSpec With WithinGroup
    """
)
_READING_FUNCTIONS = _words(
    """
    abs acos age asin atan atan2 avg bit_length cardinality ceil ceiling char char_length character_length chr clock_timestamp
    col_description collation concat concat_ws connection_id cos count current_database current_schema current_setting
    database date date_format date_part date_trunc datediff datetime datetime dayname dayofmonth dayofweek dayofyear degrees
    exp field find_in_set floor format format_type from_unixtime glob group_concat has_table_privilege hex hour iif inet_aton
    inet_ntoa instr isnull json json_array json_array_length json_extract json_group_array json_group_object json_object
    json_quote json_type json_valid jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_object
    jsonb_each jsonb_each_text jsonb_object_keys jsonb_pretty jsonb_typeof julianday last_day length likelihood likely ln
    localtime localtimestamp locate log log10 log2 lower lpad ltrim make_date max microsecond min minute mod month monthname
    now nullif num_nonnulls obj_description octet_length pg_column_size pg_database_size pg_get_constraintdef pg_get_expr
    pg_get_functiondef pg_get_indexdef pg_get_viewdef pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size
    pg_typeof pi position pow power printf quarter quote quote_ident quote_literal radians random regexp_like regexp_matches
    regexp_replace regexp_substr repeat replace reverse round row_number rpad rtrim schema second sign similarity sin soundex
    space split_part sqlite_version sqrt statement_timestamp strftime string_agg strpos substr substring substring_index sum
    tan time timediff timestampdiff to_char to_date to_days to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector
    total trim truncate typeof unhex unicode unixepoch unlikely upper utc_date utc_time utc_timestamp version week weekday
    weekofyear year zeroblob
    """
)
