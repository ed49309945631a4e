"""The `tools` of a manifest: one rule each, and everything that must be true of a rule before it may govern a call."""

from __future__ import annotations

from collections.abc import Iterator

from synartesis.domain.calls import AnswerMark, AnswerRules, ErrorSays, TextIs, ValueAt
from synartesis.domain.paths import Path, covers, parse_path, render_path
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.grammar import LATER, Fields, Key, Reading, list_of, one_of, read_place, text, whole_number
from synartesis.policy.manifest import CallTemplate, ReadRule, Rule
from synartesis.policy.problems import Place
from synartesis.policy.source import Mapping, Node, Scalar, Sequence
from synartesis.policy.sql import DIALECTS
from synartesis.policy.template import Template, references
from synartesis.policy.values import (
    Located,
    located_in,
    located_references,
    place_within,
    read_args,
    read_arguments,
    read_decode,
    read_for_each,
    read_ignored,
    read_literal,
    read_match,
    read_path,
    read_tool,
    text_template,
)

_UNDOABLE = (ToolClass.REVERSIBLE, ToolClass.COMPENSABLE)


def read_rules(reading: Reading, node: Node) -> tuple[Rule, ...] | None:
    rules = list_of(_rule)(reading, node)
    if rules is not None:
        _warn_of_repeats(reading, rules)
    return rules


def _rule(reading: Reading, node: Node) -> Rule | None:
    fields = read_place(reading, node, "a rule")
    if fields is None:
        return None
    tool_class = ToolClass(fields.get("class")) if fields.get("class") else None
    if tool_class:
        _check_class(reading, fields, tool_class)
    _check_sources(reading, fields, tool_class)
    _check_items(reading, fields)
    _check_ignored(reading, fields)
    _check_absence(reading, fields)
    _check_verify(reading, fields)
    _check_decode(reading, fields)
    _check_sql(reading, fields)
    if tool_class is None or fields.get("match") is None:
        return None
    gate = GateMode.ALWAYS if tool_class is ToolClass.IRREVERSIBLE else GateMode.NEVER
    return Rule(
        match=fields.get("match"),
        tool_class=tool_class,
        gate=GateMode(fields.get("gate", gate)),
        snapshot=fields.get("snapshot"),
        verify=fields.get("verify"),
        inverse=fields.get("inverse", ()),
        inverse_if_absent=fields.get("inverse_if_absent", ()),
        decode=fields.get("decode"),
        resource=fields.get("resource"),
        note=fields.get("note", ""),
        residue=fields.get("residue", ""),
        sql=fields.get("sql", ()),
        dialect=fields.get("dialect"),
        limit=fields.get("limit"),
        where=reading.where(node.place),
    )


# --- what must hold between the keys of a rule


def _check_class(reading: Reading, fields: Fields, tool_class: ToolClass) -> None:
    inverses = [name for name in ("inverse", "inverse_if_absent") if fields.given(name)]
    _check_words(reading, fields, tool_class)
    if tool_class in _UNDOABLE:
        if not inverses:
            reading.problem(
                fields.node("class"),
                f"a {tool_class} tool must say how to "
                + ("put the state back" if tool_class is ToolClass.REVERSIBLE else "offset the call"),
                "add an `inverse`, or set `class: irreversible`",
            )
        return
    why = "changes nothing" if tool_class is ToolClass.READONLY else "cannot be undone"
    for name in inverses:
        reading.problem(
            fields.key(name),
            f"a tool of class {tool_class} {why}, so it has no `{name}`",
            "remove it, or set `class: reversible` or `class: compensable`",
            width=len(name),
        )
    for name in ("snapshot", "verify"):
        if tool_class is ToolClass.READONLY and fields.given(name):
            reading.problem(
                fields.key(name),
                "a readonly tool changes nothing, so there is no state to keep",
                f"remove `{name}`, or set the class that the tool has",
                width=len(name),
            )


def _check_words(reading: Reading, fields: Fields, tool_class: ToolClass) -> None:
    """What is said about an undo, of a tool that has none."""
    why = "changes nothing" if tool_class is ToolClass.READONLY else "cannot be undone, and nothing of it taken back"
    for name in ("resource", "residue") if tool_class is ToolClass.READONLY else ("residue",):
        if fields.given(name) and tool_class not in _UNDOABLE:
            reading.problem(
                fields.key(name),
                f"a tool of class {tool_class} {why}, so it has no `{name}`",
                "say it in a `note`, or remove it",
                width=len(name),
            )


def _check_sources(reading: Reading, fields: Fields, tool_class: ToolClass | None) -> None:
    """A reference must be to something that is known when it is read."""
    for place in _references_of_read(fields, "snapshot"):
        if place.reference.source not in ("arguments", "item"):
            place.report(
                reading,
                "is not known when the state is read",
                "a snapshot may use only the call's arguments: `$.field`",
            )
    for place in _references_of_read(fields, "verify"):
        if place.reference.source in ("snapshot", "current"):
            place.report(
                reading,
                "is for the inverses",
                "a verify may use `$.field`, and `$result.field` where nothing was there",
            )
        elif place.reference.source == "result" and tool_class not in (ToolClass.COMPENSABLE, None):
            place.report(
                reading,
                f"is not known before the call, and the state of a {tool_class} tool is read before it too",
                "use `$.field`; only a compensable tool may be verified by what its call returned",
            )
    if fields.given("inverse") and not fields.given("snapshot"):
        for place in located_references(fields, "inverse"):
            if place.reference.source == "snapshot":
                place.report(
                    reading,
                    "needs a `snapshot`, and this rule has none",
                    "add a `snapshot` that reads the state before",
                )
    snapshot: ReadRule | None = fields.get("snapshot")
    of_several = snapshot is not None and snapshot.for_each is not None
    for place in located_references(fields, "inverse_if_absent"):
        if place.reference.source == "snapshot" and not of_several:
            place.report(reading, "has no value where nothing was there", "use `$.field` or `$result.field`")
    if not fields.given("snapshot") and not fields.given("verify"):
        for place in (*located_references(fields, "inverse"), *located_references(fields, "inverse_if_absent")):
            if place.reference.source == "current":
                place.report(
                    reading,
                    "needs a read that is made before the inverse, and this rule has none",
                    "add a `snapshot` or a `verify`",
                )


def _references_of_read(fields: Fields, key: str) -> Iterator[Located]:
    """Those that are meant as references: a part of an error answer is literal, whatever it looks like."""
    node = fields.node(key) if fields.given(key) else None
    for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
        if name in ("args", "for_each"):
            yield from located_in(entry.value)
        elif name.endswith("_when") and isinstance(entry.value, Sequence):
            for mark in entry.value.items:
                if isinstance(mark, Mapping) and "text" in mark.entries:
                    yield from located_in(mark.entries["text"].value)


def _check_items(reading: Reading, fields: Fields) -> None:
    for place in _outside_of_lists(fields):
        if place.reference.source == "item" and not place.in_make:
            place.report(
                reading,
                "is the element of a list, and no list is gone through here",
                "it may stand in the `$make` of `{$each: PATH, $make: ...}`, or beside `for_each: PATH`",
            )


def _outside_of_lists(fields: Fields) -> Iterator[Located]:
    """The references of every read and call that is not made for each element of a list."""
    for key in ("snapshot", "verify"):
        node = fields.node(key) if fields.given(key) else None
        if isinstance(node, Mapping) and "for_each" not in node.entries:
            yield from _references_of_read(fields, key)
    for key in ("inverse", "inverse_if_absent"):
        node = fields.node(key) if fields.given(key) else None
        for call in node.items if isinstance(node, Sequence) else [node]:
            if isinstance(call, Mapping) and "for_each" not in call.entries:
                yield from located_in(call)


def _check_ignored(reading: Reading, fields: Fields) -> None:
    calls: tuple[CallTemplate, ...] = fields.get("inverse", ())
    snapshot, verify = fields.get("snapshot"), fields.get("verify")
    restored = [path for call in calls for path in call.restores]
    if snapshot is not None:
        of_one = (snapshot.path_in_answer(path) for path in restored)
        restored = [path for path in of_one if path is not None]
    judged_alike = snapshot is not None and verify is not None and verify.tool == snapshot.tool
    if snapshot is not None:
        _check_ignored_in(reading, fields.node("snapshot"), restored)
    if judged_alike:
        _check_ignored_in(reading, fields.node("verify"), restored)


def _check_ignored_in(reading: Reading, read: Node, restored: list[Path]) -> None:
    for at, ignored in _ignored_nodes(read):
        for path in restored:
            if ignored and covers(ignored, path):
                reading.problem(
                    at,
                    f"`{render_path(ignored)}` is ignored, and the inverse sets `$snapshot.{render_path(path)}`",
                    "a change of it by somebody else would be overwritten unseen: take it out of one of the two, or set it from "
                    "`$current`, if the server asks for the version that is there now",
                )
                break


def _ignored_nodes(read: Node) -> Iterator[tuple[Node, Path]]:
    entry = read.entries.get("ignore") if isinstance(read, Mapping) else None
    for item in entry.value.items if entry and isinstance(entry.value, Sequence) else ():
        if isinstance(item, Scalar) and isinstance(item.value, str):
            try:
                yield item, parse_path(item.value)
            except ValueError:
                continue  # reported where it was read


def _check_absence(reading: Reading, fields: Fields) -> None:
    if not fields.given("inverse_if_absent"):
        return
    at = fields.key("inverse_if_absent")
    if not fields.given("snapshot"):
        reading.problem(
            at,
            "without a `snapshot` nobody knows whether something was there",
            "add a `snapshot` with `absent_when`, or name the call `inverse`",
            width=len("inverse_if_absent"),
        )
    elif (snapshot := fields.get("snapshot")) is not None and not snapshot.answers.absent_when:
        reading.warn(at, "`inverse_if_absent` is never used: the snapshot has no `absent_when` that tells absence")


def _check_verify(reading: Reading, fields: Fields) -> None:
    verify: ReadRule | None = fields.get("verify")
    snapshot: ReadRule | None = fields.get("snapshot")
    if verify is None:
        return
    at = fields.key("verify")
    if verify.needs_result and not verify.answers.absent_when:
        text = "without `absent_when` an undo cannot prove that what the call made is gone: say how its absence is answered"
        reading.warn(at, text)
    if snapshot is None:
        return
    if verify == snapshot:
        reading.warn(at, "`verify` makes the very read of `snapshot`: leave it out")
    elif snapshot.answers.ignore or snapshot.answers.unordered:
        reading.warn(at, "drift is judged by `verify`: `ignore` and `unordered` of the snapshot are without effect")


def _check_decode(reading: Reading, fields: Fields) -> None:
    if not fields.given("decode"):
        return
    used = [*_references_of_read(fields, "verify")]
    used += [place for key in ("inverse", "inverse_if_absent") for place in located_references(fields, key)]
    if not any(place.reference.source == "result" for place in used):
        reading.problem(
            fields.key("decode"),
            "this says how the call's own answer becomes `$result`, and nothing here uses that",
            "put it into the `snapshot` or the `verify`, if it is meant for their answers",
            width=len("decode"),
        )


def _check_sql(reading: Reading, fields: Fields) -> None:
    if fields.get("gate") == GateMode.ON_WRITE:
        return
    for name in ("sql", "dialect"):
        if fields.given(name):
            reading.problem(
                fields.key(name),
                f"`{name}` is for `gate: on_write`, and without it no SQL is looked at",
                "add `gate: on_write`, or remove it",
                width=len(name),
            )


def _warn_of_repeats(reading: Reading, rules: tuple[Rule, ...]) -> None:
    first: dict[str, Rule] = {}
    for rule in rules:
        earlier = first.setdefault(rule.match, rule)
        if earlier is not rule:
            line = int(rule.where.rpartition(":")[2])
            reading.warn(
                Place(line, 1), f"`{rule.match}` has a rule in {earlier.where} already; the stricter of the two governs"
            )


# --- snapshot, verify, inverse and marks


def _read_snapshot(reading: Reading, node: Node) -> ReadRule | None:
    return _read_of_state(reading, node, "a snapshot")


def _read_verify(reading: Reading, node: Node) -> ReadRule | None:
    return _read_of_state(reading, node, "a verify")


def _read_of_state(reading: Reading, node: Node, place: str) -> ReadRule | None:
    fields = read_place(reading, node, place)
    if fields is None or fields.get("tool") is None:
        return None
    answers = AnswerRules(
        absent_when=fields.get("absent_when", ()),
        error_when=fields.get("error_when", ()),
        incomplete_when=fields.get("incomplete_when", ()),
        ignore=fields.get("ignore", ()),
        unordered=fields.get("unordered", ()),
        decode=fields.get("decode"),
        each=fields.given("for_each"),
    )
    if fields.given("for_each") and answers.decode is not None and answers.decode.how == "pattern":
        reading.problem(
            fields.key("decode"),
            "with `for_each` states are compared as values, and with a pattern as texts",
            "decode in another way, or leave `for_each` out",
            width=len("decode"),
        )
    if answers.decode is not None and answers.decode.how == "pattern":
        for name in ("ignore", "unordered"):
            if fields.given(name):
                reading.problem(
                    fields.key(name),
                    f"with a pattern the whole text is compared, so `{name}` names nothing",
                    "remove it, or decode in another way",
                    width=len(name),
                )
    return ReadRule(
        tool=fields.get("tool"), args=fields.get("args", {}), answers=answers, for_each=fields.get("for_each")
    )


def _read_inverse(reading: Reading, node: Node) -> tuple[CallTemplate, ...] | None:
    if isinstance(node, Sequence):
        if not node.items:
            reading.problem(node, "the list holds no call", "write the calls that undo this one, in their order")
        calls = [_read_call(reading, item) for item in node.items]
        return None if None in calls or not calls else tuple(call for call in calls if call is not None)
    call = _read_call(reading, node)
    return None if call is None else (call,)


def _read_call(reading: Reading, node: Node) -> CallTemplate | None:
    fields = read_place(reading, node, "an inverse")
    if fields is None or fields.get("tool") is None:
        return None
    return CallTemplate(tool=fields.get("tool"), args=fields.get("args", {}), for_each=fields.get("for_each"))


def _read_mark(reading: Reading, node: Node) -> AnswerMark | None:
    if not isinstance(node, Mapping):
        words = text(reading, node)
        if words and "$." in words:
            reading.warn(node.place, '`$` is literal here; to compare the whole text, write {text: "..."}')
        return ErrorSays(words) if words else None
    fields = read_place(reading, node, "an entry")
    if fields is None:
        return None
    given = [name for name in MARK if fields.given(name)]
    if given not in (["text"], ["path", "is"]):
        reading.problem(
            node, "an entry says either `text`, or `path` and `is`", '{text: "..."} or {path: "rows", is: []}'
        )
        return None
    if given == ["text"]:
        return TextIs(fields.get("text")) if fields.get("text") is not None else None
    if fields.get("path") is None or fields.get("is") is None:
        return None
    return ValueAt(fields.get("path"), fields.get("is")[0])


def _read_mark_text(reading: Reading, node: Node) -> str | None:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return text(reading, node)
    return None if text_template(reading, node) is None else node.value


def _read_resource(reading: Reading, node: Node) -> Template | None:
    """A text in which the call's own arguments stand."""
    if text(reading, node) is None or not isinstance(node, Scalar):
        return None
    found = text_template(reading, node)
    for reference in references(found):
        if reference.source != "arguments" or reference.optional:
            place = place_within(node, str(reference))
            what = "is not known before the call" if reference.source != "arguments" else "may not be absent here"
            hint = 'what a call is about is said by its arguments: "customer $.id"'
            reading.problem(place, f"`{reference}` {what}", hint, width=len(str(reference)))
            return None
    return found


def _read_words(reading: Reading, node: Node) -> str | None:
    """One or more sentences for a person, on one line."""
    words = text(reading, node)
    return None if words is None else " ".join(words.split())


RULE = {
    "match": Key(read_match, required=True),
    "class": Key(one_of(ToolClass), required=True),
    "gate": Key(one_of(GateMode)),
    "snapshot": Key(_read_snapshot),
    "verify": Key(_read_verify, since="1+"),
    "inverse": Key(_read_inverse),
    "inverse_if_absent": Key(_read_inverse, since="1+"),
    "decode": Key(read_decode, since="1+"),
    "resource": Key(_read_resource, since="1+"),
    "note": Key(_read_words, since="1+"),
    "residue": Key(_read_words, since="1+"),
    "sql": Key(read_arguments, since="1+"),
    "dialect": Key(one_of(DIALECTS), since="1+"),
    "limit": Key(whole_number, since="1+"),
    "ask": LATER,
}
SNAPSHOT = {
    "tool": Key(read_tool, required=True),
    "args": Key(read_args),
    "absent_when": Key(list_of(_read_mark)),
    "error_when": Key(list_of(_read_mark), since="1+"),
    "incomplete_when": Key(list_of(_read_mark), since="1+"),
    "ignore": Key(list_of(read_ignored), since="1+"),
    "unordered": Key(list_of(read_path), since="1+"),
    "decode": Key(read_decode, since="1+"),
    "for_each": Key(read_for_each, since="1+"),
}
VERIFY = {name: key._replace(since="1+") if key.read else key for name, key in SNAPSHOT.items()}
INVERSE = {"tool": Key(read_tool, required=True), "args": Key(read_args), "for_each": Key(read_for_each, since="1+")}
MARK = {
    "text": Key(_read_mark_text, since="1+"),
    "path": Key(read_path, since="1+"),
    "is": Key(read_literal, since="1+"),
}
