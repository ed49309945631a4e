from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.relay.unambiguous import Unacceptable, read_arguments, refuse_ambiguous, refuse_other_method

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def call(params: str, envelope: str = "") -> bytes:
    return ('{"jsonrpc":"2.0","id":1,"method":"tools/call"' + envelope + ',"params":' + params + "}\n").encode()


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(call('{"name":"get","name":"del"}'), id="name-twice"),
        pytest.param(call('{"name":"get","Name":"del"}'), id="name-in-capitals"),
        pytest.param(call('{"name":"get","arguments":{},"ARGUMENTS":{"id":1}}'), id="arguments-in-capitals"),
        pytest.param(call('{"name":"get","arguments":{"id":1,"id":2}}'), id="argument-twice"),
        pytest.param(call('{"name":"get","arguments":{"a":[{"b":1,"b":2}]}}'), id="deep-inside"),
        pytest.param(call('{"name":"get"}', ',"method":"ping"'), id="method-twice"),
        pytest.param(call('{"name":"get"}', ',"Params":{"name":"del"}'), id="params-in-capitals"),
        pytest.param(call(r'{"name":"get","arguments":{"a":1,"\u0061":2}}'), id="one-spelled-with-an-escape"),
        pytest.param(call('{"name":"get","arguments":[1]}'), id="arguments-a-list"),
        pytest.param(call('{"name":"get","arguments":{"a":NaN}}'), id="nan"),
    ],
)
def test_a_call_that_can_be_read_in_two_ways_is_refused(frame: bytes) -> None:
    with pytest.raises(Unacceptable):
        refuse_ambiguous(frame)
    with pytest.raises(Unacceptable):
        read_arguments(frame)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_a_call_that_can_be_read_in_one_way_passes_whatever_its_strings_hold(arguments: dict[str, Any]) -> None:
    frame = call(json.dumps({"name": "get", "arguments": arguments}))

    refuse_ambiguous(frame)

    assert read_arguments(frame) == arguments


def test_absent_and_null_arguments_are_no_arguments() -> None:
    for params in ('{"name":"get"}', '{"name":"get","arguments":null}'):
        refuse_ambiguous(call(params))
        assert read_arguments(call(params)) == {}


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b'{"id":1,"method":"tools/call","method":"ping","params":{"name":"del"}}\n', id="twice"),
        pytest.param(b'{"id":1,"method":"ping","METHOD":"tools/call"}\n', id="in capitals"),
        pytest.param(rb'{"\u006dethod":"tools/call","id":1,"method":"ping"}' + b"\n", id="with an escape"),
        pytest.param(b'{ "method" : "tools/call" ,\t"method": "ping" }\r\n', id="with blanks"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"result":{},"Method":"tools/call"}\n', id="an answer"),
        pytest.param(b'\xef\xbb\xbf{"method":"tools/call","method":"ping"}\n', id="after a byte-order mark"),
    ],
)
def test_what_is_a_call_to_another_reader_is_refused(frame: bytes) -> None:
    with pytest.raises(Unacceptable):
        refuse_other_method(frame)


@given(st.dictionaries(st.text(max_size=6), values, max_size=4), st.booleans(), st.booleans())
def test_any_other_message_is_not(members: dict[str, Any], ensure_ascii: bool, spaced: bool) -> None:
    message = {name: value for name, value in members.items() if name.lower() != "method"}
    message |= {"params": {"method": "tools/call", "Method": [{"method": 1}]}, "method": "ping"}
    separators = None if spaced else (",", ":")

    refuse_other_method((json.dumps(message, ensure_ascii=ensure_ascii, separators=separators) + "\n").encode())
