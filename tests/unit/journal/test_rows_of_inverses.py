"""How the calls of an inverse are kept: exactly, with the places that are filled in when they are sent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.paths import EACH, render_path
from synartesis.domain.records import InverseCall
from synartesis.journal.rows import pack, pack_inverse, unpack_inverse

segments = st.text(max_size=5) | st.integers(0, 99) | st.just(EACH)
paths = st.lists(segments, max_size=3).map(lambda path: render_path(tuple(path)))
calls = st.builds(
    InverseCall,
    server=st.text(max_size=5),
    tool=st.text(max_size=5),
    arguments=st.binary(max_size=9),
    restores=st.lists(paths, max_size=3).map(tuple),
    current=st.lists(st.tuples(paths, paths), max_size=3).map(tuple),
    defaults=st.lists(st.tuples(paths, paths), max_size=3).map(tuple),
)


@given(st.lists(calls, max_size=3).map(tuple))
def test_what_is_kept_comes_back_as_it_was(kept: tuple[InverseCall, ...]) -> None:
    assert kept == unpack_inverse(pack_inverse(kept))


def test_a_call_without_such_places_is_kept_as_it_always_was() -> None:
    packed = pack([pack([b"crm", b"update", b"{}", b"", b"plan"])])

    assert packed == pack_inverse((InverseCall("crm", "update", b"{}", ("", "plan")),))
    assert (InverseCall("crm", "update", b"{}", ("", "plan")),) == unpack_inverse(packed)
