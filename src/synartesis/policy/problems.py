"""What is wrong in a file, and how it is shown: where, what, the line with a caret, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_MAX_SHOWN = 50
_MAX_WIDTH = 62
"""Of an excerpt: with what stands to the left of it, it fits into 80 columns. Wrapped, the caret would point at nothing."""


class Place(NamedTuple):
    """Both from 1, in characters."""

    line: int
    column: int


class Problem(NamedTuple):
    place: Place
    message: str
    hint: str = ""
    """What to write instead."""
    width: int = 1
    """How many characters the carets underline."""


def split_lines(text: str) -> list[str]:
    """Lines as YAML counts them."""
    return _LINE_END.split(text)


def problem_lines(problems: Iterable[Problem], *, file: str, lines: Sequence[str]) -> list[str]:
    """All problems by place, the same one never twice."""
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.place)
    shown = [text for problem in ordered[:_MAX_SHOWN] for text in _problem(problem, file, lines)]
    if len(ordered) > _MAX_SHOWN:
        shown.append(f"and {len(ordered) - _MAX_SHOWN} more")
    return shown


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant; empty where none is near."""
    import difflib  # only on a problem: starting must not pay for it

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(word.lower().replace("-", "_"), by_lower, n=1)
    return by_lower[found[0]] if found else ""


def listed(words: Iterable[str]) -> str:
    """`a`, `b` and `c`."""
    *most, last = [f"`{word}`" for word in words] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def _problem(problem: Problem, file: str, lines: Sequence[str]) -> list[str]:
    line, column = problem.place
    text = [f"{file}:{line}:{column}: {problem.message}"]
    written = lines[line - 1] if line <= len(lines) else ""
    if written.strip():
        start = max(0, column - _MAX_WIDTH // 2) if len(written) > _MAX_WIDTH else 0
        cut = _visible(written[start : start + _MAX_WIDTH])
        width = max(1, min(problem.width, len(cut) - (column - 1 - start)))
        text.append(f"{line:6} | {cut}")
        text.append(f"{'':6} | {' ' * (column - 1 - start)}{'^' * width}")
    if problem.hint:
        text.append(f"{'':6} = {problem.hint}")
    return text


def _visible(text: str) -> str:
    """One mark per character, so that the caret stands under it and nothing in the file can command a terminal."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
