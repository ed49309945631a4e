"""Words that look like others: letters of two alphabets in one word, letters that pass for those of another, pictures of
letters, signs that pass for a dot, a slash or an at. Each is pointed out, with the characters that are not what they seem."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import name

from synartesis.domain.canonical import Json
from synartesis.present.safe_text import printable, shortened

_WORD = re.compile(r"[^\W\d_]+(?:['’\u0300-\u036f]?[^\W_]+)*")
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "DESERET", "LISU")
"""Those whose letters pass for each other's. Others are mixed by people who write in them."""
_PICTURES = (
    "FULLWIDTH",
    "MATHEMATICAL",
    "CIRCLED",
    "PARENTHESIZED",
    "SQUARED",
    "DOUBLE-STRUCK",
    "SCRIPT",
    "BLACK-LETTER",
)
_SIGNS = (
    "\u2024\u2027\u2044\u2215\u29f8\ua789\u02d0\u2236\u3002\ufe52\ufe55\ufe6b\uff0e\uff0f\uff1a\uff20\u0589\u06d4\u0701"
)
_LIKE_LATIN = frozenset("аеорсухіјѕԁӏһԛԝАВЕКМНОРСТУХЅІЈοανρυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
"""Letters of Cyrillic and Greek that most fonts draw as they draw Latin ones."""
_SIGN_IN_A_WORD = re.compile(rf"(?<=[0-9A-Za-z])[{_SIGNS}](?=[0-9A-Za-z])")

MOST_TOLD = 5


def lookalikes(text: str) -> list[str]:
    """A sentence for each word that is not what it seems, in the order in which they stand; at most so many."""
    return list(dict.fromkeys(sentence for _, sentence in zip(range(MOST_TOLD * 4), _found(text), strict=False)))[
        :MOST_TOLD
    ]


def lookalikes_in(value: Json) -> list[str]:
    """The same for every text in a value, keys included."""
    told = dict.fromkeys(sentence for text in _texts(value) if not text.isascii() for sentence in lookalikes(text))
    return list(told)[:MOST_TOLD]


def _found(text: str) -> Iterator[str]:
    words = [match[0] for match in _WORD.finditer(text)]
    for word in words:
        if word.isascii():
            continue
        if _LIKE_LATIN.issuperset(word) and _is_out_of_place(word, words):
            yield f"{_spelled(word, set(word))} is written in {_script(word[0]).capitalize()} letters that look like Latin ones"
        scripts = {char: _script(char) for char in word if char.isalpha()}
        alphabets = [script for script in dict.fromkeys(scripts.values()) if script in _ALPHABETS]
        if len(alphabets) > 1:
            usual = "LATIN" if "LATIN" in alphabets else alphabets[0]
            strange = {char for char, script in scripts.items() if script in alphabets and script != usual}
            mixed = " and ".join(script.capitalize() for script in alphabets)
            yield f"{_spelled(word, strange)} mixes {mixed} letters"
        strange = {char for char, script in scripts.items() if script in _PICTURES}
        if strange:
            yield f"{_spelled(word, strange)} is written in letters that only look like letters"
    for match in _SIGN_IN_A_WORD.finditer(text):
        around = text[max(0, match.start() - 20) : match.end() + 20]
        yield f"{_spelled(around, {match[0]})} has a {name(match[0]).lower()} in it"


def _is_out_of_place(word: str, words: list[str]) -> bool:
    """Whether nothing else is written in the word's alphabet, and something in Latin letters."""
    own = {each for each in words if _script(each[0]) == _script(word[0])}
    return any(each.isascii() for each in words) and all(_LIKE_LATIN.issuperset(each) for each in own)


def _script(char: str) -> str:
    return name(char, "").split(" ", 1)[0]


def _spelled(text: str, strange: set[str]) -> str:
    """The text with the strange characters as codes."""
    shown = shortened(text, 80)
    return '"' + "".join(f"<U+{ord(char):04X}>" if char in strange else printable(char) for char in shown) + '"'


def _texts(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed([part for pair in item.items() for part in pair]))
        elif isinstance(item, list):
            stack.extend(reversed(item))
