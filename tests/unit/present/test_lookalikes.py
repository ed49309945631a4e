"""What looks like something else is pointed out, and what people really write is left in peace."""

from __future__ import annotations

import pytest

from synartesis.present.lookalikes import MOST_TOLD, lookalikes, lookalikes_in

STRANGE = {
    "one Cyrillic letter": ("p\u0430ypal.com", '"p<U+0430>ypal" mixes Latin and Cyrillic letters'),
    "one Greek letter": ("ad\u03bfbe", '"ad<U+03BF>be" mixes Latin and Greek letters'),
    "a whole word": (
        "open \u0430\u0440\u0440\u04cf\u0435.com",
        "is written in Cyrillic letters that look like Latin ones",
    ),
    "wide letters": ("\uff52\uff4d -rf", "<U+FF52><U+FF4D>"),
    "mathematical letters": ("\U0001d42c\U0001d42e", "only look like letters"),
    "a slash": ("bank.example\u2044login.evil.example", "has a fraction slash in it"),
    "a dot": ("evil\u2024example", "has a one dot leader in it"),
    "an at": ("ada\uff20example", "has a fullwidth commercial at in it"),
}


@pytest.mark.parametrize(("text", "says"), STRANGE.values(), ids=STRANGE)
def test_what_is_not_what_it_seems_is_pointed_out(text: str, says: str) -> None:
    (told,) = lookalikes(text)

    assert says in told
    assert told.isprintable()


USUAL = {
    "accents": "naïve café, straße, İstanbul, Ångström, Đorđe",
    "Russian": "Пришли сор и уху Ивану сегодня",
    "Russian with a name": "Напиши John: ехо",
    "Greek": "Καλημέρα κόσμε",
    "Japanese": "日本語とABCです。",
    "Hebrew": "שלום world",
    "Vietnamese": "Chào buổi sáng, Nguyễn",
    "signs between blanks": "3 ∶ 4 and a ⁄ b",
    "nothing": "",
}


@pytest.mark.parametrize("text", USUAL.values(), ids=USUAL)
def test_what_people_write_is_left_in_peace(text: str) -> None:
    assert lookalikes(text) == []


def test_keys_and_nested_texts_are_looked_at_too() -> None:
    assert len(lookalikes_in({"p\u0430th": [{"x": "c\u043ed\u0435"}], "n": 1, "ok": "plain", "none": None})) == 2


def test_it_does_not_flood() -> None:
    text = " ".join(f"p\u0430ypal{'x' * number}" for number in range(1000))

    assert len(lookalikes_in([text, text])) == MOST_TOLD


def test_nothing_in_it_can_be_printed_that_hides_or_moves() -> None:
    (told,) = lookalikes("p\u0430y\u0301\u0301pal")
    assert told.isprintable()
    assert all(each.isprintable() for each in lookalikes("\u202ep\u0430y\u202c \x1b[2Kp\u0430l"))
