"""Both directions between what is promised and what is tested, read from the sources: it does not matter which tests run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.promises import AWAITED, PROMISES, promise

TESTS = Path(__file__).parent


@cache
def kept() -> frozenset[str]:
    """The ids of all promises that some test names."""
    return frozenset(
        name for path in TESTS.rglob("test_*.py") for name in promised_in(path.read_text(encoding="utf-8"))
    )


def promised_in(source: str) -> Iterator[str]:
    """The ids in the `@promise(...)` of each test function."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name.startswith("test_"):
            for mark in function.decorator_list:
                match mark:
                    case ast.Call(func=ast.Name("promise"), args=[ast.Constant(str(name))]):
                        yield name
                    case _:
                        pass


def test_every_promise_is_held_by_a_test() -> None:
    without = [made for made in PROMISES if made.id not in kept() | AWAITED]

    assert not without, "promised, and tested nowhere:\n" + "\n".join(f"  {m.id}: {m.says}" for m in without)


def test_no_promise_is_awaited_any_longer_once_a_test_holds_it() -> None:
    assert not kept() & AWAITED, "take these out of AWAITED in tests/promises.py"


def test_no_two_promises_share_a_name() -> None:
    names = [made.id for made in PROMISES]

    assert len(names) == len(set(names))


def test_a_test_cannot_name_a_promise_that_nobody_made() -> None:
    with pytest.raises(KeyError, match="C000 is no promise"):
        promise("C000")


def test_a_mark_is_found_on_a_test_and_nowhere_else() -> None:
    source = '@promise("a")\ndef test_it(): ...\n@promise("b")\n@other\nasync def test_that(): ...\n@promise("c")\ndef no(): ...'

    assert set(promised_in(source)) == {"a", "b"}
