from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.wire.messages import (
    Batch,
    Message,
    Noise,
    Notification,
    Request,
    Response,
    id_key,
    large_answer,
    members,
    outer_id,
    read_message,
    with_id,
    with_member,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


def kind(message: Message) -> str:
    return type(message).__name__


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n', "Request", id="id-zero"),
        pytest.param(b'{"id":"","method":"ping"}\n', "Request", id="id-empty"),
        pytest.param(b'{"method":"notifications/x"}\n', "Notification", id="notification"),
        pytest.param(b'{"id":1,"result":[]}\n', "Response", id="result-not-an-object"),
        pytest.param(b'{"id":1,"error":{"code":1}}\n', "Response", id="error"),
        pytest.param(b'{"error":{"code":1}}\n', "Response", id="error-without-id"),
        pytest.param(b'[{"id":1,"method":"ping"}]\n', "Batch", id="batch"),
        pytest.param(b"Server v1 ready on stdio\n", "Noise", id="banner"),
        pytest.param(b"{not json\n", "Noise", id="brace"),
        pytest.param(b"[1, 2\n", "Noise", id="bracket"),
        pytest.param(b"\n", "Noise", id="empty"),
        pytest.param(b"42\n", "Noise", id="number"),
        pytest.param(b'"text"\n', "Noise", id="string"),
        pytest.param(b"\r 10%\r 50%\r100%\n", "Noise", id="progress-bar"),
        pytest.param(b'{"level":"info","msg":"up"}\n', "Noise", id="json-log"),
        pytest.param(b'{"id":1,"method":7}\n', "Noise", id="method-not-a-string"),
        pytest.param(b'{"id":1,"result":{}} {"id":2,"result":{}}\n', "Noise", id="two-on-a-line"),
    ],
)
def test_a_line_is_what_its_envelope_says(line: bytes, expected: str) -> None:
    assert kind(read_message(line)) == expected


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(rb'{"text":"\ud83d"}', id="lone-surrogate"),
        pytest.param(b'{"n":NaN}', id="nan"),
        pytest.param(b'{"n":1e400}', id="beyond-floats"),
        pytest.param(b'{"text":"\xff\xfe"}', id="bad-utf8"),
        pytest.param(b"[" * 3000 + b"]" * 3000, id="deep"),
        pytest.param(b'{"a":1,"a":2}', id="a-key-twice"),
        pytest.param(b'{"n":12345678901234567890123.10, "s":"\\u0041\\/"}', id="spellings"),
    ],
)
def test_an_answer_that_json_readers_choke_on_is_still_an_answer_and_kept_as_it_came(answer: bytes) -> None:
    line = b'{"jsonrpc":"2.0","id":7,"result":' + answer + b',"zz":1}\n'

    message = read_message(line)

    assert isinstance(message, Response)
    assert (message.key, bytes(message.answer), message.frame) == (b"7", answer, line)


def test_a_byte_order_mark_hides_nothing() -> None:
    message = read_message(b'\xef\xbb\xbf{"id":1,"method":"tools/call","params":{}}\n', strictly=True)

    assert isinstance(message, Request)
    assert message.method == "tools/call"


@pytest.mark.parametrize("line", [b'{"id":5,"method":"x","params":NaN}\n', b'{"id":5,"method":"x","params":{"a"}}\n'])
def test_strictly_read_a_line_that_is_not_json_is_refused_under_its_own_id(line: bytes) -> None:
    message = read_message(line, strictly=True)

    assert isinstance(message, Noise)
    assert (message.token, message.is_json) == (b"5", False)


def test_ids_are_compared_by_type_and_value_and_not_by_spelling() -> None:
    assert id_key(b"7") != id_key(b'"7"')
    assert id_key(b"0") != id_key(b'""')
    assert id_key(rb'"\u0061"') == id_key(b'"a"')
    assert id_key(b"9007199254740993") == b"9007199254740993"


@pytest.mark.parametrize("token", [b"1.5", b"null", b"true", b"[1]", b"{}", b"1e3"])
def test_what_mcp_does_not_allow_as_an_id_has_no_key_and_is_still_a_request(token: bytes) -> None:
    message = read_message(b'{"id":' + token + b',"method":"tools/call"}\n')

    assert isinstance(message, Request)
    assert (message.key, message.token) == (None, token)


@given(value=json_values, token=st.sampled_from([b"1", b'"x"', b"-4"]))
def test_only_the_id_changes_when_a_message_is_renumbered(value: Any, token: bytes) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 9, "result": value, "new": value}).encode() + b"\n"

    changed = with_id(line, token)

    assert json.loads(changed) == {**json.loads(line), "id": json.loads(token)}
    assert (members(changed) or {}).keys() == (members(line) or {}).keys()


def test_the_members_that_stay_keep_their_bytes() -> None:
    text = rb'{"a" : 1.10, "b":"\ud83d\/", "n": NaN}'

    assert with_member(text, "a", b"2") == rb'{"a":2,"b":"\ud83d\/","n":NaN}'


@given(st.binary(max_size=60))
def test_no_bytes_can_break_the_reader(data: bytes) -> None:
    for strictly in (False, True):
        message = read_message(data, strictly=strictly)
        assert isinstance(message, Request | Notification | Response | Batch | Noise)
        assert message.frame == data


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b'{"jsonrpc":"2.0","id":7,"result":{"id":3}}', b"7", id="first, as most write it"),
        pytest.param(b' { "id" : "a-1" , "result":{"id":3}}\n', b'"a-1"', id="first, with blanks"),
        pytest.param(
            b'{"result":{"id":3,"n":{}},"jsonrpc":"2.0","id":7}\r\n', b"7", id="last, as the TypeScript SDK does"
        ),
        pytest.param(b'{"result":{"id":3},"id":7,"jsonrpc":"2.0"}', b"7", id="last but one"),
        pytest.param(b'{"jsonrpc":"2.0","result":{"n":[],"id":3}}', None, id="of the result, at its end"),
        pytest.param(b'{"result":{"id":3,"n":[]}}', None, id="of the result, at its start"),
        pytest.param(rb'{"result":{"text":"{\"id\":3}"}}', None, id="in a text"),
        pytest.param(b'{"result":{},"id":1.5}', None, id="of no legal kind"),
        pytest.param(b"", None, id="nothing"),
    ],
)
def test_of_a_line_too_long_to_read_only_the_id_of_the_message_itself_is_taken(
    line: bytes, expected: bytes | None
) -> None:
    assert outer_id(line[:48], line[-48:]) == expected


BODY = b'{"content":[{"type":"text","text":"\\"id\\":9}"}],"structuredContent":{"id":9,"method":"x"}}'


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b'{"jsonrpc":"2.0","id":1,"result":' + BODY + b"}\n", id="id first"),
        pytest.param(b'{"id":1,"jsonrpc":"2.0","result":' + BODY + b"}\n", id="id before all"),
        pytest.param(b'{"result":' + BODY + b',"jsonrpc":"2.0","id":1}\r\n', id="id last"),
        pytest.param(b' { "jsonrpc" : "2.0" , "result" : ' + BODY + b' , "id" : 1 } \n', id="blanks"),
    ],
)
def test_a_large_answer_is_known_by_its_ends_as_it_is_when_it_is_read_through(frame: bytes) -> None:
    read, known = read_message(frame), large_answer(frame)

    assert isinstance(read, Response)
    assert known is not None
    assert (known.token, known.key, known.is_error, known.frame) == (read.token, read.key, read.is_error, read.frame)
    failed = large_answer(frame.replace(b'"result"', b'"error"'))
    assert failed is not None
    assert failed.is_error


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + BODY + b"}\n", id="a request"),
        pytest.param(b'{"method":"x","result":' + BODY + b',"id":1}\n', id="a request that has a result"),
        pytest.param(b'{"params":' + BODY + b',"id":1,"method":"x"}\n', id="a request, method last"),
        pytest.param(b'{"jsonrpc":"2.0","zz":{},"id":1,"result":' + BODY + b"}\n", id="something before it"),
        pytest.param(b'{"result":' + BODY + b"}\n", id="no id"),
        pytest.param(b'{"result":{"id":1}}\n', id="an id inside"),
        pytest.param(b'{"jsonrpc":"2.0","id":1.5,"result":{}}\n', id="an id that is not legal"),
        pytest.param(b'[{"jsonrpc":"2.0","id":1,"result":{}}]\n', id="a batch"),
    ],
)
def test_what_its_ends_do_not_tell_is_left_to_whoever_reads_all_of_it(frame: bytes) -> None:
    assert large_answer(frame) is None
