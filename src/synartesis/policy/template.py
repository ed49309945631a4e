"""References in arguments: parsed once when the manifest is read, resolved against a context when a call happens.

Values are copied, never computed. Nothing here knows where a template stands in a manifest or what its call is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import AnswerMark, AnswerValue, ReadPlan, ResolvedCall, TextIs
from synartesis.domain.canonical import Json, NotJson, encode_json
from synartesis.domain.paths import EACH, Each, Path, PathNotFound, get_path, render_path

Template: TypeAlias = Any
"""JSON whose strings with references were replaced: a Reference where the string was nothing else, else a Text."""


class Reference(msgspec.Struct, frozen=True):
    """`$.path`, `$snapshot.path`, `$result.path`; `source` is `arguments`, `snapshot` or `result`."""

    source: str
    path: Path

    def __str__(self) -> str:
        return ("$" if self.source == "arguments" else f"${self.source}") + _spell(self.path)


class Text(msgspec.Struct, frozen=True):
    """A longer string with references inside it: literal pieces and references in turn."""

    pieces: tuple[str | Reference, ...]


class Context(msgspec.Struct, frozen=True):
    """What references may read. None: not known (yet, or at all)."""

    arguments: Json
    snapshot: AnswerValue | None = None
    result: AnswerValue | None = None


class Unresolvable(Exception):
    """A reference has no value. `reference` is as the manifest spells it; `why` says what is missing."""

    def __init__(self, reference: str, why: str) -> None:
        super().__init__(f"{reference}: {why}")
        self.reference = reference
        self.why = why


class NotATemplate(ValueError):
    """A string has a `$` that cannot be read. `quoted` is the part of the string that is meant; `remedy` what to write."""

    def __init__(self, quoted: str, why: str, remedy: str) -> None:
        super().__init__(f"`{quoted}` {why}; {remedy}")
        self.quoted = quoted
        self.why = why
        self.remedy = remedy


def parse_template(value: Json) -> Template:
    """Raises ValueError quoting what cannot be read as a reference."""
    if isinstance(value, str):
        return parse_text(value)
    if isinstance(value, list):
        return [parse_template(element) for element in value]
    if isinstance(value, dict):
        refuse_later_forms(value)
        return {key: parse_template(element) for key, element in value.items()}
    return value


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


def refuse_later_forms(value: dict[str, Json]) -> None:
    """`{$each, $make}` and `{$from, $default}` have a meaning that this version does not know: never send them as they
    stand. Other keys with a dollar (a query's `$set`) are literal. Raises NotATemplate."""
    for first, second in (("$each", "$make"), ("$from", "$default")):
        if set(value) == {first, second}:
            raise NotATemplate(first, f"with `{second}` is a form that {NOT_YET}", "write the value out")


def resolve(template: Template, context: Context) -> Json:
    """The literal value. A reference alone keeps its type; inside a longer string it is substituted as text. Raises
    Unresolvable."""
    if isinstance(template, Reference):
        return _value_of(template, context)
    if isinstance(template, Text):
        return "".join(
            piece if isinstance(piece, str) else _as_text(_value_of(piece, context)) for piece in template.pieces
        )
    if isinstance(template, list):
        return [resolve(element, context) for element in template]
    if isinstance(template, dict):
        return {key: resolve(element, context) for key, element in template.items()}
    return template


def references(template: Template) -> Iterator[Reference]:
    """Every reference in a template, in order."""
    if isinstance(template, Reference):
        yield template
    elif isinstance(template, Text):
        yield from (piece for piece in template.pieces if isinstance(piece, Reference))
    elif isinstance(template, list):
        for element in template:
            yield from references(element)
    elif isinstance(template, dict):
        for element in template.values():
            yield from references(element)


def read_references(rule: Any) -> Iterator[Reference]:
    """Every reference in a ReadRule: in its arguments, and in the texts that a whole answer is compared with."""
    yield from references(rule.args)
    answers = rule.answers
    for mark in (*answers.absent_when, *answers.error_when, *answers.incomplete_when):
        if isinstance(mark, TextIs):
            yield from references(parse_text(mark.text))


def resolve_read(rule: Any, context: Context) -> ReadPlan:
    """The literal read of a ReadRule. Raises Unresolvable."""
    answers = replace(
        rule.answers,
        absent_when=_literal_marks(rule.answers.absent_when, context),
        error_when=_literal_marks(rule.answers.error_when, context),
        incomplete_when=_literal_marks(rule.answers.incomplete_when, context),
    )
    return ReadPlan(ResolvedCall(rule.tool, resolve(rule.args, context)), answers)


def restored_paths(template: Template) -> tuple[Path, ...]:
    """The paths of `$snapshot` that a template puts back."""
    return tuple(dict.fromkeys(found.path for found in references(template) if found.source == "snapshot"))


# --- reading one reference

NOT_YET = "this version of Synartesis does not know yet"

_SOURCES = {"": "arguments", "snapshot": "snapshot", "result": "result"}
_LATER_SOURCES = ("current", "item")
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
    if rest == "?" and dollar == 0:
        raise NotATemplate(text, f"ends with `?`, which {NOT_YET}", "leave the `?` out")
    if _cut_off(rest, alone=dollar == 0) or (not word and not path and not _bare_may_end(rest)):
        raise NotATemplate(
            _SNIPPET.match(text, dollar)[0],  # type: ignore[index]
            "is not a reference",
            'write `$.field`, `$["any key"]`, `$snapshot.field` or `$result.field`, or `$$` for a dollar',
        )
    return Reference(_SOURCES[word], path), end


def _unknown_source(word: str) -> NotATemplate:
    if word in _LATER_SOURCES:
        return NotATemplate(f"${word}", f"is a source that {NOT_YET}", "use `$.`, `$snapshot` or `$result`")
    import difflib

    near = difflib.get_close_matches(word.lower(), ["snapshot", "result"], n=1)
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


# --- the value of one reference


def _value_of(reference: Reference, context: Context) -> Json:
    try:
        match reference.source:
            case "arguments":
                return get_path(context.arguments, reference.path)
            case "snapshot":
                return _known(reference, context.snapshot, "the state before is not known").at(reference.path)
            case _:
                return _known(reference, context.result, "the result of the call is not known").at(reference.path)
    except NotJson:
        raise Unresolvable(str(reference), "the answer is text that is not JSON") from None
    except PathNotFound as missing:
        raise Unresolvable(str(reference), _what_is_missing(reference, missing)) from None


def _known(reference: Reference, value: AnswerValue | None, why: str) -> AnswerValue:
    if value is None:
        raise Unresolvable(str(reference), why)
    return value


_OWNERS = {
    "arguments": ("the call", "argument"),
    "snapshot": ("the state", "field"),
    "result": ("the result", "field"),
}


def _what_is_missing(reference: Reference, missing: PathNotFound) -> str:
    owner, kind = _OWNERS[reference.source]
    if EACH in reference.path and missing.missing != EACH:
        each = render_path(reference.path[: reference.path.index(EACH)])
        return f"not every element of {f'`{each}`' if each else 'the list'} has {_thing('field', missing.missing)}"
    at = render_path(missing.reached)
    if isinstance(missing.missing, Each):
        return f"{f'`{at}` of {owner}' if at else owner} is not a list"
    if at:
        return f"`{at}` of {owner} has no {_thing('field', missing.missing, article='')}"
    return f"{owner} has no {_thing(kind, missing.missing, article='')}"


def _thing(kind: str, segment: str | int | Each, *, article: str = "a ") -> str:
    return f"{article}element {segment}" if isinstance(segment, int) else f"{article}{kind} `{segment}`"


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else encode_json(value).decode("utf-8", "surrogatepass")


def _literal_marks(marks: tuple[AnswerMark, ...], context: Context) -> tuple[AnswerMark, ...]:
    """The texts of `{text: ...}` marks with their references filled in, always as text."""
    return tuple(
        TextIs(_as_text(resolve(parse_text(mark.text), context))) if isinstance(mark, TextIs) else mark
        for mark in marks
    )
