"""What a guarded call leads to, for the relay to turn into a line."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from synartesis.domain.calls import Reply
from synartesis.domain.records import Approval


class PassOn(msgspec.Struct, frozen=True):
    """The server's own answer, as it came."""

    reply: Reply


class Tell(msgspec.Struct, frozen=True):
    """Our own words: a tool result with `isError: true`, which the model reads."""

    text: str
    request: Approval | None = None
    """What a person has to decide; None where the text is about something else."""


GuardAnswer: TypeAlias = PassOn | Tell
