from __future__ import annotations

from synartesis.wire.peer import Peer


def test_an_answer_goes_to_the_one_who_asked_and_only_once() -> None:
    peer: Peer[str] = Peer()
    peer.expect(b"7", "seven")
    peer.expect(b'"7"', "text seven")

    assert peer.settle(b"7") == "seven"
    assert peer.settle(b"7") is None
    assert peer.settle(b'"7"') == "text seven"


def test_a_second_answer_is_told_from_one_that_nobody_asked_for() -> None:
    peer: Peer[str] = Peer()
    peer.expect(b"1", "one")
    peer.settle(b"1")

    assert peer.why_unexpected(b"1") == "second answer"
    assert peer.why_unexpected(b"2") == "nobody asked"


def test_own_ids_never_repeat_and_carry_their_name() -> None:
    peer: Peer[str] = Peer("ab12")

    assert [peer.new_token(), peer.new_token()] == [b'"syn-ab12-1"', b'"syn-ab12-2"']


def test_draining_leaves_nobody_waiting() -> None:
    peer: Peer[str] = Peer()
    peer.expect(b"1", "one")
    peer.expect(b"2", "two")

    assert peer.drain() == ["one", "two"]
    assert len(peer) == 0
