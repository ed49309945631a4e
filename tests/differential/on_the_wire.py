"""Lines that are legal and look odd, lines that are not legal, ids of every kind, noise, and sizes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.differential.openings import asked, call, client, done, opened, server
from tests.differential.script import (
    Complain,
    Conversation,
    EndInput,
    Say,
    Together,
    compact,
    error,
    notification,
    request,
    result,
)

BOM = b"\xef\xbb\xbf"

LARGE = 50_000_000
#: Of a guarded call: it is decoded, kept and read back.
LARGE_CALL = 5_000_000


def conversations() -> Iterator[Conversation]:
    yield ids()
    yield ids_that_are_not_legal()
    yield spellings()
    yield what_only_servers_say()
    yield what_cannot_be_read()
    yield noise()
    yield batches()
    yield framing()
    yield from last_lines()


# --- ids

LEGAL = ["0", '"0"', '""', "7", '"7"', "-1", "9007199254740993", '"e\\u00e9/\\ud83d\\ude00"', '"a/b c"']
ODD = ["1.5", "1e2", "null", "true", "[1]", '{"a":1}']


def ids() -> Conversation:
    conversation = opened("ids", "2025-11-25", in_short=True)
    for what, method, answer in (
        ("requests", '"method":"x/many"', '"result":{"n":1.10}'),
        ("calls", '"method":"tools/call","params":{"name":"keyed","arguments":{"key":AT}}', '"result":{"content":[]}'),
    ):
        asks = [
            client(f'{{"jsonrpc":"2.0","id":{token},{method.replace("AT", str(at))}}}\n'.encode())
            for at, token in enumerate(LEGAL)
        ]
        answers = [
            server(f'{{"id":{token},{answer},"jsonrpc":"2.0"}}\n'.encode(), to=ask)
            for token, ask in zip(LEGAL, asks, strict=True)
        ]
        conversation.scene(f"{what} under all legal ids at once", Together(tuple(asks)), reversed(answers))
    conversation.scene(
        "one id, both directions",
        client(request(0, "x/one")),
        server(request(0, "roots/list")),
        server(request("0", "sampling/createMessage", {"messages": [], "maxTokens": 1})),
        client(result(0, {"roots": []})),
        server(result(0, {})),
        client(error("0", -1, "User rejected sampling request")),
    )
    for token in ODD:
        conversation.scene(
            f"a server that asks under {token}",
            server(f'{{"jsonrpc":"2.0","id":{token},"method":"ping"}}\n'.encode()),
            client(f'{{"jsonrpc":"2.0","id":{token},"result":{{}}}}\n'.encode()),
        )
    conversation.scene("an id that was used before", asked(request(7, "ping"), result(7, {})))
    return conversation


def ids_that_are_not_legal() -> Conversation:
    conversation = opened("ids that are not legal", "2025-06-18")
    for token in ODD:
        for method in ("ping", "tools/call"):
            ask = f'{{"jsonrpc":"2.0","id":{token},"method":"{method}","params":{{"name":"write"}}}}\n'.encode()
            answer = f'{{"jsonrpc":"2.0","id":{token},"result":{{}}}}\n'.encode()
            conversation.scene(f"{method} under {token}", asked(ask, answer, but="illegal id"))
    first, second = client(request(5, "x/slow", {"n": 1})), client(request(5, "x/slow", {"n": 2}), but="id in use")
    conversation.scene("an id that waits for its answer", first, second, server(result(5, {}), to=first))
    calls = client(call(6, "keyed", {"key": 1})), client(call(6, "keyed", {"key": 2}), but="id in use")
    conversation.scene("a call under such an id", *calls, server(done(6), to=calls[0]))
    return conversation


# --- legal, and not as we would write it


def spellings() -> Conversation:
    conversation = opened("spellings", "2025-06-18", in_short=True)
    inner = b'"jsonrpc":"2.0","id":%d,"method":"%s","params":{"name":"write","arguments":%s}'
    arguments = {
        "numbers": b'{"a":1.10,"b":1e2,"c":-0.0,"d":123456789012345678901234567890,"e":1E400,"f":0.1000}',
        "escapes": b'{"a":"\\u00e9\\/\\ud83d\\ude00 \\u0041","\\u006b":"\\u2028"}',
        "text": '{"a":"é/😀 \u2028 \u0000"}'.replace("\u0000", "\\u0000").encode(),
        "nesting": b'{"a":' + b"[" * 150 + b"]" * 150 + b"}",
        "blanks": b'{ "a" :\t[ 1 , 2 ] ,\r "b" : { } }',
    }
    ident = 10
    for what, value in arguments.items():
        for method in (b"tools/call", b"x/other"):
            ident += 1
            said = value.replace(b"\r", b" ")  # which only a server may use as a blank: see "unreadable"
            line = b"{" + inner % (ident, method, said) + b"}\n"
            answer = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":%s}}\n' % (ident, value)
            conversation.scene(f"{what} in {method.decode()}", asked(line, answer))
    for what, line, answer in _envelopes():
        conversation.scene(what, asked(line, answer))
    return conversation


def _envelopes() -> Iterator[tuple[str, bytes, bytes]]:
    call_at = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":{}}}'
    answer_at = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}'
    for at, (what, around) in enumerate(
        {
            "CRLF": b"%s\r\n",
            "a byte-order mark": BOM + b"%s\n",
            "blanks around": b" \t%s \t \n",
            "CRLF and a byte-order mark": BOM + b"%s\r\n",
        }.items()
    ):
        yield what, around % (call_at % (50 + at)), around % (answer_at % (50 + at))
        ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % (60 + at)
        yield f"{what}, a ping", around % ping, around % (b'{"jsonrpc":"2.0","id":%d,"result":{}}' % (60 + at))
    yield "id last", b'{"method":"ping","params":{},"id":70}\n', b'{"result":{},"id":70}\n'
    yield (
        "unknown members of a message",
        b'{"jsonrpc":"2.0","zz":{"id":1,"method":"x"},"id":71,"method":"ping","trace":[1.10]}\n',
        b'{"jsonrpc":"2.0","id":71,"zz":null,"result":{"isError":true,"zz":[{}]},"more":"\\u00e9"}\n',
    )
    yield (
        "unknown members of a call",
        b'{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"write","arguments":{},"zz":1.10},"zz":{}}\n',
        b'{"jsonrpc":"2.0","id":72,"result":{"content":[{"type":"hologram","data":"zz"}],"xNew":{"a":[1]},"_meta":{"k":1.0}}}\n',
    )
    yield "another jsonrpc", b'{"jsonrpc":"1.0","id":73,"method":"ping"}\n', b'{"id":73,"result":7}\n'
    yield "a list of params", b'{"jsonrpc":"2.0","id":74,"method":"x/y","params":[1,{}]}\n', b'{"id":74,"result":[]}\n'
    yield "params null", b'{"jsonrpc":"2.0","id":75,"method":"x/y","params":null}\n', b'{"id":75,"result":null}\n'
    yield (
        "an error with more in it",
        b'{"jsonrpc":"2.0","id":76,"method":"foo/bar"}\n',
        b'{"jsonrpc":"2.0","id":76,"error":{"code":-32601.0,"message":"no","data":{"a":1.10},"zz":1}}\n',
    )
    yield (
        "an error as the answer to a call",
        b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"write"}}\n',
        b'{"jsonrpc":"2.0","id":77,"error":{"code":-32603,"message":"boom","data":null}}\n',
    )
    yield (
        "result and error",
        b'{"jsonrpc":"2.0","id":78,"method":"foo/bar"}\n',
        b'{"jsonrpc":"2.0","id":78,"result":{},"error":{"code":1,"message":"both"}}\n',
    )
    yield "an id spelt otherwise", b'{"id":"a\\u0062","method":"x/y"}\n', b'{"id":"ab","result":{}}\n'


def what_only_servers_say() -> Conversation:
    """A client is held to JSON as it is written; what a server says is passed on as long as its envelope can be found."""
    conversation = opened("what only servers say", "2025-06-18", in_short=True)
    values = {
        "a lone surrogate": b'"\\ud83d"',
        "bytes that are not UTF-8": b'"\xff\xfe \xc3("',
        "NaN": b"[NaN,Infinity,-Infinity]",
        "numbers out of range": b"[1e400,-1e400,1e-400]",
        "deep nesting": b"[" * 3000 + b"]" * 3000,
        "keys twice": b'{"a":1,"a":2}',
    }
    ident = 100
    for what, value in values.items():
        for method, member in ((b"x/y", b"zz"), (b"tools/call", b"structuredContent")):
            ident += 1
            ask = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"name":"write"}}\n' % (ident, method)
            answer = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"%s":%s}}\n' % (ident, member, value)
            conversation.scene(f"{what} in the answer to {method.decode()}", asked(ask, answer))
        line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%s}}\n' % value
        conversation.scene(f"{what} in a notification", server(line))
    odd = {
        "an error without an id": b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}\n',
        "an error with id null": b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}}\n',
        "a notification with a list": b'{"jsonrpc":"2.0","method":"notifications/foo","params":[1]}\n',
    }
    for what, line in odd.items():
        conversation.scene(what, server(line))
    return conversation


def what_cannot_be_read() -> Conversation:
    """From the client. What the server would have said to it is not asked for."""
    conversation = opened("what cannot be read", "2025-06-18")
    lines = {
        "text": b"hello\n",
        "half a message": b'{"jsonrpc":"2.0","id":1\n',
        "NaN": b'{"jsonrpc":"2.0","id":201,"method":"x/y","params":NaN}\n',
        "bytes that are not UTF-8": b'\xff\xfe{"jsonrpc":"2.0","id":202,"method":"ping"}\n',
        "a number": b"42\n",
        "a string": b'"text"\n',
        "no message": b'{"level":"info","msg":"up"}\n',
        "a method that is no string": b'{"jsonrpc":"2.0","id":203,"method":7}\n',
        "a line break within": b'{"jsonrpc":"2.0","id":204,\r"method":"ping"}\n',
    }
    for what, line in lines.items():
        conversation.scene(what, client(line, but="unreadable"))
    start = b'{"jsonrpc":"2.0","id":210,"method":"tools/call","params":'
    for what, params in {
        "a name twice": b'{"name":"write","name":"keyed"}',
        "an argument twice": b'{"name":"write","arguments":{"a":1,"a":2}}',
        "a name that is another in another case": b'{"name":"write","Name":"keyed"}',
        "a name that is no string": b'{"name":7}',
        "a name that is not UTF-8": b'{"name":"write\xff"}',
        "an argument that is not UTF-8": b'{"name":"write","arguments":{"a":"\xff"}}',
        "a list": b"[]",
        "arguments that are a list": b'{"name":"write","arguments":[1]}',
        "no name": b"{}",
    }.items():
        conversation.scene(f"a call with {what}", client(start + params + b"}\n", but="ambiguous call"))
    other_readers = {
        "a method twice": b'{"jsonrpc":"2.0","id":212,"method":"tools/call","method":"ping","params":{"name":"write"}}\n',
        "a method that is another in another case": (
            b'{"jsonrpc":"2.0","id":213,"method":"ping","Method":"tools/call","params":{"name":"write"}}\n'
        ),
        "a method that is spelt twice": (
            b'{"jsonrpc":"2.0","id":214,"\\u006dethod":"tools/call","method":"ping","params":{"name":"write"}}\n'
        ),
    }
    for what, line in other_readers.items():
        conversation.scene(f"a call to some readers: {what}", client(line, but="ambiguous message"))
    lost = b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write"}}\n'
    conversation.scene("a call without an id", client(lost, but="call without an id"))
    no_params = client(b'{"jsonrpc":"2.0","id":211,"method":"tools/call"}\n', but="ambiguous call")
    conversation.scene("a call without params", no_params)
    for at, blank in enumerate((b"\n", b"\r\n", b"  \t \n")):
        conversation.scene(f"a blank line, {at}", client(blank, but="blank line"))
    unknown = client(call(220, "wriite"), but="unknown tool")
    conversation.scene("a tool that is not there", unknown, server(error(220, -32602, "no such tool"), to=unknown))
    return conversation


# --- what is no message


NOISE = [
    b"Server v1 ready on stdio\n",
    b"{not json\n",
    b"[1, 2\n",
    b"[1, 2]\n",
    b"42\n",
    b'"text"\n',
    b"\r 10%\r 50%\r100%\n",
    b'{"level":"info","msg":"up"}\n',
    b'{"level":"info","msg":"up","id":3}\n',
    b"\xff\xfe\x00 not text\n",
    b"\x1b[2J\x1b[1mhello\x1b[0m\n",
]


def noise() -> Conversation:
    conversation = opened("noise", "2025-06-18", in_short=True)
    said = [server(line, but="noise") for line in NOISE]
    conversation.scene("between messages", said, server(b"\n", but="blank line"), server(b" \r\n", but="blank line"))
    ask = client(call(1))
    conversation.scene("before the answer to a call", ask, said, server(done(1), to=ask), said)
    flood = server(b"".join(NOISE) * 8000, but="noise")
    conversation.scene("two megabytes at once", flood, asked(request(2, "ping"), result(2, {})))
    ask = client(call(3))
    conversation.scene(
        "standard error floods",
        Complain(b"the server has much to say about nothing at all\n" * 40_000),
        ask,
        Complain(b"and none of it ends " * 50_000),
        server(done(3), to=ask),
        Complain(b"\x00\xff" * 100_000 + b"\n"),
        asked(request(4, "ping"), result(4, {})),
    )
    ask = client(request(5, "x/y"))
    answer = server(result(5, {"n": 1}), to=ask)
    stray = [
        server(result(777, {}), but="stray answer"),
        server(result("5", {"n": 2}), but="stray answer"),
        server(error(778, -1, "nobody asked"), but="stray answer"),
    ]
    again = server(result(5, {"n": 3}), but="stray answer")
    conversation.scene("answers that nobody waits for", ask, stray, answer, again)
    conversation.scene(
        "an answer of the client that nobody waits for", client(result(99, {})), client(error(98, 1, ""))
    )
    return conversation


def batches() -> Conversation:
    conversation = opened("batches", "2025-03-26", in_short=True)
    many = [request(1, "ping"), notification("notifications/x"), call(2)]
    ask = client(many, but="batch")
    conversation.scene("of the client", ask, server([result(1, {}), done(2)], to=ask))
    conversation.scene("an empty one", client([], but="batch"))
    answers = client([result(1, {}), result(2, {})], but="batch")
    conversation.scene("of answers", answers)
    conversation.scene(
        "of the server, notifications",
        server([notification("notifications/x", {"n": at}) for at in range(3)], but="server batch"),
    )
    first, second = client(request(3, "x/y")), client(request(4, "x/y"))
    both = server([result(4, {"n": 4}), request(9, "ping"), result(3, {"n": 3})], but="server batch", to=first)
    conversation.scene("of the server, answers", first, second, both, client(result(9, {})))
    return conversation


# --- how bytes arrive


def framing() -> Conversation:
    conversation = opened("framing", "2025-11-25", in_short=True)
    text = "é\u2028😀" * 20_000
    for pieces in (2, 3, 50):
        ask = client(request(pieces, "x/y", {"text": text}), pieces=pieces)
        answer = server(result(pieces, {"text": text}), to=ask, pieces=pieces)
        conversation.scene(f"in {pieces} pieces", ask, answer)
    asks = [client(request(100 + at, "x/many", {"n": at})) for at in range(100)]
    notes = [server(notification("notifications/x", {"n": at})) for at in range(100)]
    answers = [server(result(100 + at, {"n": at}), to=ask) for at, ask in enumerate(asks)]
    conversation.scene("a hundred in one write", Together(tuple(asks)), Together((*answers, *notes)))
    mixed: list[Say] = []
    for at in range(20):
        mixed += [client(request(300 + at, "x/y")), client(call(400 + at, "keyed", {"key": at % 5 + at}))]
        mixed += [client(notification("notifications/progress", {"progressToken": at, "progress": 0.5}))]
    by_answer = [
        server(done(400 + at) if at >= 0 else {}, to=say)
        for at, say in ((json.loads(say.line).get("id", 0) - 400, say) for say in mixed)
        if at >= 0
    ]
    others = [server(result(300 + at, {}), to=mixed[3 * at]) for at in range(20)]
    conversation.scene("calls among other things", Together(tuple(mixed)), reversed(by_answer), others)
    for size in (65_535, 65_536, 65_537, 1_048_576):
        ident = 500 + size
        empty = len(compact(request(ident, "x/y", {"t": ""})))
        ask = client(request(ident, "x/y", {"t": "x" * (size - empty)}))
        assert len(ask.line) == size
        conversation.scene(f"a line of {size} bytes", ask, server(result(ident, {"t": "y" * size}), to=ask))
    return conversation


def last_lines() -> Iterator[Conversation]:
    """How a connection may end; each needs one of its own."""
    conversation = opened("the client's last line is not ended", "2025-06-18")
    last = compact(notification("notifications/x"))[:-1]
    conversation.scene("the end", Say("client", last, but="unfinished line", ends_input=True))
    yield conversation

    conversation = opened("answers after the end of input", "2025-06-18", in_short=True)
    asks = client(call(1, "keyed", {"key": 1})), client(request(2, "x/y")), client(call(3, "keyed", {"key": 3}))
    answers = server(result(2, {}), to=asks[1]), server(done(3), to=asks[2]), server(done(1), to=asks[0])
    conversation.scene("the end", asks, EndInput(), answers)
    yield conversation


def large_lines() -> Conversation:
    conversation = opened("large lines", "2025-11-25")
    text = "x" * LARGE
    ask = client(request(1, "x/y", {"text": text}))
    conversation.scene("of 50 MB, both ways", ask, server(result(1, {"text": text}), to=ask))
    conversation.scene("a notification of 50 MB", server(notification("notifications/message", {"data": text})))
    conversation.scene("an answer to a call", asked(call(2), done(2, text)))
    some = "é" * (LARGE_CALL // 2)
    conversation.scene("a call of 5 MB", asked(call(3, "write", {"body": some}), done(3, some)))
    structured: list[Any] = [{"n": at, "text": "row"} for at in range(LARGE_CALL // 25)]
    conversation.scene("structured content of 5 MB", asked(call(4), done(4, "", structuredContent=structured)))
    return conversation
