"""Lists of words, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
