"""One parsed statement: whether every part of it is known to only read. Allow-lists of syntax, by the parser's own names."""

from __future__ import annotations

import re
from typing import Any

from synartesis.policy.sql.commands import why_not_command, why_not_pragma
from synartesis.policy.sql.functions import reading_functions
from synartesis.policy.sql.nodes import BUILT_FUNCTIONS, READING_SYNTAX, SYNTAX_OF, statements_of
from synartesis.policy.sql.quoting import quote
from synartesis.policy.sql.words import words

WRITTEN_AS = "written_as"
"""Where the parser keeps the name by which a function was called."""


def why_not_a_read(statement: Any, text: str, dialect: str) -> str | None:
    """Why it is not surely one read, without the whole text: a reason quotes that itself."""
    from sqlglot import exp

    kind = type(statement).__name__
    if kind not in statements_of(dialect):
        return f"{_name(kind)} is not a read"
    if kind == "Command":
        return why_not_command(statement, dialect)
    if kind == "Pragma":
        return why_not_pragma(text)
    more = SYNTAX_OF.get(dialect, _ANY_MORE) if dialect else _ANY_MORE
    for node in statement.walk(prune=_is_hint):
        kind = type(node).__name__
        if isinstance(node, exp.Func):
            why = _why_not_function(node, kind, text, dialect)
        elif kind in READING_SYNTAX or kind in more:
            check = _CHECKS.get(kind)
            why = check(node, dialect) if check else None
        else:
            why = f"{_name(kind)} may change something"
        if why:
            return why
    return None


_ANY_MORE = frozenset().union(*SYNTAX_OF.values())


def _name(kind: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()


# --- functions


def _why_not_function(node: Any, kind: str, text: str, dialect: str) -> str | None:
    known = reading_functions(dialect)
    written = node.this if kind in ("Anonymous", "AnonymousAggFunc") else node.meta.get(WRITTEN_AS)
    if written is None:
        return None if kind in BUILT_FUNCTIONS else f"nothing says that {_name(kind)} only reads"
    if not isinstance(written, str) or _is_quoted(node, text):
        name = written if isinstance(written, str) else written.name
        return f'the function "{name}" is named in quotes, and may be one of the database\'s own'
    name = written.lower()
    qualifier = _qualifier(node)
    if qualifier and not _may_qualify(qualifier, name, node, dialect):
        return f"nothing says that the function `{qualifier}.{name}` only reads"
    if name not in known and f"{qualifier}.{name}" not in known:
        return f"nothing says that the function `{name}` only reads"
    if name in _NOT_WITH_ARGUMENTS and (node.args.get("expressions") or node.args.get("this") not in (None, written)):
        return f"the function `{name}` sets the value that it is given"
    if dialect in ("duckdb", "") and name.startswith(_READS_FILES):
        return _why_not_file(node, name)
    return None


_NOT_WITH_ARGUMENTS = frozenset({"last_insert_id"})
_READS_FILES = ("read_", "parquet_", "sniff_csv", "glob")
_PLACES = {
    "postgres": frozenset({"pg_catalog", "information_schema"}),
    "duckdb": frozenset({"pg_catalog", "information_schema"}),
    "mysql": frozenset({"sys"}),
    "tsql": frozenset({"sys", "information_schema"}),
    "snowflake": frozenset({"information_schema"}),
    "": frozenset({"pg_catalog", "information_schema", "sys"}),
}
_XML_METHODS = frozenset({"value", "query", "nodes", "exist"})


def _may_qualify(qualifier: str, name: str, node: Any, dialect: str) -> bool:
    """Whether what stands before a function's name still means the server's own function."""
    place = qualifier.rpartition(".")[2]
    if place in _PLACES.get(dialect, ()):
        return True
    if dialect in ("bigquery", "") and f"{qualifier}.{name}" in reading_functions(dialect):
        return True
    if dialect in ("tsql", "") and name in _XML_METHODS and place != "dbo":
        return all(getattr(found, "is_string", False) for found in node.args.get("expressions") or ())
    return False


def _is_quoted(node: Any, text: str) -> bool:
    start = node.meta.get("start")
    return start is not None and text[start : start + 1] in ('"', "`", "[")


def _qualifier(node: Any) -> str:
    """What stands before a function's name: a schema, or a column whose method it is. Empty where it stands alone, or
    is called on a value that is no name."""
    above = node.parent
    match type(above).__name__:
        case "NetFunc":
            return "net"
        case "Table" if above.this is node and above.args.get("db"):
            return ".".join(part.name.lower() for part in (above.args.get("catalog"), above.args["db"]) if part)
        case "Dot" if above.expression is node:
            return ".".join(_parts(above.this))
        case _:
            return ""


def _parts(named: Any) -> list[str]:
    """The parts of a name with dots; none where it is a value."""
    match type(named).__name__:
        case "Identifier":
            return [named.name.lower()]
        case "Column":
            return [part.name.lower() for part in named.parts]
        case "Dot":
            before, after = _parts(named.this), _parts(named.expression)
            return before + after if before and after else []
        case _:
            return []


def _why_not_file(node: Any, name: str) -> str | None:
    """A file of the server's own is only read. An address is not: what is asked of it is told to somebody else."""
    files = [node.args.get("this"), *(node.args.get("expressions") or ())]
    for file in files:
        if file is None or isinstance(file, str) or type(file).__name__ in ("PropertyEQ", "EQ", "Kwarg"):
            continue
        for part in file.walk():
            if type(part).__name__ not in ("Literal", "Array", "Tuple", "Paren"):
                return f"what `{name}` reads is not written out"
            if getattr(part, "is_string", False) and _is_address(part.name):
                return f"`{name}` reads from an address: {quote(part.name)}"
    return None


_ADDRESS = re.compile(r"^\s*\w[\w+.-]+:(?!\\)|^\s*(?://|\\\\)")


def _is_address(file: str) -> bool:
    return bool(_ADDRESS.match(file))


# --- syntax that reads, but for some forms of it


def _check_column(node: Any, dialect: str) -> str | None:
    """`seq.NEXTVAL`, in Snowflake, and in MariaDB where it is set to speak like Oracle."""
    if dialect in ("snowflake", "mysql", "") and node.name.lower() == "nextval" and node.args.get("table"):
        return f"{quote(node.sql())} takes the next number of a sequence"
    return None


_NEEDS_AN_EXTENSION = (".xlsx", ".avro", ".shp", ".gpkg", ".fgb")


def _check_table(node: Any, dialect: str) -> str | None:
    if dialect not in ("duckdb", ""):
        return None
    if type(node.this).__name__ not in ("Identifier", "Literal"):
        return None
    name = node.this.name
    if name.lower().endswith(_NEEDS_AN_EXTENSION):
        return f"DuckDB may install an extension to read {quote(name)}"
    if _is_address(name):
        return f"it reads from an address: {quote(name)}"
    return None


def _check_assignment(node: Any, _dialect: str) -> str | None:
    """`a := 1` names an argument; `@a := 1` sets a variable."""
    if type(node.this).__name__ not in ("Identifier", "Literal", "Var", "Column"):
        return f"`:=` sets {quote(node.this.sql())}"
    return None


def _check_dot(node: Any, dialect: str) -> str | None:
    if dialect in ("snowflake", "mysql", "") and node.name.lower() == "nextval":
        return "it takes the next number of a sequence"
    return None


def _check_hints(node: Any, _dialect: str) -> str | None:
    for hint in node.expressions:
        if hint.name.upper() not in ("NOLOCK", "READUNCOMMITTED", "READCOMMITTED", "READPAST", "FORCESEEK", "NOEXPAND"):
            return f"the table hint {quote(hint.name)} may lock"
    return None


_MYSQL_HINTS = words(
    """
    bka bnl derived_condition_pushdown group_index hash_join index index_merge join_fixed_order join_index join_order
    join_prefix join_suffix max_execution_time merge mrr no_bka no_bnl no_derived_condition_pushdown no_group_index
    no_hash_join no_icp no_index no_index_merge no_join_index no_merge no_mrr no_order_index no_range_optimization
    no_semijoin no_skip_scan order_index qb_name semijoin skip_scan subquery
    """
)


def _is_hint(node: Any) -> bool:
    return type(node).__name__ == "Hint"


def _check_optimizer_hints(node: Any, _dialect: str) -> str | None:
    """Those that choose a plan; `SET_VAR` and `RESOURCE_GROUP` set something."""
    for hint in node.expressions:
        if hint.name.lower() not in _MYSQL_HINTS:
            return f"nothing says that the hint {quote(hint.name)} changes nothing"
    return None


def _check_property(node: Any, _dialect: str) -> str | None:
    return None if type(node.parent).__name__ == "Describe" else "a PROPERTY may change something"


def _check_pivot(node: Any, dialect: str) -> str | None:
    """As a statement, without its columns spelled out, DuckDB makes a type of what it finds, and leaves it there."""
    if dialect not in ("duckdb", "") or node.args.get("this") is None or node.args.get("unpivot"):
        return None
    return None if node.find(_kind("In")) else "a PIVOT that looks up its own columns makes a type for the session"


def _kind(name: str) -> Any:
    from sqlglot import exp

    return getattr(exp, name)


def _check_show(node: Any, _dialect: str) -> str | None:
    return "it writes a file" if node.args.get("into_outfile") else None


def _check_describe(node: Any, _dialect: str) -> str | None:
    """What is only described may be a table; what is carried out to be described is a statement."""
    if "ANALYZE" in str(node.args.get("style") or "").upper() and type(node.this).__name__ == "Table":
        return "what it explains is not surely a read"
    return None


def _check_table_expression(node: Any, _dialect: str) -> str | None:
    kind = type(node.this).__name__
    if kind in ("Select", "Union", "Except", "Intersect", "Subquery", "Values", "Pivot", "Table"):
        return None
    return f"the common table expression {quote(node.alias)} is no read"


_CHECKS = {
    "CTE": _check_table_expression,
    "Describe": _check_describe,
    "Show": _check_show,
    "Pivot": _check_pivot,
    "Column": _check_column,
    "Table": _check_table,
    "PropertyEQ": _check_assignment,
    "Dot": _check_dot,
    "WithTableHint": _check_hints,
    "Summarize": _check_table,
    "Hint": _check_optimizer_hints,
    "FileFormatProperty": _check_property,
    "Property": _check_property,
}
