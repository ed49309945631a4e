"""The differential notices a relay that is broken on purpose."""

from __future__ import annotations

import pytest

from tests.differential.mutations import MUTATIONS, Mutation, differences


@pytest.mark.differential
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)
def test_a_broken_relay_is_noticed(mutation: Mutation) -> None:
    assert differences(mutation) != []
