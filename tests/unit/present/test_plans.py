"""A report in words: read as the person who has to decide what to do next, and never more than was proved."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from decimal import Decimal

import pytest

from synartesis.domain.calls import ResolvedCall
from synartesis.domain.canonical import MISSING
from synartesis.domain.names import Tool
from synartesis.domain.status import Confirmation, ToolClass, Undone
from synartesis.present.plans import plan_lines, report_lines
from synartesis.present.style import PLAIN, Style
from synartesis.undo.report import Halt, Report, StepDifference, StepKind, StepReport, Verdict

UPDATE, DELETE, SEND = (Tool("crm", name) for name in ("update_customer", "delete_customer", "send_email"))


def spell(words: Sequence[str]) -> str:
    return " ".join(["synartesis", *words])


def restore(seq: int, **more: object) -> StepReport:
    call = ResolvedCall(UPDATE, {"id": "c_001", "plan": "pro"})
    return StepReport(seq, f"a{seq}", UPDATE, ToolClass.REVERSIBLE, StepKind.RESTORE, calls=(call,), **more)  # type: ignore[arg-type]


def permanent(seq: int) -> StepReport:
    return StepReport(seq, f"a{seq}", SEND, ToolClass.IRREVERSIBLE, StepKind.PERMANENT, reason="An e-mail was sent.")


def said(lines: list[str]) -> str:
    """As running text, however lines were broken."""
    return " ".join(" ".join(lines).replace("| ", "").split())


def kept(seq: int) -> StepReport:
    return StepReport(seq, f"a{seq}", UPDATE, ToolClass.REVERSIBLE, StepKind.KEPT, reason="older than #9")


def report(*steps: StepReport, **more: object) -> Report:
    fields = {"run": "aaaa", "undo_run": "bbbb", "dry_run": False, "status": "undone"} | more
    return Report(steps=steps, **fields)  # type: ignore[arg-type]


def test_a_dry_run_speaks_of_what_would_happen_and_how_to_do_it() -> None:
    lines = report_lines(report(restore(2), undo_run=None, dry_run=True), spell, PLAIN)

    assert lines == [
        "undo of run aaaa: the plan, newest call first",
        "",
        "#2    crm.update_customer  would be restored",
        '      call: crm.update_customer {"id": "c_001", "plan": "pro"}',
        "",
        "1 call: 1 to restore.",
        "",
        "Nothing was sent. To do it:",
        "  synartesis undo aaaa",
    ]


def test_a_finished_undo_counts_each_step_under_what_was_proved() -> None:
    done = report(
        restore(4, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED),
        restore(3, outcome=Undone.COMPENSATED, confirmation=Confirmation.UNVERIFIED),
        permanent(2),
        restore(1, outcome=Undone.ALREADY),
        status="partial",
    )

    lines = report_lines(done, spell, PLAIN)

    assert lines[2:] == [
        "#4    crm.update_customer  restored",
        "#3    crm.update_customer  compensated [unverified]",
        "#2    crm.send_email       permanent: cannot be undone",
        "      An e-mail was sent.",
        "#1    crm.update_customer  is as it was before",
        "",
        "4 calls: 1 restored, 1 compensated [unverified], 1 permanent, 1 as before.",
        "",
        "Run aaaa is partly undone: 1 call cannot be undone.",
    ]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([permanent(1)], "Nothing of run aaaa was undone: 1 call cannot be undone."),
        ([kept(2), kept(1)], "Nothing of run aaaa was undone: 2 calls were left alone."),
        ([kept(2), permanent(1)], "Nothing of run aaaa was undone: 1 call was left alone, 1 cannot be undone."),
        ([kept(2), restore(1, outcome=Undone.ALREADY)], "Run aaaa is partly undone: 1 call was left alone."),
    ],
)
def test_a_run_of_which_nothing_was_undone_is_not_called_partly_undone(steps: list[StepReport], said: str) -> None:
    lines = report_lines(report(*steps, status="partial", undo_run=None), spell, PLAIN)

    assert lines[-1] == said


def test_a_dry_run_that_would_undo_nothing_offers_no_command() -> None:
    lines = report_lines(report(permanent(1), status="partial", undo_run=None, dry_run=True), spell, PLAIN)

    assert " ".join(lines[-2:]) == "Nothing was sent, and nothing of run aaaa would be undone: 1 call cannot be undone."


def test_what_was_left_alone_is_counted_and_not_listed() -> None:
    asked = [step if step.seq != 3 else restore(3, outcome=Undone.RESTORED) for step in map(kept, range(6, 0, -1))]

    lines = report_lines(report(*asked, status="partial"), spell, PLAIN)

    assert [line for line in lines if line.startswith(("#", "…"))] == [
        "… #6 to #4: 3 left alone; --full shows each …",
        "#3    crm.update_customer  restored",
        "… #2 to #1: 2 left alone; --full shows each …",
    ]


TEXT, PICTURE = (b64encode(body).decode() for body in ("Grüße, Ada".encode(), bytes(range(128, 255))))


def test_bytes_that_are_text_are_shown_as_text_and_others_by_their_size() -> None:
    found = StepDifference((0, "data"), TEXT, PICTURE, "drift")
    blocked = StepReport(
        1, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, verdict=Verdict.DRIFTED, differences=(found,)
    )

    lines = report_lines(
        report(blocked, undo_run=None, status="stopped", halted=Halt(1, "drifted", "Changed.")), spell, PLAIN
    )

    assert '          expected (base64 of the text) "Grüße, Ada"' in lines
    assert f'actual (base64 of 127 bytes that are no text, from "{PICTURE[:16]}" on)' in said(lines)


def drifted(seq: int) -> StepReport:
    hint = f"Put back #{seq} by hand."
    return StepReport(
        seq, f"a{seq}", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, verdict=Verdict.DRIFTED, hint=hint
    )


@pytest.mark.parametrize(
    ("as_far", "newest", "total"),
    [
        (False, "would not be undone", "2 that would not be undone, 1 where it would stop"),
        (True, "would be restored", "1 to restore, 1 where it would stop, 1 that would not be undone"),
    ],
)
def test_a_dry_run_that_would_stop_promises_nothing_that_it_would_not_send(
    as_far: bool, newest: str, total: str
) -> None:
    steps = (restore(3), drifted(2), restore(1))
    halt = Halt(2, "drifted", "Changed.", hint="Put back #2 by hand.")

    lines = report_lines(
        report(*steps, undo_run=None, dry_run=True, status="stopped", halted=halt, as_far=as_far), spell, PLAIN
    )

    assert f"#3    crm.update_customer  {newest}" in lines
    assert "#1    crm.update_customer  would not be undone" in lines
    assert f"3 calls: {total}." in lines
    assert as_far is any("call:" in line for line in lines)


def test_what_would_help_against_drift_is_said_once() -> None:
    halt = Halt(2, "drifted", "Changed.", hint="Put back #2 by hand.")

    lines = report_lines(report(drifted(2), drifted(1), undo_run=None, status="stopped", halted=halt), spell, PLAIN)

    assert ["Put back #2 by hand."] == [line for line in lines if "by hand" in line]


@pytest.mark.parametrize(
    ("steps", "is_sure"),
    [
        ([drifted(1)], True),
        ([restore(2, outcome=Undone.ALREADY, confirmation=Confirmation.VERIFIED), drifted(1)], True),
        ([restore(2, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED), drifted(1)], False),
    ],
)
def test_where_an_undo_that_began_has_sent_nothing_it_says_so(steps: list[StepReport], is_sure: bool) -> None:
    halt = Halt(1, "drifted", "Changed while the undo was under way.")

    lines = report_lines(report(*steps, status="stopped", halted=halt), spell, PLAIN)

    assert is_sure is ("Stopped at #1 (drifted). Nothing was sent." in lines)


def test_what_was_sent_before_in_vain_is_said_again() -> None:
    blocked = StepReport(2, "a2", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, sent_before=True)
    halt = Halt(2, "mismatch", "Its inverse was sent before.")

    lines = report_lines(report(blocked, undo_run=None, status="stopped", halted=halt), spell, PLAIN)

    assert "#2    crm.update_customer  SENT BEFORE, BUT NOT RESTORED" in lines
    assert "1 call: 1 sent before but not restored." in lines


def test_a_drift_shows_both_values_and_what_can_still_be_done() -> None:
    drift = StepDifference(("notes",), "", "a human wrote this", "drift")
    blocked = StepReport(
        1,
        "a1",
        UPDATE,
        ToolClass.REVERSIBLE,
        StepKind.BLOCKED,
        verdict=Verdict.DRIFTED,
        reason="Somebody changed it since.",
        differences=(drift,),
    )
    halt = Halt(1, "drifted", "Somebody changed it since.", hint="Put it back by hand, or keep it.")

    lines = report_lines(report(restore(2), blocked, undo_run=None, status="stopped", halted=halt), spell, PLAIN)

    assert lines[2:] == [
        "#2    crm.update_customer  not undone",
        "#1    crm.update_customer  STOPPED HERE",
        "      Somebody changed it since.",
        "      differs from what is expected:",
        "        notes",
        '          expected ""',
        '          actual   "a human wrote this"',
        "",
        "2 calls: 1 not undone, 1 where it stopped.",
        "",
        "Stopped at #1 (drifted). Nothing was sent.",
        "Put it back by hand, or keep it.",
        "",
        "To undo what is newer than #1 (1 call) and stop there:",
        "  synartesis undo aaaa --as-far-as-possible",
        "",
        "When it is mended, the same command goes on where this one stopped.",
    ]


def test_a_step_that_nobody_could_look_at_names_the_command_that_does_it_anyway() -> None:
    blocked = StepReport(3, "a3", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, reason="It could not be read.")
    halt = Halt(3, "unreadable", "It could not be read.")

    lines = report_lines(report(blocked, undo_run=None, status="stopped", halted=halt), spell, PLAIN)

    assert "  synartesis undo aaaa --unchecked 3" in lines


def test_what_was_sent_and_is_not_back_is_called_a_failure_with_the_paths() -> None:
    failed = restore(
        2,
        outcome=Undone.MISMATCH,
        confirmation=Confirmation.MISMATCH,
        differences=(
            StepDifference(("price",), Decimal("19.90"), Decimal("19.9000001"), "not_restored"),
            StepDifference(("owner",), None, MISSING, "not_restored"),
        ),
    )

    lines = report_lines(report(failed, status="stopped", halted=Halt(2, "mismatch", "It is not back.")), spell, PLAIN)

    assert lines[2:13] == [
        "#2    crm.update_customer  SENT, BUT NOT RESTORED",
        "      differs from the state before:",
        "        price",
        "          expected 19.90",
        "          actual   19.9000001",
        "        owner",
        "          expected null",
        "          actual   (absent)",
        "",
        "1 call: 1 sent but not restored.",
        "",
    ]
    assert lines[13:15] == ["Stopped at #2 (mismatch).", "It is not back."]


def test_a_stamp_that_the_server_keeps_is_told_apart_from_a_failure() -> None:
    moved = StepDifference(("updated_at",), "10:00", "10:07", "moved_by_server")
    done = restore(2, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED, differences=(moved,))

    lines = report_lines(report(done), spell, PLAIN)

    assert '      moved by the server: updated_at is "10:07", was "10:00"' in lines
    assert "Run aaaa is undone." in lines


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("kind", list(StepKind))
def test_no_step_without_an_outcome_is_ever_counted_as_undone(kind: StepKind, dry_run: bool) -> None:
    step = StepReport(1, "a1", UPDATE, ToolClass.REVERSIBLE, kind)

    text = "\n".join(report_lines(report(step, dry_run=dry_run, status="partial"), spell, PLAIN))

    assert "1 restored" not in text
    assert "1 compensated" not in text


def test_text_from_outside_cannot_imitate_a_line_of_the_report() -> None:
    nasty = "x\nRun aaaa is undone.\x1b[2K\u202e"
    step = StepReport(1, "a1", Tool("crm", nasty), ToolClass.REVERSIBLE, StepKind.BLOCKED, reason=nasty, hint=nasty)
    halt = Halt(1, "drifted", nasty + "!", nasty)

    lines = report_lines(report(step, status="stopped", halted=halt), spell, Style(full=True))

    assert "Run aaaa is undone." not in [line.strip() for line in lines]
    assert all(line.isprintable() for line in lines)


def test_every_line_fits_into_eighty_columns() -> None:
    long = "The state could not be read, because " + "the server said no, " * 20
    step = StepReport(12, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, reason=long)
    wide = restore(13, differences=(StepDifference(("a" * 30,), "b" * 300, "c" * 300, "drift"),))

    lines = plan_lines(report(wide, step), PLAIN)

    assert max(map(len, lines)) <= 80


def test_what_nothing_will_prove_says_so_before_it_is_done() -> None:
    lines = report_lines(report(restore(1, unproved=True), undo_run=None, dry_run=True), spell, PLAIN)

    assert lines[2] == "#1    crm.update_customer  would be compensated [unverified]"
    assert "1 call: 1 to compensate [unverified]." in lines


def test_a_merge_shows_what_goes_back_and_what_stays() -> None:
    found = (
        StepDifference(("plan",), "pro", "free", "goes_back"),
        StepDifference(("body",), "a\nb\nc", "a\nB\nc", "goes_back"),
        StepDifference(("notes",), "", "by hand", "kept"),
    )
    planned = restore(1, verdict=Verdict.MERGED, differences=found)
    done = restore(
        1, verdict=Verdict.MERGED, differences=found, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED
    )

    plan = report_lines(report(planned, undo_run=None, dry_run=True), spell, PLAIN, options=["--merge"])
    after = report_lines(report(done), spell, PLAIN)

    assert plan[2:] == [
        "#1    crm.update_customer  would be restored around other changes",
        '      call: crm.update_customer {"id": "c_001", "plan": "pro"}',
        "      goes back:",
        '        plan: "free" -> "pro"',
        "        body",
        "          @@ -1,3 +1,3 @@",
        "           a",
        "          -B",
        "          +b",
        "           c",
        "      stays as it is now:",
        '        notes: "by hand"',
        "",
        "1 call: 1 to restore around other changes.",
        "",
        "Nothing was sent. To do it:",
        "  synartesis undo aaaa --merge",
    ]
    assert after[2] == "#1    crm.update_customer  restored around other changes"
    assert "      went back:" in after
    assert "1 call: 1 restored around other changes." in after


def test_a_stop_that_a_merge_could_pass_names_the_command_that_shows_it() -> None:
    blocked = StepReport(1, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, mergeable=True)

    lines = report_lines(
        report(blocked, undo_run=None, status="stopped", halted=Halt(1, "drifted", "Changed.")), spell, PLAIN
    )

    assert "  synartesis undo aaaa --merge --dry-run" in lines


def test_an_unknown_outcome_names_the_commands_that_settle_it() -> None:
    blocked = StepReport(1, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.BLOCKED, settle="c0ffee")

    lines = report_lines(
        report(blocked, undo_run=None, status="stopped", halted=Halt(1, "unknown", "No answer.")), spell, PLAIN
    )

    assert [line for line in lines if line.startswith("  synartesis")] == [
        "  synartesis settle c0ffee",
        "  synartesis settle c0ffee --not-applied",
        "  synartesis settle c0ffee --applied --take-now-as-after",
    ]


def test_a_redo_speaks_of_what_is_done_again() -> None:
    steps = (
        restore(2, undid=1, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED),
        StepReport(1, "a1", SEND, ToolClass.REVERSIBLE, StepKind.PERMANENT, undid=2, reason="No rule mentions it."),
    )

    assert report_lines(report(*steps, redo=True, status="partial"), spell, PLAIN) == [
        "redo: undo run aaaa taken back, newest call first",
        "",
        "#2    crm.update_customer  done again (had undone #1)",
        "#1    crm.send_email       cannot be redone (had undone #2)",
        "      No rule mentions it.",
        "",
        "2 calls: 1 done again, 1 that cannot be redone.",
        "",
        "Undo run aaaa is partly taken back: 1 call cannot be redone.",
    ]


def test_of_a_long_run_what_went_as_it_should_is_counted_and_the_rest_is_in_sight() -> None:
    def done(seq: int) -> StepReport:
        moved = (StepDifference(("at",), 1, 2, "moved_by_server"),) if seq % 2 else ()
        return restore(seq, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED, differences=moved)

    steps = [done(seq) for seq in range(2000, 0, -1)]
    steps[1000] = permanent(1000)
    whole = report(*steps, status="partial")

    short, full = (report_lines(whole, spell, style) for style in (PLAIN, Style(width=80, full=True)))

    assert [line for line in short if line.startswith("…")] == [
        "… #1980 to #1001: 980 restored (490 but for what the server moved); --full shows",
        "… #999 to #11: 989 restored (495 but for what the server moved); --full shows",
    ]
    assert any(line.startswith("#1000") for line in short)
    assert "2,000 calls: 1,999 restored, 1 permanent." in short
    assert len(short) < 80
    assert len(full) > 3000
    assert not any(line.startswith("…") for line in full)


def test_what_cannot_be_taken_back_is_said_of_steps_that_are_not_shown_one_by_one() -> None:
    def step(seq: int) -> StepReport:
        residue = {0: "A mail was sent.", 1: "", 2: "The old name is in the log."}[seq % 3]
        residue = "It was printed." if seq == 40 else residue
        return restore(seq, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED, residue=residue)

    lines = report_lines(report(*(step(seq) for seq in range(100, 0, -1))), spell, PLAIN)

    at = next(at for at, line in enumerate(lines) if line.startswith("…"))
    assert lines[at + 1 : at + 5] == [
        "      what cannot be taken back (24 of these, #80 to #11): The old name is in",
        "      | the log.",
        "      what cannot be taken back (23 of these, #78 to #12): A mail was sent.",
        "      what cannot be taken back (#40): It was printed.",
    ]


@pytest.mark.parametrize(
    ("step", "ends"),
    [
        (
            StepReport(1, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.ALREADY_UNDONE, reason="undone before"),
            ["Nothing was sent, and there is nothing to do."],
        ),
        (
            StepReport(1, "a1", UPDATE, ToolClass.REVERSIBLE, StepKind.ALREADY_UNDONE, verdict=Verdict.ALREADY_UNDONE),
            ["Nothing was sent. To have it recorded that it is so:", "  synartesis undo aaaa"],
        ),
    ],
    ids=["undone before", "as before already"],
)
def test_a_dry_run_with_nothing_to_send_offers_nothing_that_would_send(step: StepReport, ends: list[str]) -> None:
    assert report_lines(report(step, undo_run=None, dry_run=True), spell, PLAIN)[-len(ends) - 1 :] == ["", *ends]


def test_a_redo_speaks_of_doing_again() -> None:
    skipped = StepReport(2, "a2", UPDATE, ToolClass.REVERSIBLE, StepKind.SKIP, reason="was refused.", undid=5)
    back = StepDifference(("plan",), "free", "pro", "goes_back")
    merged = restore(
        1, verdict=Verdict.MERGED, outcome=Undone.RESTORED, confirmation=Confirmation.VERIFIED, differences=(back,)
    )

    lines = report_lines(report(skipped, merged, redo=True), spell, PLAIN)

    assert lines[2:7] == [
        "#2    crm.update_customer  nothing to redo (was to undo #5)",
        "      was refused.",
        "#1    crm.update_customer  done again around other changes",
        "      was done again:",
        '        plan: "pro" -> "free"',
    ]
    assert "2 calls: 1 with nothing to redo, 1 done again around other changes." in lines


@pytest.mark.parametrize("unproved", [True, False], ids=["nothing reads it", "a read shows it"])
def test_a_refused_call_is_offered_again_unchecked_only_where_nothing_shows_whether_it_was_made(unproved: bool) -> None:
    blocked = StepReport(3, "a3", UPDATE, ToolClass.COMPENSABLE, StepKind.BLOCKED, reason="Refused.", unproved=unproved)

    lines = report_lines(report(blocked, status="stopped", halted=Halt(3, "refused", "Refused.")), spell, PLAIN)

    assert ("  synartesis undo aaaa --unchecked 3" in lines) is unproved
    assert ("When it is mended, the same command goes on where this one stopped." in lines) is not unproved
