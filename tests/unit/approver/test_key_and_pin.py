"""The key, as it is kept; and which key holds for a journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from synartesis.approver.key import HIGHEST_COST, is_signed, make_key, unlock
from synartesis.approver.pin import FILE_NAME, KeyFile, known_approver, read_key_file, write_key_file
from synartesis.approver.statement import approval_statement
from synartesis.errors import SynartesisError

PASSPHRASE = "correct horse battery staple"
KEY = make_key(PASSPHRASE, cost=2)
OTHER = make_key(PASSPHRASE, cost=2)


def test_the_passphrase_and_nothing_else_opens_the_key() -> None:
    sign = unlock(KEY, PASSPHRASE)

    assert sign is not None
    assert is_signed(KEY.public, b"yes", sign(b"yes"))
    assert not is_signed(KEY.public, b"no", sign(b"yes"))
    assert not is_signed(OTHER.public, b"yes", sign(b"yes"))
    for other in ("", PASSPHRASE + " ", PASSPHRASE.upper()):
        assert unlock(KEY, other) is None


def test_a_file_in_which_a_part_was_exchanged_does_not_open() -> None:
    for changed in (
        replace(KEY, public=OTHER.public),
        replace(KEY, box=OTHER.box),
        replace(KEY, salt=OTHER.salt),
        replace(KEY, nonce="00"),
        replace(KEY, box="no hexadecimal"),
        replace(KEY, cost=4),
        replace(KEY, cost=3),
        replace(KEY, cost=HIGHEST_COST * 2),
    ):
        assert unlock(changed, PASSPHRASE) is None


def test_the_private_half_is_nowhere_in_what_is_kept() -> None:
    assert make_key(PASSPHRASE, cost=2) != make_key(PASSPHRASE, cost=2)
    assert PASSPHRASE not in str(KEY)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(SynartesisError, match="has 11 characters, and it takes 12"):
        make_key("hunter2hunt", cost=2)


NAMES = ("asker", "request", "server", "tool", "fingerprint", "at", "by", "reason")
WORDS = st.lists(st.text(max_size=8), min_size=len(NAMES), max_size=len(NAMES))


@given(WORDS, WORDS)
def test_no_two_approvals_are_spelled_alike(one: list[str], other: list[str]) -> None:
    spelled = [approval_statement(**dict(zip(NAMES, words, strict=True))) for words in (one, other)]

    assert (spelled[0] == spelled[1]) is (one == other)


# --- which key holds


def test_the_file_is_its_owners_alone_and_comes_back_as_it_was(tmp_path: Path) -> None:
    home, file = tmp_path / "home", KeyFile(KEY, ("/a/journal.db",))

    write_key_file(home, file)

    assert read_key_file(home) == file
    assert (home / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in home.iterdir()] == [FILE_NAME]


def test_which_key_holds(tmp_path: Path) -> None:
    home, journal = tmp_path / "home", tmp_path / "journal.db"
    journal.touch()
    link = tmp_path / "link.db"
    link.symlink_to(journal)
    assert not known_approver("", journal, home).is_set
    assert not known_approver("", journal, None).is_set

    write_key_file(home, KeyFile(KEY, (str(journal.resolve()),)))

    assert known_approver("", journal, home).public == KEY.public, "its row was taken out of the journal"
    assert known_approver("", link, home).public == KEY.public
    assert known_approver(KEY.public, journal, home).public == KEY.public
    assert known_approver(OTHER.public, tmp_path / "another.db", home).public == OTHER.public
    exchanged = known_approver(OTHER.public, journal, home)
    assert (exchanged.public, exchanged.is_set) == ("", True)


def test_a_file_that_cannot_be_read_is_no_file_that_says_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("{", encoding="utf-8")

    known = known_approver("", tmp_path / "journal.db", tmp_path)

    assert known.is_set
    assert "cannot be read" in known.problem
