"""References in one text: `$.path`, `$snapshot.path`, `$result.path`, `$item.path`, `$current.path`, and how they are spelt.
What they stand for is `template`'s."""

from __future__ import annotations

import re

import msgspec

from synartesis.domain.paths import EACH, Each, Path


class Reference(msgspec.Struct, frozen=True):
    """One value to be copied. `source` is `arguments`, `snapshot`, `result`, `item` (the element of a list) or `current` (the
    state just before an inverse is sent)."""

    source: str
    path: Path
    optional: bool = False
    """It ends with `?`: where the path is absent, so is the key that it stands for."""

    def __str__(self) -> str:
        return ("$" if self.source == "arguments" else f"${self.source}") + _spell(self.path) + "?" * self.optional


class Text(msgspec.Struct, frozen=True):
    """A longer string with references inside it: literal pieces and references in turn."""

    pieces: tuple[str | Reference, ...]


class NotATemplate(ValueError):
    """A string has a `$` that cannot be read, or a form is not whole. `quoted` is the part that is meant; `remedy` what to
    write."""

    def __init__(self, quoted: str, why: str, remedy: str) -> None:
        super().__init__(f"`{quoted}` {why}; {remedy}")
        self.quoted = quoted
        self.why = why
        self.remedy = remedy


def parse_text(text: str) -> str | Reference | Text:
    """One string: itself where it has no reference (`$$` made one dollar), a Reference where it is nothing else, else a Text.
    Raises NotATemplate."""
    pieces: list[str | Reference] = []
    at = 0
    while (dollar := text.find("$", at)) >= 0:
        _add(pieces, text[at:dollar])
        if text.startswith("$$", dollar):
            _add(pieces, "$")
            at = dollar + 2
        else:
            reference, at = _reference_at(text, dollar)
            pieces.append(reference)
    _add(pieces, text[at:])
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(map(str, pieces))
    return pieces[0] if len(pieces) == 1 else Text(tuple(pieces))


# --- reading one reference

_SOURCES = {"": "arguments", "snapshot": "snapshot", "result": "result", "item": "item", "current": "current"}
_WORD = re.compile(r"[^\W\d]\w*")
_FIELD = re.compile(r"\w+(?:-+\w+)*")
"""A field that needs no quotes. Narrower than what a path may hold, so that `Hi $.name, ...` ends at the comma."""
_SEGMENT = re.compile(
    rf'\.(?P<field>{_FIELD.pattern})|\[(?P<index>[0-9]{{1,9}})\]|(?P<each>\[\])|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]',
    re.DOTALL,
)
_SNIPPET = re.compile(r"\$[^\s,;]{0,40}")
_BARE_MAY_END_WITH = ",;:!)]}\"'"


def _reference_at(text: str, dollar: int) -> tuple[Reference, int]:
    """The reference that starts at this dollar, and where the text goes on."""
    word = found[0] if (found := _WORD.match(text, dollar + 1)) else ""
    if word not in _SOURCES:
        raise _unknown_source(word)
    path, end = _path_at(text, dollar + 1 + len(word))
    rest = text[end:]
    if word == "current" and (dollar or rest):
        spelled = str(Reference(word, path))
        raise NotATemplate(spelled, "is known only when the inverse is sent", f'let it stand alone: "{spelled}"')
    if rest == "?" and dollar == 0:
        if path:
            return Reference(_SOURCES[word], path, optional=True), len(text)
        raise NotATemplate(text, "names no field that could be absent", f"write `{text[:-1]}.field?`")
    if _cut_off(rest, alone=dollar == 0) or (not word and not path and not _bare_may_end(rest)):
        raise NotATemplate(
            _SNIPPET.match(text, dollar)[0],  # type: ignore[index]
            "is not a reference",
            'write `$.field`, `$["any key"]`, `$snapshot.field` or `$result.field`, or `$$` for a dollar',
        )
    return Reference(_SOURCES[word], path), end


def _unknown_source(word: str) -> NotATemplate:
    import difflib

    near = difflib.get_close_matches(word.lower(), ["snapshot", "result", "item", "current"], n=1)
    remedy = (
        f"did you mean `${near[0]}`?" if near else f"write `$.{word}` for the call's argument, or `$$` for a dollar"
    )
    return NotATemplate(f"${word}", "is not a source of values", remedy)


def _path_at(text: str, at: int) -> tuple[Path, int]:
    segments: list[str | int | Each] = []
    while found := _SEGMENT.match(text, at):
        at = found.end()
        if found["field"] is not None:
            segments.append(found["field"])
        elif found["index"] is not None:
            segments.append(int(found["index"]))
        elif found["each"] is not None:
            segments.append(EACH)
        else:
            segments.append(re.sub(r"\\(.)", r"\1", found["quoted"], flags=re.DOTALL))
    return tuple(segments), at


def _cut_off(rest: str, *, alone: bool) -> bool:
    """Whether a path goes on in a way that cannot be read. A full stop that ends a sentence is not a path."""
    if rest.startswith("["):
        return True
    return rest.startswith(".") and not (rest[1:2].isspace() or (rest == "." and not alone))


def _bare_may_end(rest: str) -> bool:
    return not rest or rest[0].isspace() or rest[0] in _BARE_MAY_END_WITH


def _add(pieces: list[str | Reference], literal: str) -> None:
    if not literal:
        return
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] += literal
    else:
        pieces.append(literal)


def _spell(path: Path) -> str:
    text = ""
    for segment in path:
        if isinstance(segment, Each):
            text += "[]"
        elif isinstance(segment, int):
            text += f"[{segment}]"
        elif _FIELD.fullmatch(segment):
            text += f".{segment}"
        else:
            quoted = segment.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text
