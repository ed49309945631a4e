"""Ways to break the product on purpose. Each is made in a copy of the package, by replacements that must match exactly once,
and the crash matrix has to notice it by the invariant that it names: an invariant that nothing can break guards nothing.

Run by test_mutations.py, and as `python -m tests.sim.mutations`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "synartesis"
NOTICED, UNNOTICED = 0, 1


@dataclass(frozen=True)
class Edit:
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutation:
    """`broken` names the invariant that has to fail, in the cells of that scene and phase."""

    name: str
    broken: str
    scene: str
    phase: str
    edits: tuple[Edit, ...]
    journal: str = "memory"


def one(file: str, old: str, new: str) -> tuple[Edit, ...]:
    return (Edit(file, old, new),)


MUTATIONS: Final = (
    Mutation(
        "the call leaves before it is marked as sent",
        "written_down_first",
        "reversible",
        "calling",
        one(
            "guard/send.py",
            "    await journal.mark_sent(\n        out.action,",
            "    await upstream.call(out.call)\n    await journal.mark_sent(\n        out.action,",
        ),
    ),
    Mutation(
        "the state before is not kept",
        "written_down_first",
        "reversible",
        "undoing",
        one(
            "guard/send.py",
            "before=image_of(out.before) if out.before is not None else None,",
            "before=None,",
        ),
    ),
    Mutation(
        "the gate lets everything through",
        "approved_once",
        "irreversible, held",
        "asking",
        one(
            "guard/decide.py",
            "            return AskFirst(_why_always(rule, tool) + forged)",
            "            return Proceed(approved=False)",
        ),
    ),
    Mutation(
        "an approval is not used up",
        "approved_once",
        "reversible, held",
        "calling",
        one("journal/approvals.py", "SET status = 'used' WHERE", "SET status = 'granted' WHERE"),
        journal="sqlite",
    ),
    Mutation(
        "what is counted of a run is not written down",
        "the_history_is_whole",
        "reversible",
        "calling",
        one("journal/ledger.py", "if any(counts.values()):", "if len(counts) == 0:"),
        journal="sqlite",
    ),
    Mutation(
        "an inverse is neither claimed nor remembered",
        "inverse_once",
        "compensable, unread",
        "undoing",
        (
            Edit(
                "journal/memory.py",
                "            if not self._claims(other, new):\n",
                "            if other is not new:\n",
            ),
            Edit(
                "undo/several.py",
                "    return tuple(sorted(_places(in_effect(target.action, history), target)))\n",
                "    return ()\n",
            ),
        ),
    ),
    Mutation(
        "an inverse that was never answered is sent again",
        "inverse_once",
        "compensable, unread",
        "undoing",
        (
            Edit("undo/look.py", "    if unanswered_call(target, history) is not None:\n", "    if False:\n"),
            Edit(
                "journal/writes.py",
                "AND a.status IN ('recorded', 'sent', 'paused', 'applied', 'unknown')",
                "AND a.status IN ('recorded', 'applied')",
            ),
            Edit("journal/schema.sql", "CREATE UNIQUE INDEX actions_claim", "CREATE INDEX actions_claim"),
        ),
        journal="sqlite",
    ),
    Mutation(
        "what was changed since counts as unchanged",
        "replaces_only_what_was_left",
        "reversible",
        "undoing",
        one("undo/verdict.py", "    return Verdict.DRIFTED, as_drift(found)", "    return Verdict.UNCHANGED, ()"),
    ),
    Mutation(
        "nobody looks again before an inverse is sent",
        "keeps_what_people_wrote",
        "reversible",
        "undoing",
        one(
            "undo/sending.py", "    if verdict is Verdict.DRIFTED:\n        reason =", "    if False:\n        reason ="
        ),
    ),
    Mutation(
        "a lost answer is called a call that did not arrive",
        "told_the_truth",
        "irreversible, held",
        "calling",
        one(
            "guard/call.py",
            "            return Tell(wording.reply_lost(call.tool, why, action=action.id))",
            "            return Tell(wording.not_delivered(call.tool, why))",
        ),
    ),
    Mutation(
        "a lost answer is recorded as a failure",
        "the_record_is_true",
        "reversible",
        "calling",
        one(
            "guard/send.py",
            "            return Settled(ActionStatus.UNKNOWN, outcome, note=why), None",
            "            return Settled(ActionStatus.FAILED, outcome, note=why), None",
        ),
    ),
    Mutation(
        "a lost answer is recorded as success",
        "the_record_is_true",
        "compensable, unread",
        "calling",
        one(
            "guard/send.py",
            "            return Settled(ActionStatus.UNKNOWN, outcome, note=why), None",
            "            return Settled(ActionStatus.APPLIED, outcome, note=why), None",
        ),
    ),
    Mutation(
        "a refusal is believed without a look",
        "the_record_is_true",
        "reversible",
        "calling",
        one(
            "guard/send.py",
            "    if same_state(out.before, after, out.read.rules):\n",
            "    if out.before is not None:\n",
        ),
    ),
    Mutation(
        "a dry run acts",
        "a_dry_run_sends_nothing",
        "reversible",
        "undoing",
        one("undo/execute.py", "    if options.dry_run or (preview", "    if (preview"),
    ),
    Mutation(
        "a reply alone counts as undone",
        "claims_only_what_was_confirmed",
        "reversible",
        "undoing",
        one(
            "undo/verdict.py",
            "    return Confirmation.MISMATCH, tuple(_not_restored(one) for one in found)",
            "    return Confirmation.VERIFIED, ()",
        ),
    ),
    Mutation(
        "what is permanent is forgotten in the total",
        "never_rounds_up",
        "irreversible, held",
        "calling",
        one("undo/execute.py", "_LEAVES_SOMETHING = (StepKind.PERMANENT, ", "_LEAVES_SOMETHING = ("),
    ),
    Mutation(
        "everything is as it was before",
        "undone_is_as_it_was",
        "reversible: a deletion",
        "undoing",
        one("undo/verdict.py", "and same_state(before, now, rules):\n", "and before is not now:\n"),
    ),
    Mutation(
        "what was undone is undone again",
        "a_second_undo_does_nothing",
        "compensable, unread",
        "undoing",
        (
            Edit(
                "undo/plan.py",
                "    if action.undone in COUNTS_AS_UNDONE:\n        return",
                "    if False:\n        return",
            ),
            Edit(
                "journal/memory.py",
                "            if not self._claims(other, new):\n",
                "            if other is not new:\n",
            ),
            Edit(
                "undo/several.py",
                "    return tuple(sorted(_places(in_effect(target.action, history), target)))\n",
                "    return ()\n",
            ),
        ),
    ),
    Mutation(
        "a redo that broke off is called undone",
        "undone_is_as_it_was",
        "reversible",
        "redoing",
        one("undo/links.py", " or again.status is ActionStatus.APPLIED\n", "\n"),
    ),
)


def notices(mutation: Mutation) -> str:
    """What the broken package does to the invariants; empty where the one that is named fails, as it should."""
    with broken(mutation) as folder:
        environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
        told = subprocess.run(
            [sys.executable, "-m", "tests.sim.mutations", "--look-for", mutation.name],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    return "" if told.returncode == NOTICED else told.stdout + told.stderr


@contextmanager
def broken(mutation: Mutation) -> Iterator[Path]:
    """A folder to import the broken package from."""
    with tempfile.TemporaryDirectory(prefix="broken-") as folder:
        copy = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for edit in mutation.edits:
            file = copy / edit.file
            source = file.read_text(encoding="utf-8")
            found = source.count(edit.old)
            assert found == 1, f"{mutation.name}: what is replaced stands {found} times in {edit.file}: {edit.old}"
            file.write_text(source.replace(edit.old, edit.new), encoding="utf-8")
        yield Path(folder)


def look_for(mutation: Mutation) -> int:
    """In the broken package: play cells until the invariant fails."""
    from tests.sim.journals import in_memory, in_sqlite
    from tests.sim.matrix import SCENES, Cell, cells, play

    [scene] = [scene for scene in SCENES if scene.name == mutation.scene]
    others: dict[str, Cell] = {}
    with in_sqlite() as sqlite:
        journals = in_memory if mutation.journal == "memory" else sqlite
        for cell in cells(in_memory, [scene]):
            if cell.phase != mutation.phase:
                continue
            for violation in play(cell, journals).violations:
                if violation.invariant == mutation.broken:
                    print(f"{cell}\n    {violation}")
                    return NOTICED
                others.setdefault(violation.invariant, cell)
    print(f"{mutation.broken} holds; broken instead: {[f'{name} in {cell}' for name, cell in others.items()]}")
    return UNNOTICED


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim.mutations", description=__doc__)
    parser.add_argument("--look-for", metavar="MUTATION", help="in a package that is broken so")
    asked = parser.parse_args()
    if asked.look_for is not None:
        return look_for(next(mutation for mutation in MUTATIONS if mutation.name == asked.look_for))
    unnoticed = 0
    for mutation in MUTATIONS:
        said = notices(mutation)
        unnoticed += bool(said)
        print(f"broken: {mutation.name}: {'NOT NOTICED: ' + said if said else 'noticed by ' + mutation.broken}")
    print(f"{len(MUTATIONS)} broken packages, {unnoticed} not noticed")
    return UNNOTICED if unnoticed else NOTICED


if __name__ == "__main__":
    sys.exit(main())
