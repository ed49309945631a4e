"""All conversations: those that are generated, and those that were thought of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tests.differential import generated, on_the_wire, patterns
from tests.differential.script import Conversation


def conversations(*, short: bool = False) -> Iterator[Conversation]:
    """`short`: the few that `make test` holds."""
    for one in chain(generated.conversations(), on_the_wire.conversations(), patterns.conversations()):
        if one.in_short or not short:
            yield one
    if not short:
        yield on_the_wire.large_lines()
