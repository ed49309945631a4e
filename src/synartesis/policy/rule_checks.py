"""What must hold between the keys of one rule before it may govern a call: classes and inverses, references and what is known
when they are read, what is ignored and what is set."""

from __future__ import annotations

from collections.abc import Iterator

from synartesis.domain.paths import Path, covers, parse_path, render_path
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.grammar import Fields, Reading
from synartesis.policy.manifest import CallTemplate, ReadRule
from synartesis.policy.problems import Place
from synartesis.policy.put_back import kept_as_it_is, parts_put_back
from synartesis.policy.references import Reference
from synartesis.policy.source import Mapping, Node, Scalar, Sequence
from synartesis.policy.values import Located, located_in, located_references

_UNDOABLE = (ToolClass.REVERSIBLE, ToolClass.COMPENSABLE)


def check_rule(reading: Reading, fields: Fields, tool_class: ToolClass | None) -> None:
    """Every problem that no key has by itself. `tool_class` is None where it could not be read."""
    if tool_class:
        _check_class(reading, fields, tool_class)
    _check_sources(reading, fields, tool_class)
    _check_items(reading, fields)
    _check_ignored(reading, fields)
    _check_absence(reading, fields)
    _check_verify(reading, fields)
    _check_decode(reading, fields)
    _check_sql(reading, fields)


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
    snapshot: ReadRule | None = fields.get("snapshot")
    verify: ReadRule | None = fields.get("verify")
    if snapshot is None:
        return
    parts = [part for call in calls for part in parts_put_back(call, snapshot)]
    alike = judged_alike(snapshot, verify)
    _check_ignored_in(reading, fields.node("snapshot"), parts, is_judged=alike)
    if verify is not None and not alike:
        of_same_tool = verify.tool == snapshot.tool  # what the whole of one answer is in another is not known
        parts = [(path, None) for path, _ in parts if path or of_same_tool]
    if verify is not None:
        _check_ignored_in(reading, fields.node("verify"), parts, is_judged=True)


def judged_alike(snapshot: ReadRule, verify: ReadRule | None) -> bool:
    """Whether drift is judged by the very read from which the inverse is made."""
    if verify is None:
        return True
    return (verify.tool, verify.args, verify.for_each) == (snapshot.tool, snapshot.args, snapshot.for_each)


def _check_ignored_in(reading: Reading, read: Node, parts: list[tuple[Path, Path | None]], *, is_judged: bool) -> None:
    for at, ignored in _ignored_nodes(read):
        for path, place in parts:
            if ignored and covers(ignored, path):
                reading.problem(
                    at,
                    f"`{render_path(ignored)}` is ignored, and the inverse sets `{_snapshot(path)}`",
                    "a change of it by somebody else would be overwritten unseen: take it out of one of the two, or set it from "
                    "`$current`, if the server asks for the version that is there now",
                )
                break
            if is_judged and covers(path, ignored) and kept_as_it_is(place, path, ignored) is None:
                reading.problem(
                    at,
                    f"`{render_path(ignored)}` is ignored, and the inverse sets it with `{_snapshot(path)}`",
                    "a change of it by somebody else would be overwritten unseen: take it out of `ignore`, or leave it out of "
                    "what the inverse sets (field by field, or in a list with `$each` and `$make`)",
                )
                break


def _snapshot(path: Path) -> str:
    return str(Reference("snapshot", path))


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
    if verify.is_of_places:
        _check_places(reading, fields.node("verify"))
    if verify.needs_result and not verify.answers.absent_when:
        text = "without `absent_when` an undo cannot prove that what the call made is gone: say how its absence is answered"
        reading.warn(at, text)
    if snapshot is None:
        return
    if verify.tool == snapshot.tool and not verify.needs_result:
        _check_both_ends(reading, fields, at)
    if verify == snapshot:
        reading.warn(at, "`verify` makes the very read of `snapshot`: leave it out")
    elif snapshot.answers.ignore or snapshot.answers.unordered:
        reading.warn(at, "drift is judged by `verify`: `ignore` and `unordered` of the snapshot are without effect")


def _check_both_ends(reading: Reading, fields: Fields, at: Place) -> None:
    """A move is judged by the source alone, and its undo takes whatever stands at the destination by then."""
    snapshot, verify = (
        {str(one.reference) for one in _references_of_read(fields, key)} for key in ("snapshot", "verify")
    )
    changed = {str(one.reference) for one in located_references(fields, "inverse_if_absent")}
    for name in sorted((snapshot & changed) - verify):
        reading.warn(
            at,
            f"the undo changes `{name}`, and `verify` does not look at it: what somebody else has there by then would be taken "
            'for what the call left. Let it look at both: for_each: ["$.source", "$.destination"]',
        )


def _check_places(reading: Reading, verify: Node) -> None:
    """Places that are written out are read before the call as well: of what it will make, nobody knows the name then, and
    that nothing was there cannot be said of the others."""
    for place in located_in(verify.entries["for_each"].value) if isinstance(verify, Mapping) else ():
        if place.reference.source == "result":
            place.report(
                reading,
                "is not known before the call, and each of these is read before it too",
                'use `$.field`, or a list in the answer: for_each: "$result.ids"',
            )


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
