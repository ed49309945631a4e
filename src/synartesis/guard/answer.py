"""What a guarded call leads to, for the relay to turn into a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from synartesis.domain.calls import Reply


@dataclass(frozen=True, slots=True)
class PassOn:
    """The server's own answer, as it came."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Tell:
    """Our own words: a tool result with `isError: true`, which the model reads."""

    text: str


GuardAnswer: TypeAlias = PassOn | Tell
