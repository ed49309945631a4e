"""References in arguments: parsed once when the manifest is read, resolved against a context when a call happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from synartesis.domain.calls import AnswerValue, ReadPlan
from synartesis.domain.canonical import Json
from synartesis.domain.paths import Path

Template: TypeAlias = Any
"""JSON whose strings with references were replaced: a Reference where the string was nothing else, else a Text."""


@dataclass(frozen=True, slots=True)
class Reference:
    """`$.path`, `$snapshot.path`, `$result.path`; `source` is `arguments`, `snapshot` or `result`."""

    source: str
    path: Path

    def __str__(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Text:
    """A longer string with references inside it: literal pieces and references in turn."""

    pieces: tuple[str | Reference, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What references may read. None: not known (yet, or at all)."""

    arguments: Json
    snapshot: AnswerValue | None = None
    result: AnswerValue | None = None


class Unresolvable(Exception):
    """A reference has no value. `reference` is as the manifest spells it; `why` says what is missing."""

    def __init__(self, reference: str, why: str) -> None:
        super().__init__(f"{reference}: {why}")
        self.reference = reference
        self.why = why


def parse_template(value: Json) -> Template:
    """Raises ValueError quoting what cannot be read as a reference."""
    raise NotImplementedError


def resolve(template: Template, context: Context) -> Json:
    """The literal value. A reference alone keeps its type; inside a longer string it is substituted as text. Raises
    Unresolvable."""
    raise NotImplementedError


def references(template: Template) -> Iterator[Reference]:
    """Every reference in a template, in order."""
    raise NotImplementedError


def resolve_read(rule: Any, context: Context) -> ReadPlan:
    """The literal read of a ReadRule. Raises Unresolvable."""
    raise NotImplementedError


def restored_paths(template: Template) -> tuple[Path, ...]:
    """The paths of `$snapshot` that a template puts back."""
    raise NotImplementedError
