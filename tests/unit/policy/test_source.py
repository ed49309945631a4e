"""YAML as it was written: exact scalars, places, and nothing that means something else than it says."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.canonical import encode_json
from synartesis.policy.problems import problem_lines
from synartesis.policy.source import Mapping, Scalar, plain_value, read_source

PLAIN: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "False": False,
    "no": "no",
    "on": "on",
    "Yes": "Yes",
    "22:30": "22:30",
    "1:20:30": "1:20:30",
    "0123": "0123",
    "00": "00",
    "-07": "-07",
    "2020-01-01": "2020-01-01",
    "1_000": "1_000",
    "0b11": "0b11",
    "1.2.3": "1.2.3",
    ".": ".",
    "-": "-",
    "+": "+",
    "0": 0,
    "-1": -1,
    "+12": 12,
    "9223372036854775807": 9223372036854775807,
    "0x1F": 31,
    "0o17": 15,
    "19.90": Decimal("19.90"),
    "-0.0": Decimal("-0.0"),
    "-0": Decimal("-0"),
    "1E5": Decimal("1E5"),
    "1e400": Decimal("1e400"),
    ".5": Decimal("0.5"),
    "1.": Decimal("1"),
}


@pytest.mark.parametrize("text", PLAIN)
def test_an_unquoted_scalar_is(text: str) -> None:
    assert (type(PLAIN[text]), repr(PLAIN[text])) == (type(plain_value(text)), repr(plain_value(text)))


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False))
def test_no_number_moves(number: int | Decimal) -> None:
    text = encode_json(number).decode()

    assert text == encode_json(plain_value(text)).decode()


@given(st.text())
def test_a_quoted_text_is_what_was_quoted(text: str) -> None:
    quoted = text.translate({code: f"\\U{code:08x}" for code in map(ord, text)})
    root = read_source(f'key: "{quoted}"').root

    assert isinstance(root, Mapping)
    found = root.entries["key"].value
    assert isinstance(found, Scalar)
    assert text == found.value


def test_every_node_knows_its_line_and_column() -> None:
    root = read_source("a:\n  - b: 'x y'\n").root

    assert isinstance(root, Mapping)
    items = root.entries["a"].value
    assert (2, 3) == items.place  # the list
    assert (1, 1) == root.entries["a"].key


def test_a_merge_may_be_overridden_and_an_own_key_stays_own() -> None:
    source = read_source("base: &b {x: 1, y: 2}\nmine: {<<: *b, x: 3}\n")

    assert [] == source.problems
    assert isinstance(source.root, Mapping)
    mine = source.root.entries["mine"].value
    assert isinstance(mine, Mapping)
    values = {name: entry.value for name, entry in mine.entries.items()}
    assert {"x": "3", "y": "2"} == {name: node.text for name, node in values.items() if isinstance(node, Scalar)}


def test_the_caret_stands_under_what_is_meant_however_long_the_line() -> None:
    source = read_source("key: 1\n" + "x" * 300 + ": {a: 1, a: 2}\n")

    shown = problem_lines(source.problems, file="m.yaml", lines=source.lines)

    assert shown[0].startswith("m.yaml:2:310: ")
    assert "a" == shown[1][shown[2].index("^")]
    assert all(len(line) < 130 for line in shown)


def test_nothing_in_a_file_can_command_a_terminal() -> None:
    source = read_source('key: "\N{RIGHT-TO-LEFT OVERRIDE}x": 2\n')

    assert all(line.isprintable() for line in problem_lines(source.problems, file="m.yaml", lines=source.lines))


def test_a_great_many_problems_do_not_flood_the_screen() -> None:
    source = read_source("\n".join("k: 1" for _ in range(500)))

    assert "and 449 more" == problem_lines(source.problems, file="m.yaml", lines=source.lines)[-1]


def test_reading_loads_no_more_of_ruamel_than_its_parser_and_leaves_the_package_whole_for_others() -> None:
    script = (
        "import sys; from synartesis.policy.source import read_source; read_source('a: 1');"
        "assert not [name for name in sys.modules if name.startswith('ruamel.')], sys.modules;"
        "import ruamel.yaml; assert ruamel.yaml.YAML().load('a: 1') == {'a': 1}; print('whole')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert ("whole\n", "") == (ran.stdout, ran.stderr)


yaml_like = st.text("abk:-*&!?|>'\"%@`{}[],# \n\t<0.~\\$\x00\x85\u2028é", max_size=60)


@given(yaml_like | st.text())
def test_any_text_is_read_or_has_a_problem_with_a_place(text: str) -> None:
    source = read_source(text)

    assert (
        source.root is not None
        or source.problems
        or not text.replace("---", "").strip("\x85\u2028 \t\n\r\ufeff")
        or "#" in text
    )
    assert all(problem.place.line >= 1 and problem.place.column >= 1 and problem.message for problem in source.problems)
