"""A manifest is understood whole or not at all, and whoever wrote it is told everything that is wrong at once."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.calls import AnswerRules, ErrorSays, TextIs, ValueAt
from synartesis.domain.canonical import encode_json
from synartesis.domain.names import Tool
from synartesis.domain.paths import EACH
from synartesis.domain.status import GateMode, ToolClass
from synartesis.errors import ManifestInvalid
from synartesis.policy.manifest import ReadRule
from synartesis.policy.matching import Policy
from synartesis.policy.reader import examine, read_manifest
from synartesis.policy.references import Reference
from synartesis.policy.template import Context, resolve
from tests.promises import promise
from tests.unit.policy.corpus import BAD, FOLDER, GOOD, expected


@promise("C065")
@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_every_problem_of_a_bad_manifest_is_told_at_its_place(path: Path) -> None:
    problems = examine(path.read_bytes(), path).problems

    assert [(line, column) for line, column, _ in expected(path)] == [problem.place for problem in problems]
    for (_, _, words), problem in zip(expected(path), problems, strict=True):
        assert all(word in f"{problem.message} {problem.hint}" for word in words), problem


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_manifest_is_refused_with_file_line_and_the_line_itself(path: Path) -> None:
    with pytest.raises(ManifestInvalid) as refused:
        read_manifest(path)

    line, column, _ = expected(path)[0]
    assert f"{path.name}:{line}:{column}: " in refused.value.message
    assert str(path) in refused.value.message
    assert refused.value.hint
    assert 2 == refused.value.exit_code


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_manifest_loads(path: Path) -> None:
    assert read_manifest(path).path == path


def test_no_tag_is_ever_carried_out(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f'version: 1\nservers: !!python/object/apply:os.system ["touch {mark}"]\n'

    assert examine(text.encode(), Path("/m.yaml")).problems
    assert not mark.exists()


def test_a_rule_is_read_whole() -> None:
    manifest = read_manifest(FOLDER / "good" / "beyond-version-1.yaml")
    rule = manifest.rules[0]

    assert (ToolClass.REVERSIBLE, GateMode.NEVER) == (rule.tool_class, rule.gate)
    assert "beyond-version-1.yaml:6" == rule.where
    assert rule.snapshot == ReadRule(
        tool=Tool("kv", "get"),
        args={"key": Reference("arguments", ("key",))},
        answers=AnswerRules(
            absent_when=(
                ErrorSays("no such key"),
                TextIs("Key $.key not found"),
                ValueAt(("rows",), []),
                ValueAt(("found",), value=False),
            ),
            error_when=(TextIs("Database error"), ValueAt(("error", "code"), None)),
            incomplete_when=(ValueAt(("page", "more"), value=True),),
            ignore=(("updated_at",), ("etag",), ("labels", EACH, "seen"), ("odd.key",)),
            unordered=(("labels",), ()),
        ),
    )
    assert [Tool("janitor", "delete")] == [call.tool for call in rule.inverse_if_absent]
    assert ("servers", "secrets.env", False) == (
        manifest.server("kv").cwd,
        manifest.server("kv").env_file,
        manifest.server("janitor").expose,
    )


def test_the_read_by_which_drift_is_judged_is_read_like_a_snapshot() -> None:
    renamed, created, turned_on, notified = read_manifest(FOLDER / "good" / "verify.yaml").rules

    assert renamed.verify == ReadRule(
        tool=Tool("shop", "get"),
        args={"name": Reference("arguments", ("from",))},
        answers=AnswerRules(
            absent_when=(ErrorSays("unknown"), ValueAt(("rows",), [])),
            error_when=(TextIs("Database error"),),
            incomplete_when=(ValueAt(("page", "more"), value=True),),
            ignore=(("updated_at",),),
            unordered=(("labels",),),
        ),
    )
    assert ["snapshot", "verify"] == [key for key, _ in renamed.reads]
    assert [created.verify, turned_on.verify, notified.verify] == [
        read for rule in (created, turned_on, notified) for _, read in rule.reads
    ]


NEEDS_RESULT = {
    "arguments": ('args: {id: "$.id"}', False),
    "result": ('args: {id: "$result.id"}', True),
    "a result in a whole answer": ('absent_when: [{text: "no $result.id"}]', True),
    "the word in a part of an error": ('absent_when: ["no $result.id"]', False),
}


@pytest.mark.parametrize(("keys", "expected"), NEEDS_RESULT.values(), ids=NEEDS_RESULT.keys())
def test_what_is_read_may_be_known_only_by_the_answer(keys: str, *, expected: bool) -> None:
    rule = f"{{match: a.x, class: compensable, verify: {{tool: a.g, {keys}}}, inverse: {{tool: a.d}}}}"
    manifest = examine(
        f"version: 1\nservers: {{a: {{command: x}}}}\ntools: [{rule}]".encode(), Path("/m.yaml")
    ).manifest

    assert manifest is not None
    assert manifest.rules[0].verify is not None
    assert expected is manifest.rules[0].verify.needs_result


GATES = {
    "readonly": ("class: readonly", GateMode.NEVER),
    "reversible": ("class: reversible, inverse: {tool: a.b}", GateMode.NEVER),
    "compensable": ("class: compensable, inverse: {tool: a.b}", GateMode.NEVER),
    "irreversible": ("class: irreversible", GateMode.ALWAYS),
    "stated": ("class: irreversible, gate: never", GateMode.NEVER),
    "on write": ("class: irreversible, gate: on_write", GateMode.ON_WRITE),
}


@pytest.mark.parametrize(("keys", "gate"), GATES.values(), ids=GATES.keys())
def test_the_gate_follows_from_the_class_where_it_is_not_stated(keys: str, gate: GateMode) -> None:
    text = f"version: 1\nservers: {{a: {{command: x}}}}\ntools: [{{match: a.t, {keys}}}]\n"
    manifest = examine(text.encode(), Path("/m.yaml")).manifest

    assert manifest is not None
    assert gate == manifest.rules[0].gate


def test_numbers_in_arguments_come_out_exactly_as_they_were_written() -> None:
    rule = read_manifest(FOLDER / "good" / "yaml-1-2-scalars.yaml").rules[0]

    resolved = resolve(rule.inverse[0].args, Context(arguments={}))

    numbers = b"[19.90,9223372036854775807,123456789012345678901234567890,1E+5,1E+400,-0.0,0.5,31,15]"
    assert numbers == encode_json(resolved["numbers"])
    assert Decimal("19.90").as_tuple() == resolved["numbers"][0].as_tuple()
    assert ["no", "on", "yes", "off", "22:30", "0123", "2020-01-01", "1_000", "1", "1.5", "0b1", ".5x"] == resolved[
        "texts"
    ]


def test_what_a_program_gets_is_text_as_it_was_written() -> None:
    server = read_manifest(FOLDER / "good" / "yaml-1-2-scalars.yaml").servers[0]

    assert ("no", "on") == (server.name, server.command)
    assert ("no", "on", "22:30", "0123", "2020-01-01", "~/data", "1_000") == server.args


def test_a_merge_override_governs() -> None:
    policy = Policy(read_manifest(FOLDER / "good" / "merge-keys.yaml"))

    assert GateMode.ALWAYS == policy.rule_for(Tool("crm", "send_sms")).gate
    assert GateMode.ALWAYS == policy.rule_for(Tool("crm", "log")).gate


WARNED = {
    "no rules": ("tools: []", "every call of every tool is held"),
    "variable in args": ("tools: [{match: a.*, class: readonly}]\n", "`${HOME}` as it stands"),
    "two for one": (
        "tools: [{match: a.x, class: readonly}, {match: a.x, class: irreversible}]",
        "the stricter of the two",
    ),
    "never absent": (
        "tools: [{match: a.x, class: reversible, snapshot: {tool: a.g}, inverse_if_absent: {tool: a.d}}]",
        "`inverse_if_absent` is never used",
    ),
    "a read that writes": (
        "tools:\n- {match: a.x, class: reversible, snapshot: {tool: a.x}, inverse: {tool: a.x}}",
        "the snapshot calls a.x, which m.yaml:4 says is reversible",
    ),
    "a verify that writes": (
        "tools:\n- {match: a.x, class: reversible, verify: {tool: a.x}, inverse: {tool: a.x}}",
        "the verify calls a.x, which m.yaml:4 says is reversible",
    ),
    "the same read twice": (
        "tools: [{match: a.x, class: reversible, snapshot: {tool: a.g}, verify: {tool: a.g}, inverse: {tool: a.x}}]",
        "`verify` makes the very read of `snapshot`",
    ),
    "a place that the undo changes unseen": (
        (
            "tools: [{match: a.x, class: reversible, snapshot: {tool: a.g, args: {id: $.to}, absent_when: [no]},"
            " verify: {tool: a.g, args: {id: $.from}}, inverse_if_absent: {tool: a.x, args: {from: $.to, to: $.from}}}]"
        ),
        "the undo changes `$.to`, and `verify` does not look at it",
    ),
    "ignored without effect": (
        (
            "tools: [{match: a.x, class: reversible, snapshot: {tool: a.g, ignore: [b]}, verify: {tool: a.h},"
            " inverse: {tool: a.x}}]"
        ),
        "of the snapshot are without effect",
    ),
    "an absence that is never told": (
        "tools: [{match: a.x, class: compensable, verify: {tool: a.g, args: {id: $result.id}}, inverse: {tool: a.d}}]",
        "without `absent_when` an undo cannot prove",
    ),
    "dollar in a mark": (
        "tools: [{match: a.x, class: irreversible, snapshot: {tool: a.g, absent_when: ['no $.id']}}]",
        "`$` is literal here",
    ),
    "bare dollar": (
        "tools: [{match: a.x, class: compensable, inverse: {tool: a.g, args: {x: 'five $ please'}}}]",
        "a bare `$` in a text stands for all arguments",
    ),
}


@pytest.mark.parametrize(("tools", "words"), WARNED.values(), ids=WARNED.keys())
def test_what_is_legal_and_probably_not_meant_is_a_warning(tools: str, words: str) -> None:
    text = f'version: 1\nservers: {{a: {{command: x, args: ["${{HOME}}"]}}}}\n{tools}'
    examined = examine(text.encode(), Path("/m.yaml"))

    assert examined.manifest is not None, examined.problems
    assert any(words in warning and warning.startswith("m.yaml:") for warning in examined.manifest.warnings)


def test_problems_of_yaml_and_of_rules_are_told_together_by_line() -> None:
    rules = "- {match: b.x, class: readonly}\n- {match: a.x, match: a.y, class: red}\n"
    text = f"version: 1\nservers: {{a: {{command: x}}}}\ntools:\n{rules}"
    problems = examine(text.encode(), Path("/m.yaml")).problems

    assert [4, 5, 5] == [problem.place.line for problem in problems]


UNREADABLE = {
    "missing": lambda folder: folder / "none.yaml",
    "a folder": lambda folder: folder,
    "below a file": lambda folder: (folder / "m.yaml").touch() or folder / "m.yaml" / "x",
    "no path": lambda folder: folder / "a\0b",
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_file_that_cannot_be_read_is_said_with_a_remedy(make: object, tmp_path: Path) -> None:
    assert callable(make)
    with pytest.raises(ManifestInvalid) as refused:
        read_manifest(make(tmp_path))

    assert "manifest" in refused.value.message + refused.value.hint
    assert refused.value.hint


def test_a_file_of_no_bytes_and_one_in_another_encoding_are_told_apart() -> None:
    assert ["the file is empty"] == [problem.message for problem in examine(b"", Path("/m.yaml")).problems]
    utf16 = examine("version: 1\n".encode("utf-16"), Path("/m.yaml"))
    assert ["this is not UTF-8 text"] == [problem.message for problem in utf16.problems]
    assert examine("\ufeffversion: 1\nservers: {a: {command: x}}\n".encode(), Path("/m.yaml")).manifest is not None


WORDS = """
    version servers tools match class gate snapshot inverse args tool absent_when ignore crm.get $.id $snapshot readonly
    reversible always 1 0x1f .inf * &a *a !!x << ~ " ' [ ] { } , : - # | > % @ $$ $ ? \\ --- ...
"""
words = st.sampled_from(WORDS.split())
yaml_like = st.lists(words | st.sampled_from([" ", "\n", "\n  ", "\n    ", "\t", ": ", "- "]), max_size=40).map("".join)


@given(yaml_like.map(str.encode) | st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_manifest_or_have_problems(data: bytes) -> None:
    examined = examine(data, Path("/m.yaml"))

    assert (examined.manifest is None) == bool(examined.problems)


@given(st.data())
def test_a_good_manifest_with_a_piece_cut_out_never_fails_in_any_other_way(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD)).read_bytes()
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    examined = examine(text[:start] + text[end:], Path("/m.yaml"))

    assert (examined.manifest is None) == bool(examined.problems)
