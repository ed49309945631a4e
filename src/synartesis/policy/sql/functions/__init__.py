"""Which functions only read, one list per dialect, by the names that a statement calls them by. What is on no list is not
said to write; it is only not known to be harmless."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from synartesis.policy.sql.words import words

_LISTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake")
_ELSEWHERE_MORE = words("apply transform query optimize")
"""Harmless where one list has them, and something else on a server that is not known."""


@cache
def reading_functions(dialect: str) -> frozenset[str]:
    """The names, in small letters. Without a dialect: those that are on any list."""
    if dialect in _LISTS:
        return frozenset(import_module(f"synartesis.policy.sql.functions.{dialect}").READING)
    return frozenset().union(*map(reading_functions, _LISTS)) - _ELSEWHERE_MORE
