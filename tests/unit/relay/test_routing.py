from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.domain.names import Tool
from synartesis.relay.routing import Clash, Names, exposed_name

LONG = "customer_internal_tracker_production"
names = st.text(min_size=1, max_size=60)


@given(names)
def test_a_shown_name_fits_every_model_api_and_maps_back_exactly(name: str) -> None:
    tool = Tool(LONG, name)
    known = Names([LONG])

    shown = known.learn(tool)

    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", shown)
    assert known.tool_for(shown) == tool


@given(names, names)
def test_two_tools_of_a_server_never_share_a_name(first: str, second: str) -> None:
    assert (exposed_name(Tool("s", first)) == exposed_name(Tool("s", second))) == (first == second)


def test_a_plain_name_is_understood_before_any_list_was_read() -> None:
    known = Names(["crm", "files"])

    assert known.tool_for("crm__update") == Tool("crm", "update")
    assert known.tool_for("other__update") is None
    assert known.tool_for("update") is None


def test_long_names_that_differ_only_at_the_end_stay_apart() -> None:
    start = "a" * 40
    shown = {exposed_name(Tool(LONG, start + end)) for end in ("_first", "_other")}

    assert len(shown) == 2


def test_a_clash_is_an_error_and_never_a_silent_shadow() -> None:
    known = Names(["a", "a_"])
    known.learn(Tool("a", "__x"))

    with pytest.raises(Clash, match="a____x"):
        known.learn(Tool("a_", "_x"))
