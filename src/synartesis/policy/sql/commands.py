"""Statements that a parser passes on as they were written (SHOW, EXPLAIN), and pragmas."""

from __future__ import annotations

import re
from typing import Any

from synartesis.policy.sql.words import words

_WRITING = re.compile(
    r"\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|TRUNCATE|EXEC|EXECUTE|MERGE|CALL|GRANT|INTO|SET)\b", re.IGNORECASE
)
_SHOWN = re.compile(r"[\w\s.%'\"=*`,<>()-]{1,300}")
_EXPLAIN = re.compile(
    r"\s*(?:QUERY\s+PLAN|ANALYZE|ANALYSE|VERBOSE|EXTENDED|PARTITIONS|USING\s+(?:TEXT|JSON|TABULAR)|FORMAT\s*=\s*\w+|\([\w\s,]*\))(?=[\s(])",
    re.IGNORECASE,
)


def why_not_command(command: Any, dialect: str) -> str | None:
    word = str(command.this).upper()
    rest = _rest_of(command)
    if word == "SHOW" and _SHOWN.fullmatch(rest) and not _WRITING.search(rest.removeprefix("CREATE")):
        return None
    if word == "EXPLAIN":
        return _why_not_explained(rest, dialect)
    return f"{word} is not a read"


def _rest_of(command: Any) -> str:
    rest = command.args.get("expression")
    return str(getattr(rest, "this", None) or rest or "").strip()


def _why_not_explained(rest: str, dialect: str) -> str | None:
    from synartesis.policy.sql.statement import why_not_one_read

    while found := _EXPLAIN.match(rest + " "):
        rest = rest[found.end() :]
    if re.match(r"\s*(?:EXPLAIN|DESC|DESCRIBE)\b", rest, re.IGNORECASE) or why_not_one_read(rest, dialect or None):
        return "what it explains is not surely a read"
    return None


# --- pragmas of SQLite and DuckDB

_PRAGMA = re.compile(
    r"\s*PRAGMA\s+(?:\w+\s*\.\s*)?(?P<name>\w+)\s*(?P<given>\([^()=;]*\)|=.*)?\s*;?\s*", re.I | re.DOTALL
)
_LOOKING = words(
    """
    table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check
    integrity_check quick_check storage_info show metadata_info
    """
)
_LOOKING_ALONE = words(
    """
    application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill cell_size_check
    checkpoint_fullfsync collation_list collations compile_options data_version database_list database_size
    defer_foreign_keys encoding foreign_keys freelist_count fullfsync function_list functions hard_heap_limit
    ignore_check_constraints journal_mode journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size
    module_list page_count page_size platform pragma_list query_only read_uncommitted recursive_triggers
    reverse_unordered_selects schema_version secure_delete show_databases show_tables show_tables_expanded
    soft_heap_limit synchronous temp_store threads trusted_schema user_agent user_version version wal_autocheckpoint
    writable_schema
    """
)
"""Tell a setting where nothing is given, and set it where something is."""


def why_not_pragma(text: str) -> str | None:
    found = _PRAGMA.fullmatch(text)
    if found is None:
        return "nothing says that this PRAGMA only reads"
    name, given = found["name"].lower(), found["given"]
    if name in _LOOKING and not (given or "").startswith("="):
        return None
    if name in _LOOKING_ALONE and not given:
        return None
    return f"PRAGMA {name} may change something"
