"""References in arguments: parsed once when the manifest is read, resolved against a context when a call happens.

Values are copied, never computed. Nothing here knows where a template stands in a manifest or what its call is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from synartesis.domain.calls import AnswerMark, AnswerValue, ReadPlan, ResolvedCall, TextIs
from synartesis.domain.canonical import Json, NotJson, canonical_json, encode_json
from synartesis.domain.paths import EACH, Each, Path, PathNotFound, render_path
from synartesis.domain.things import about
from synartesis.policy.references import NotATemplate, Reference, Text, parse_text

Template: TypeAlias = Any
"""JSON in which a string with references became a Reference (where it was nothing else) or a Text, and the two forms became
Fallback and Made."""


class Fallback(msgspec.Struct, frozen=True):
    """`{$from: PATH, $default: VALUE}`: the value, or the default where the path is absent."""

    value: Reference
    default: Template


class Made(msgspec.Struct, frozen=True):
    """`{$each: PATH, $make: TEMPLATE}`: a list made from a list, each element in the shape of the template."""

    each: Reference
    make: Template


class Current(msgspec.Struct, frozen=True):
    """In a resolved value: what stands at this path of the state just before the call is sent."""

    path: Path


class Defaulted(msgspec.Struct, frozen=True):
    """In a resolved value: what a rule puts where the state has nothing at this path."""

    path: Path
    value: Json


class Context(msgspec.Struct, frozen=True):
    """What references may read. None: not known (yet, or at all)."""

    arguments: Json
    snapshot: AnswerValue | None = None
    result: AnswerValue | None = None
    item: AnswerValue | None = None
    """The element of the list that is gone through."""
    later: frozenset[str] = frozenset()
    """Sources that will be known only later: a reference to one of them stands for nothing yet, and is no mistake."""


class Unresolvable(Exception):
    """A reference has no value. `reference` is as the manifest spells it; `why` says what is missing."""

    def __init__(self, reference: str, why: str) -> None:
        super().__init__(f"{reference}: {why}")
        self.reference = reference
        self.why = why


def parse_template(value: Json) -> Template:
    """Raises ValueError quoting what cannot be read as a reference."""
    if isinstance(value, str):
        return parse_text(value)
    if isinstance(value, list):
        return parsed_list([parse_template(element) for element in value])
    if isinstance(value, dict):
        return parsed_mapping({key: parse_template(element) for key, element in value.items()})
    return value


def parsed_list(parts: list[Template]) -> Template:
    """Raises NotATemplate."""
    for part in parts:
        _refuse_optional(part, "an element of a list", "leave the `?` out")
    return parts


def parsed_mapping(parts: dict[str, Template]) -> Template:
    """A mapping whose parts are templates; a form, where it has the two keys of one. Other keys with a dollar (a query's
    `$set`) are literal. Raises NotATemplate."""
    if set(parts) == {"$from", "$default"}:
        value = _reference_of(parts, "$from")
        _refuse_optional(value, "`$from`", "leave the `?` out: `$default` says what absence becomes")
        _refuse_optional(parts["$default"], "`$default`", "leave the `?` out, or write the value")
        return Fallback(value, parts["$default"])
    if set(parts) == {"$each", "$make"}:
        each = _reference_of(parts, "$each")
        _refuse_optional(parts["$make"], "`$make`", "leave the `?` out")
        return Made(each, parts["$make"])
    return parts


def _reference_of(parts: dict[str, Template], key: str) -> Reference:
    found = parts[key]
    if isinstance(found, Reference) and found.source == "current":
        raise NotATemplate(
            str(found), "is known only when the inverse is sent", "let it stand alone, outside of any form"
        )
    if isinstance(found, Reference):
        return found
    raise NotATemplate(key, "copies from a path, and this is none", f'write {{{key}: "$snapshot.field", ...}}')


def _refuse_optional(template: Template, where: str, remedy: str) -> None:
    """`?` leaves a key out, so it needs one."""
    if isinstance(template, Reference | Made) and _is_optional(template):
        reference = template if isinstance(template, Reference) else template.each
        raise NotATemplate(str(reference), f"leaves a key out, and {where} is none", remedy)


def _is_optional(template: Reference | Made) -> bool:
    return template.optional if isinstance(template, Reference) else template.each.optional


def resolve(template: Template, context: Context) -> Json:
    """The literal value, with a Current in the place of each reference to the current state, and a Defaulted where a default
    stands for a field that the state does not have. A reference alone keeps its type; inside a longer string it is
    substituted as text. Raises Unresolvable."""
    if isinstance(template, Reference):
        return _value_of(template, context)
    if isinstance(template, Text):
        pieces = [piece if isinstance(piece, str) else _value_of(piece, context) for piece in template.pieces]
        return _LATER if _LATER in pieces else "".join(map(_as_text, pieces))
    if isinstance(template, list):
        return [resolve(element, context) for element in template]
    if isinstance(template, dict):
        return {
            key: value for key, element in template.items() if (value := resolve(element, context)) is not _LEFT_OUT
        }
    if isinstance(template, Fallback):
        return _fall_back(template, context)
    if isinstance(template, Made):
        return _make(template, context)
    return template


def resolve_text(template: Template, context: Context) -> str:
    """A text, whatever its references stand for. Raises Unresolvable."""
    return _as_text(resolve(template, context))


def resolve_about(texts: Iterable[Template], context: Context) -> str | None:
    """What a call is about, as its rule says it; None where it does not. Raises Unresolvable."""
    return about([resolve_text(text, context) for text in texts]) or None


def references(template: Template) -> Iterator[Reference]:
    """Every reference in a template, in order. One to an element of a list that the template itself goes through is given as
    one to every element of that list."""
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
    elif isinstance(template, Fallback):
        yield template.value
        yield from references(template.default)
    elif isinstance(template, Made):
        of_items = [found for found in references(template.make) if found.source == "item"]
        yield from of_elements(template.each, of_items) if of_items else (template.each,)
        yield from (found for found in references(template.make) if found.source != "item")


def of_elements(each: Reference, items: Iterable[Reference]) -> Iterator[Reference]:
    """References to an element, as references to every element of its list."""
    for item in items:
        yield Reference(each.source, (*each.path, EACH, *item.path), item.optional)


def leaves_marks(template: Template) -> bool:
    """Whether a value that is resolved from it may hold a Current or a Defaulted."""
    if isinstance(template, Reference):
        return template.source == "current"
    if isinstance(template, Fallback):
        return True
    if isinstance(template, Made):
        return leaves_marks(template.make)
    if isinstance(template, dict):
        return any(map(leaves_marks, template.values()))
    return isinstance(template, list) and any(map(leaves_marks, template))


def references_of_each(template: Template, for_each: Reference | list[Template] | None) -> Iterator[Reference]:
    """The same where the template is resolved once for each element of a list, if it is."""
    if for_each is None:
        yield from references(template)
        return
    found = list(references(template))
    items = [one for one in found if one.source == "item"]
    if isinstance(for_each, Reference):
        yield from of_elements(for_each, items) if items else (for_each,)
    for element in for_each if isinstance(for_each, list) else ():
        yield from _of_element(element, items)
    yield from (one for one in found if one.source != "item")


def _of_element(element: Template, items: Iterable[Reference]) -> Iterator[Reference]:
    """References to an element that is written out, as references to what stands there."""
    if not isinstance(element, Reference):
        yield from references(element)
        return
    for path, optional in {item.path: item.optional for item in items}.items() or [((), False)]:
        yield Reference(element.source, (*element.path, *path), optional)


def read_references(rule: Any) -> Iterator[Reference]:
    """Every reference in a ReadRule: in its arguments, and in the texts that a whole answer is compared with."""
    yield from references_of_each(rule.args, rule.for_each)
    answers = rule.answers
    for mark in (*answers.absent_when, *answers.error_when, *answers.incomplete_when):
        if isinstance(mark, TextIs):
            yield from references(parse_text(mark.text))


MAX_ELEMENTS = 1000
"""For so many elements of a list calls are made one by one."""


def resolve_elements(for_each: Reference | list[Template], context: Context) -> list[Json]:
    """The elements for each of which a call is made. Raises Unresolvable."""
    if isinstance(for_each, list):
        return [resolve(element, context) for element in for_each]
    elements = _value_of(for_each, context)
    if isinstance(elements, _Nothing):
        return []
    if not isinstance(elements, list):
        raise Unresolvable(str(for_each), "is not a list")
    if len(elements) > MAX_ELEMENTS:
        raise Unresolvable(str(for_each), f"has more than {MAX_ELEMENTS:,} elements")
    return elements


def resolve_read(rule: Any, context: Context) -> ReadPlan:
    """The literal read of a ReadRule. Raises Unresolvable."""
    answers = replace(
        rule.answers,
        absent_when=_literal_marks(rule.answers.absent_when, context),
        error_when=_literal_marks(rule.answers.error_when, context),
        incomplete_when=_literal_marks(rule.answers.incomplete_when, context),
    )
    arguments = resolve(rule.args, context) if rule.for_each is None else _arguments_of_each(rule, context)
    return ReadPlan(ResolvedCall(rule.tool, arguments), answers)


def _arguments_of_each(rule: Any, context: Context) -> dict[str, Json]:
    """Those of every call, each once. That there is nothing to read is no state that could be put back."""
    elements = resolve_elements(rule.for_each, context)
    if not elements:
        raise Unresolvable(str(rule.for_each), "is an empty list")
    each = [{"item": item, "args": resolve(rule.args, replace(context, item=AnswerValue(item)))} for item in elements]
    return {"for_each": list({canonical_json(one["args"]): one for one in each}.values())}


def restored_paths(template: Template, for_each: Reference | None = None) -> tuple[Path, ...]:
    """The paths of `$snapshot` that a template puts back."""
    found = references_of_each(template, for_each)
    return tuple(dict.fromkeys(one.path for one in found if one.source == "snapshot"))


def given_paths(template: Template, for_each: Reference | None = None) -> tuple[Path, ...]:
    """Those that stand for a value of their own. Inside of a longer text (a comment) a path is spoken of, not put back."""
    without = _without_texts(template)
    return restored_paths(without, for_each if for_each is None or _reads_items(without) else None)


def _reads_items(template: Template) -> bool:
    return any(found.source == "item" for found in references(template))


def _without_texts(template: Template) -> Template:
    match template:
        case Text():
            return None
        case dict():
            return {key: _without_texts(below) for key, below in template.items()}
        case list():
            return [_without_texts(below) for below in template]
        case Fallback(default=default):
            return replace(template, default=_without_texts(default))
        case Made(make=make):
            without = _without_texts(make)
            return replace(template, make=without) if _reads_items(without) else None
        case _:
            return template


# --- the two forms


class _Nothing(msgspec.Struct, frozen=True):
    """No JSON value, so no value of any server is ever taken for it."""

    name: str


_LEFT_OUT: Any = _Nothing("left out")
_LATER: Any = _Nothing("later")


def _fall_back(template: Fallback, context: Context) -> Json:
    value = _value_of(template.value, context, may_be_absent=True)
    if value is not _LEFT_OUT:
        return value
    default = resolve(template.default, context)
    return Defaulted(template.value.path, default) if template.value.source == "snapshot" else default


def _make(template: Made, context: Context) -> Json:
    elements = _value_of(template.each, context)
    if isinstance(elements, _Nothing):
        return elements
    if not isinstance(elements, list):
        raise Unresolvable(str(template.each), "is not a list")
    return [resolve(template.make, replace(context, item=AnswerValue(element))) for element in elements]


# --- the value of one reference


def _value_of(reference: Reference, context: Context, *, may_be_absent: bool = False) -> Json:
    """The value; `_LEFT_OUT` where the path is absent and may be. Raises Unresolvable."""
    if reference.source in context.later:
        return _LATER
    if reference.source == "current":
        return Current(reference.path)
    try:
        return _looked_into(reference, context).at(reference.path)
    except NotJson:
        raise Unresolvable(str(reference), "the answer is text that is not JSON") from None
    except PathNotFound as missing:
        if (may_be_absent or reference.optional) and _is_absence(_looked_into(reference, context), missing):
            return _LEFT_OUT
        raise Unresolvable(str(reference), _what_is_missing(reference, missing)) from None


def _looked_into(reference: Reference, context: Context) -> AnswerValue:
    match reference.source:
        case "arguments":
            return AnswerValue(context.arguments)
        case "snapshot":
            return _known(reference, context.snapshot, "the state before is not known")
        case "result":
            return _known(reference, context.result, "the result of the call is not known")
        case _:
            return _known(reference, context.item, "there is no list whose element it could be")


def _known(reference: Reference, value: AnswerValue | None, why: str) -> AnswerValue:
    if value is None:
        raise Unresolvable(str(reference), why)
    return value


def _is_absence(value: AnswerValue, missing: PathNotFound) -> bool:
    """A field that is not there, or nothing to have one. That some elements of a list have it and others do not, or that
    there is a text where a mapping was meant, is none: whoever wrote the rule did not mean such a value."""
    if EACH in missing.reached:
        return False
    holder = value.at(missing.reached) if missing.reached else value.parsed()
    if isinstance(missing.missing, Each):
        return holder is None
    return holder is None or isinstance(holder, dict if isinstance(missing.missing, str) else list)


_OWNERS = {
    "arguments": ("the call", "argument"),
    "snapshot": ("the state", "field"),
    "result": ("the result", "field"),
    "item": ("the element", "field"),
}


def _what_is_missing(reference: Reference, missing: PathNotFound) -> str:
    owner, kind = _OWNERS[reference.source]
    if EACH in missing.reached and missing.missing != EACH:
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
        TextIs(resolve_text(parse_text(mark.text), context)) if isinstance(mark, TextIs) else mark for mark in marks
    )
