"""What a call is about, as one text: a thing's name, or a line each where it is about several."""

from __future__ import annotations

from collections.abc import Iterable


def about(things: Iterable[str]) -> str:
    """Several names as one text: the same for the same things, in whichever order they come."""
    return "\n".join(sorted({thing.replace("\n", "\\n") for thing in things}))


def things_in(text: str) -> list[str]:
    """The names that `about` was given, in one order."""
    return text.split("\n")
