"""What of the state before an inverse puts back, and what of that is ignored. What moves by itself is not compared, so an inverse
must not replace it unseen: where it stands in a part of its own, it goes back as it is then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from synartesis.domain.paths import EACH, Path, covers
from synartesis.policy.references import Reference
from synartesis.policy.template import Template, references_of_each

if TYPE_CHECKING:
    from synartesis.policy.manifest import CallTemplate, ReadRule


def parts_put_back(call: CallTemplate, snapshot: ReadRule) -> Iterator[tuple[Path, Path | None]]:
    """(path in one answer of the snapshot, place in the arguments where exactly that stands). The place is None where it is
    one of many, or a part of a longer text or a form."""
    found = [one.path for one in references_of_each(call.args, call.for_each) if one.source == "snapshot"]
    alone = list(_alone(call.args, call, snapshot, ()))
    yield from alone
    rest = Counter(path for path in map(snapshot.path_in_answer, found) if path is not None)
    rest.subtract(path for path, _ in alone)
    yield from ((path, None) for path, count in rest.items() if count > 0)


def _alone(template: Template, call: CallTemplate, snapshot: ReadRule, at: Path) -> Iterator[tuple[Path, Path]]:
    if isinstance(template, Reference):
        path = _in_answer(template, call, snapshot)
        if path is not None and EACH not in path:
            yield path, at
    elif isinstance(template, dict):
        for key, element in template.items():
            yield from _alone(element, call, snapshot, (*at, key))


def _in_answer(reference: Reference, call: CallTemplate, snapshot: ReadRule) -> Path | None:
    """Where in one answer a reference reads: of a snapshot of several things, the call has to be made for each of them."""
    if snapshot.for_each is None:
        return reference.path if call.for_each is None and reference.source == "snapshot" else None
    of_each = call.for_each == Reference("snapshot", ()) and reference.source == "item"
    return reference.path[1:] if of_each and reference.path[:1] == ("state",) else None


def kept_as_it_is(place: Path | None, path: Path, ignored: Path) -> tuple[Path, Path] | None:
    """For what is ignored below a path that is put back: (place in the arguments, path in the answer), if it can be handed back
    as it is then. Of the elements of a list nobody knows which is which."""
    below = ignored[len(path) :]
    if place is None or not covers(path, ignored) or not all(isinstance(segment, str) for segment in below):
        return None
    return (*place, *below), ignored


def kept_places(
    call: CallTemplate, snapshot: ReadRule | None, ignored: tuple[Path, ...]
) -> tuple[tuple[Path, Path], ...]:
    """All that a call hands back as it is then."""
    if snapshot is None or not ignored:
        return ()
    pairs = ((kept_as_it_is(place, path, one)) for path, place in parts_put_back(call, snapshot) for one in ignored)
    return tuple(pair for pair in pairs if pair is not None)
