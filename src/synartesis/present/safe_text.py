"""Text from outside, made safe to read on a terminal: nothing in it can move the cursor, hide, reorder or imitate our lines.

What an approver reads is chosen by an attacker, so this is an allow-list: a character is printed as itself only where it
is printable and visible. Everything else becomes a code that can be seen. Knows nothing of records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

SHORT = 240
"""How many characters of one value are shown unless the whole is asked for."""

BLANK_RUN = 16
"""From this many blanks in a row their number is shown instead: a tail behind them would be out of sight."""

LONGEST_WORD = 400
"""A word that is kept whole all the same ends here."""

_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}

_INVISIBLE = re.compile(
    # Printable to Unicode and yet seen as nothing: joiners, fillers, variation selectors (bytes can be smuggled in those),
    # the empty braille cell.
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def printable(text: str) -> str:
    """One line in which every character can be seen. Controls become `\\x1b`, whatever else is invisible or reorders text
    becomes `<U+202E>`, a newline becomes `\\n`."""
    if text.isprintable() and (text.isascii() or not _INVISIBLE.search(text)):
        return text
    return "".join(map(_visible, text))


def printable_lines(text: str) -> list[str]:
    """Our own text of several lines, which may quote text from outside: its line ends stay, all else is made visible."""
    return [printable(line) for line in text.split("\n")]


def harmless(line: str) -> str:
    """A whole line on its way out, our colours in it: what was not made printable where it was put in becomes so here. The
    journal can be written by others, so a number or a time in it may be neither."""
    if line.isprintable():
        return line
    return "".join(part if at % 2 else printable(part) for at, part in enumerate(_OUR_COLOURS.split(line)))


def shortened(text: str, limit: int | None = SHORT, *, quoted: bool = False) -> str:
    """`printable`, head and tail of it, with how much is hidden between them; runs of blanks as their number. None: all.

    `quoted` puts it in quotes and escapes backslash and quote as JSON does, so that a code that stands for a character cannot
    be mistaken for the same letters typed.
    """
    visible = _visible_quoted if quoted else _visible
    mark = '"' if quoted else ""
    if limit is None:
        return mark + "".join(map(visible, text)) + mark
    head, taken = _fit(_PIECE.finditer(text), limit, visible)
    if taken == len(text):
        return mark + "".join(head) + mark
    tail_limit = limit // 3
    head, taken = _fit(_PIECE.finditer(text), limit - tail_limit, visible)
    tail, kept = _fit(_PIECE.finditer(text[::-1]), tail_limit, visible)
    hidden = len(text) - taken - kept
    seam = f"… {hidden:,} character{'' if hidden == 1 else 's'} hidden …"
    return mark + "".join(head) + seam + "".join(reversed(tail)) + mark


def cells(text: str) -> int:
    """How many columns a printable text takes in a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, width: int) -> str:
    """The text filled with blanks to a number of columns."""
    return text + " " * max(0, width - cells(text))


def fitted(text: str, width: int) -> str:
    """A name or a phrase in a column: cut in the middle where it is too long, so that head and tail are both seen."""
    if cells(text) <= width:
        return text
    keep = max(width - 1, 2)
    tail = text[len(text) - keep // 3 :]
    while cells(tail) > keep // 3:
        tail = tail[1:]
    return text[: _columns(text, keep - cells(tail))] + "…" + tail


def wrapped(
    text: str, width: int, *, indent: str = "", hanging: str | None = None, keep_words: bool = False
) -> list[str]:
    """Lines of at most `width` columns, broken at blanks where possible. Lines after the first start with `hanging`, so
    what stands at the left edge is always ours. `keep_words` lets a path run over the edge, so that it can be copied."""
    lines: list[str] = []
    lead, at = indent, 0
    while True:
        cut = at + _columns(text, max(width - cells(lead), 16), at)
        if cut >= len(text):
            return [*lines, (lead + text[at:]).rstrip()]
        blank = text.rfind(" ", at, cut + 1)
        if blank > (at if keep_words else at + (cut - at) // 2):
            cut = blank
        elif keep_words:
            blank = text.find(" ", cut)
            cut = min(blank if blank > 0 else len(text), at + LONGEST_WORD)
        lines.append((lead + text[at:cut]).rstrip())
        at = cut
        while at < len(text) and text[at] == " ":
            at += 1
        if at == len(text):
            return lines
        lead = indent if hanging is None else hanging


def message_lines(text: str, width: int, *, indent: str = "", hanging: str = "") -> list[str]:
    """`printable_lines`, wrapped; an excerpt of a file with the caret under it stays as it stands."""
    first, *more = printable_lines(text)
    lines = wrapped(first, width, indent=indent, hanging=hanging, keep_words=True)
    for line in more:
        if _EXCERPT.match(line):
            lines.append(hanging + line)
        else:
            lines += wrapped(line, width, indent=hanging, hanging=hanging + "  ", keep_words=True)
    return lines


def command_lines(text: str, width: int, *, indent: str = "", hanging: str = "") -> list[str]:
    """What to do: one line of words, wrapped, and below it commands, each on one line however long, because two are not what
    can be pasted."""
    words, *commands = printable_lines(text)
    return [
        *wrapped(words, width, indent=indent, hanging=hanging, keep_words=True),
        *(hanging + command for command in commands),
    ]


# --- below: how

_OUR_COLOURS = re.compile("(\x1b\\[(?:0|1|2|31|32|33)m|\n)")
"""Those of `Style`, and the line ends of a line that holds several."""
_EXCERPT = re.compile(r" *\d* \| ")
"""As policy/problems.py writes it."""
_PIECE = re.compile(rf"\s{{{BLANK_RUN},}}|.", re.DOTALL)


def _visible(char: str) -> str:
    if char.isprintable() and not _INVISIBLE.match(char):
        return char
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0xA0 else f"<U+{code:04X}>"


def _visible_quoted(char: str) -> str:
    return "\\" + char if char in '"\\' else _visible(char)


def _fit(pieces: Iterator[re.Match[str]], limit: int, visible: Callable[[str], str]) -> tuple[list[str], int]:
    """As many pieces as fit, made visible, and how many characters of the text they stand for."""
    shown: list[str] = []
    taken = 0
    for match in pieces:
        piece = visible(match[0]) if len(match[0]) == 1 else f"<{len(match[0]):,} blanks>"
        if len(piece) > limit:
            break
        limit -= len(piece)
        taken += len(match[0])
        shown.append(piece)
    return shown, taken


def _columns(text: str, room: int, start: int = 0) -> int:
    """How many characters from `start` on fit into so many columns; at least one."""
    if text.isascii():
        return room
    used, at = 0, start
    while at < len(text):
        used += cells(text[at])
        if used > room:
            return max(at - start, 1)
        at += 1
    return at - start
