"""The same seeds at every run of the tests; `make campaign` plays many more. One that fails is told by
`python -m tests.sim --seed N`, and becomes a story of its own in tests/stories."""

from __future__ import annotations

import pytest

from tests.sim.seeds import play_seed

SEEDS = 500
AT_ONCE = 50
EVER_FAILED = (734, 4100, 5660, 6315, 8260, 9270, 11498, 20162)
"""One or two of each kind that `make campaign` found; the kinds are stories in tests/stories/test_found_by_simulation.py."""


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_no_seed_breaks_an_invariant(first: int) -> None:
    broken = {}
    for seed in range(first, first + AT_ONCE):
        if violations := play_seed(seed).violations:
            broken[seed] = [*map(str, dict.fromkeys(violations))]

    assert broken == {}, f"told by: python -m tests.sim --seed {next(iter(broken))}"


@pytest.mark.parametrize("seed", EVER_FAILED)
def test_a_seed_that_failed_once_does_not_any_more(seed: int) -> None:
    assert play_seed(seed).violations == []


def test_a_seed_is_the_same_story_every_time() -> None:
    assert play_seed(1).told == play_seed(1).told


def test_seeds_come_by_what_they_are_there_for() -> None:
    told = " ".join(line for seed in (*range(20), 43) for line in play_seed(seed).told)

    for wanted in (
        "killed: call",
        "killed: undo",
        "cancelled at",
        "fails",
        "a person says no",
        "the read is",
        "went on",
    ):
        assert wanted in told, f"no seed comes by it: {wanted}"
