"""The `tools` of a manifest: one rule each, key by key. What must hold between the keys of a rule is `rule_checks`."""

from __future__ import annotations

from msgspec.structs import replace

from synartesis.domain.calls import AnswerMark, AnswerRules, ErrorSays, TextIs, ValueAt
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.grammar import Key, Reading, list_of, one_of, read_place, text, whole_number
from synartesis.policy.manifest import CallTemplate, ReadRule, Rule
from synartesis.policy.problems import Place
from synartesis.policy.put_back import kept_places
from synartesis.policy.rule_checks import check_rule, judged_alike
from synartesis.policy.source import Mapping, Node, Scalar, Sequence
from synartesis.policy.sql import DIALECTS
from synartesis.policy.template import Template, references
from synartesis.policy.values import (
    place_within,
    read_args,
    read_arguments,
    read_decode,
    read_for_each,
    read_ignored,
    read_literal,
    read_match,
    read_path,
    read_things,
    read_tool,
    text_template,
)


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
    check_rule(reading, fields, tool_class)
    if tool_class is None or fields.get("match") is None:
        return None
    snapshot, verify = fields.get("snapshot"), fields.get("verify")
    ignored = () if snapshot is None or not judged_alike(snapshot, verify) else (verify or snapshot).answers.ignore
    gate = GateMode.ALWAYS if tool_class is ToolClass.IRREVERSIBLE else GateMode.NEVER
    return Rule(
        match=fields.get("match"),
        tool_class=tool_class,
        gate=GateMode(fields.get("gate", gate)),
        snapshot=snapshot,
        verify=verify,
        inverse=tuple(replace(call, keeps=kept_places(call, snapshot, ignored)) for call in fields.get("inverse", ())),
        inverse_if_absent=fields.get("inverse_if_absent", ()),
        decode=fields.get("decode"),
        resource=fields.get("resource", ()),
        note=fields.get("note", ""),
        residue=fields.get("residue", ""),
        sql=fields.get("sql", ()),
        dialect=fields.get("dialect"),
        limit=fields.get("limit"),
        asks_client=fields.get("ask") == "client",
        where=reading.where(node.place),
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


def _read_resource(reading: Reading, node: Node) -> tuple[Template, ...] | None:
    """What the call is about: a text, or a list of texts where it is about several things at once."""
    nodes = node.items if isinstance(node, Sequence) else [node]
    if not nodes:
        reading.problem(node, "the list names nothing", "write what the call is about, or leave the key out")
        return None
    found = [_read_thing(reading, one) for one in nodes]
    return None if None in found else tuple(found)


def _read_thing(reading: Reading, node: Node) -> Template | None:
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
    "ask": Key(one_of(["client"]), since="1+"),
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
    "for_each": Key(read_things, since="1+"),
}
VERIFY = {name: key._replace(since="1+") if key.read else key for name, key in SNAPSHOT.items()}
INVERSE = {"tool": Key(read_tool, required=True), "args": Key(read_args), "for_each": Key(read_for_each, since="1+")}
MARK = {
    "text": Key(_read_mark_text, since="1+"),
    "path": Key(read_path, since="1+"),
    "is": Key(read_literal, since="1+"),
}
