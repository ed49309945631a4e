"""Commands that read or rewrite a whole journal say on a terminal how far they are."""

from __future__ import annotations

import pytest

from tests.campaign.grow_journal import grow
from tests.support.terminal import on_a_terminal
from tests.support.world import World


@pytest.mark.parametrize(
    ("words", "says", "ends"),
    [
        (["verify"], "reading all of it: ", "Each continues the one before it"),
        (["prune", "--older-than", "1d", "--yes"], "dropping: ", "Dropped the payloads of 2,000 calls"),
    ],
)
def test_a_command_that_takes_a_while_says_how_far_it_is(world: World, words: list[str], says: str, ends: str) -> None:
    grow(world.journal, runs=20, actions=100)

    seen = on_a_terminal([*world.program, *words], env=world.env, cwd=world.folder).decode()

    standing = "\n".join(line.rpartition("\r\x1b[K")[2] for line in seen.split("\n"))
    assert says in seen
    assert says not in standing
    assert ends in standing
    assert says not in world.cli(*words).out
