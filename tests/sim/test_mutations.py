"""Every invariant fails where the code that guards it is broken."""

from __future__ import annotations

import pytest

from tests.sim.invariants import INVARIANTS
from tests.sim.mutations import MUTATIONS, Mutation, notices


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_what_is_broken_is_noticed_by_the_invariant_that_it_breaks(mutation: Mutation) -> None:
    assert notices(mutation) == ""


def test_every_invariant_is_shown_to_fail() -> None:
    assert {mutation.broken for mutation in MUTATIONS} == set(INVARIANTS)
