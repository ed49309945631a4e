"""What Python prints of a value, as a JSON value, exactly: rows of a database, mostly. Only literals; nothing is evaluated."""

from __future__ import annotations

import ast
import warnings
from decimal import Decimal

from synartesis.domain.calls import Undecodable
from synartesis.domain.canonical import Json

MAX_TEXT = 2_000_000
"""Characters. A syntax tree takes a hundred times the memory of its text."""


def python_literal(text: str) -> Json:
    """Raises Undecodable."""
    text = text.strip()
    if len(text) > MAX_TEXT:
        raise Undecodable(f"the text is longer than {MAX_TEXT:,} characters, which is too much for a literal of Python")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python itself does not print
            tree = ast.parse(text, mode="eval")
        return _value(tree.body, text)
    except Undecodable:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Undecodable("the text is not a literal of Python") from None


def _value(node: ast.expr, text: str) -> Json:
    match node:
        case ast.Constant(value=None | bool() | str() | int() as value):
            return value
        case ast.Constant(value=float()):
            return _number(_written(node, text))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number) as operand) if (
            not isinstance(number, bool)
        ):
            positive = _value(operand, text)
            return positive.copy_negate() if isinstance(positive, Decimal) else -positive
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part, text) for part in parts]
        case ast.Dict():
            return _mapping(node, text)
        case _:
            raise Undecodable(f"`{_written(node, text)[:40]}` in the text has no counterpart in JSON")


def _number(written: str) -> Decimal:
    """As it is written: a binary fraction would be another number."""
    try:
        return Decimal(written)
    except ArithmeticError:
        raise Undecodable(f"`{written[:40]}` in the text is not a number of JSON") from None


def _mapping(node: ast.Dict, text: str) -> Json:
    found: dict[str, Json] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise Undecodable("a mapping in the text has a key that is not a text")
        if key.value in found:
            raise Undecodable(f"a mapping in the text has the key `{key.value[:40]}` twice")
        found[key.value] = _value(value, text)
    return found


def _written(node: ast.expr, text: str) -> str:
    return ast.get_source_segment(text, node) or ""
