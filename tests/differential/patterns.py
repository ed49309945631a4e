"""What several messages are together: cancelling, progress, pages, subscriptions, questions of the server, tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.differential.openings import (
    CLIENT,
    asked,
    call,
    client,
    done,
    enveloped,
    modern_call,
    modern_done,
    opened,
    server,
)
from tests.differential.script import (
    AnswerReads,
    AwaitRead,
    Conversation,
    HoldReads,
    Say,
    Together,
    error,
    notification,
    request,
    result,
)
from tests.differential.vocabulary import MODERN
from tests.support.client import META

APP = "text/html;profile=mcp-app"


def conversations() -> Iterator[Conversation]:
    yield cancelling("2025-06-18")
    yield cancelling(MODERN)
    yield progress()
    yield pages()
    yield changes()
    yield questions()
    yield the_rest_of_the_handshake_era()
    yield tasks()
    yield input_required()
    yield subscriptions()
    yield modern_calls()
    yield probing()
    yield undecided()


def cancelled(ident: Any, **more: Any) -> dict[str, Any]:
    return notification("notifications/cancelled", {"requestId": ident, **more})


def cancelling(revision: str) -> Conversation:
    conversation = opened("cancelling", revision, in_short=True)
    make, end = (modern_call, modern_done) if revision == MODERN else (call, done)

    ask = client(make(1))
    conversation.scene("a call that runs", ask, client(cancelled(1, reason="no")), server(end(1), to=ask))
    ask = client(request(2, "prompts/list", enveloped({})))
    conversation.scene("a request that runs", ask, client(cancelled(2)), server(result(2, {"prompts": []}), to=ask))

    ask = client(make(3), but="cancelled before it left")
    conversation.scene(
        "a call that is held at its snapshot",
        HoldReads(),
        ask,
        AwaitRead(),
        client(cancelled(3), but="cancellation of what never left"),
        server(end(3), to=ask),
        AnswerReads(),
    )
    conversation.scene("another call afterwards", asked(make(4), end(4)))
    conversation.scene("a call that has finished", asked(make(5), end(5)), client(cancelled(5)))
    conversation.scene("what was never asked", client(cancelled("nothing")), client(cancelled(1.5)))
    odd = [notification("notifications/cancelled"), notification("notifications/cancelled", {"reason": "x"})]
    conversation.scene("without saying what", [client(one) for one in (*odd, cancelled(None), cancelled("5"))])
    conversation.scene("by the server", server(cancelled("nothing", reason="y")), server(cancelled(0)))
    return conversation


def progress() -> Conversation:
    conversation = opened("progress", "2025-06-18", in_short=True)

    def note(token: Any, at: float, **more: Any) -> dict[str, Any]:
        return notification("notifications/progress", {"progressToken": token, "progress": at, **more})

    tokens: list[Any] = [1, "1", 0, "", "é", 9007199254740993]
    for at, token in enumerate(tokens):
        ask = client(call(at, _meta={"progressToken": token, "com.example/y": 1}))
        steps = [server(note(token, n / 2, total=1, message="half")) for n in range(3)]
        late = server(note(token, 9))
        conversation.scene(f"token {token!r}", ask, steps, server(done(at), to=ask), late)
    question = server(request("s", "sampling/createMessage", {"messages": [], "_meta": {"progressToken": 5}}))
    answer = client(result("s", {"role": "assistant", "content": {"type": "text", "text": ""}, "model": "m"}))
    conversation.scene("of the client", question, client(note(5, 0.5)), answer)
    return conversation


def pages() -> Conversation:
    conversation = opened("pages", "2025-06-18")
    ident = 0
    for method, member in (
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ):
        cursor: Any = None
        for page, following in enumerate(("c/1 é", "", None, "c/1 é", "absent")):
            ident += 1
            params = {} if cursor is None else {"cursor": cursor}
            items = [{"name": f"{page}", "uri": f"x://{page}", "zz": 1}]
            answer = {member: items} if following == "absent" else {member: items, "nextCursor": following}
            conversation.scene(f"{method}, page {page}", asked(request(ident, method, params), result(ident, answer)))
            cursor = following
    return conversation


def changes() -> Conversation:
    conversation = opened("changes", "2025-06-18", in_short=True)
    for at, kind in enumerate(("tools", "prompts", "resources")):
        conversation.scene(
            f"{kind} changed",
            asked(call(10 + at), done(10 + at)),
            server(notification(f"notifications/{kind}/list_changed")),
            asked(request(20 + at, f"{kind}/list"), result(20 + at, {kind: [], "_meta": {"a": 1.10}})),
            asked(call(30 + at), done(30 + at)),
        )
    conversation.scene("roots changed", client(notification("notifications/roots/list_changed")))
    conversation.scene(
        "resources that are subscribed to",
        asked(request(40, "resources/subscribe", {"uri": "x://1"}), result(40, {})),
        server(notification("notifications/resources/updated", {"uri": "x://1", "title": "é"})),
        asked(request(41, "resources/unsubscribe", {"uri": "x://1"}), result(41, {})),
    )
    return conversation


def questions() -> Conversation:
    """The server asks, in the middle of a call and outside of one."""
    conversation = opened("questions of the server", "2025-11-25", in_short=True)
    form = {
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"x": {"type": "boolean"}}},
        "zz": 1,
    }
    by_url = {"mode": "url", "message": "Go there", "url": "https://example.com/é?a=b", "elicitationId": "e-1"}
    tools = {
        "messages": [],
        "maxTokens": 9,
        "tools": [{"name": "t", "inputSchema": {}}],
        "toolChoice": {"mode": "auto"},
    }
    asks: dict[str, tuple[str, Any, Any]] = {
        "a form that is accepted": ("elicitation/create", form, {"action": "accept", "content": {"x": True}}),
        "a form that is declined": ("elicitation/create", form | {"mode": "form"}, {"action": "decline"}),
        "a link": ("elicitation/create", by_url, {"action": "cancel"}),
        "sampling": ("sampling/createMessage", {"messages": [], "maxTokens": 1}, {"role": "assistant", "model": "m"}),
        "sampling with tools": ("sampling/createMessage", tools, {"content": [{"type": "tool_use", "id": "1"}]}),
        "roots": ("roots/list", None, {"roots": [{"uri": "file:///é", "name": "é", "_meta": {"a": 1}}]}),
        "a ping": ("ping", None, {}),
        "what nobody knows": ("x/unknown", {"a": [1.10]}, {"b": 2}),
    }
    for at, (what, (method, params, answer)) in enumerate(asks.items()):
        ask = client(call(at))
        question = server(request(at, method, params))
        conversation.scene(
            f"{what}, during a call", ask, question, client(result(at, answer), to=question), server(done(at), to=ask)
        )
        question = server(request(f"q{at}", method, params))
        conversation.scene(f"{what}, outside of one", question, client(error(f"q{at}", -32601, "Method not found")))
    complete = notification("notifications/elicitation/complete", {"elicitationId": "e-1"})
    needed = {"elicitations": [by_url]}
    conversation.scene(
        "a call that needs a link first",
        asked(call(50), error(50, -32042, "This needs a browser", data=needed)),
        server(complete),
        asked(call(51), done(51)),
    )
    ask = client(call(60))
    both = [server(request(at, "elicitation/create", form)) for at in (1, 2)]
    replies = [client(result(at, {"action": "accept"})) for at in (2, 1)]
    conversation.scene("two at once", ask, Together(tuple(both)), replies, server(done(60), to=ask))
    return conversation


def the_rest_of_the_handshake_era() -> Conversation:
    conversation = opened("what else there is", "2025-11-25")
    app = {"name": "a", "inputSchema": {}, "_meta": {"ui": {"resourceUri": "ui://a/b", "visibility": ["app", "model"]}}}
    html = {"uri": "ui://a/b", "mimeType": APP, "text": "<!doctype html>é", "_meta": {"ui": {"csp": {}}}}
    exchanges: dict[str, tuple[str, Any, Any]] = {
        "logging": ("logging/setLevel", {"level": "debug"}, {}),
        "a completion": (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "é"}, "context": {}},
            {"completion": {"values": ["a", "b"], "total": 2.0, "hasMore": False}},
        ),
        "templates": (
            "resources/templates/list",
            None,
            {"resourceTemplates": [{"uriTemplate": "x://{a}", "name": "n"}]},
        ),
        "an app's tools": ("tools/list", None, {"tools": [app | {"icons": [{"src": "i"}], "annotations": {"zz": 1}}]}),
        "an app's page": ("resources/read", {"uri": "ui://a/b"}, {"contents": [html]}),
        "a blob": ("resources/read", {"uri": "x://b"}, {"contents": [{"uri": "x://b", "blob": "AAAA"}]}),
        "a prompt": ("prompts/get", {"name": "p", "arguments": {"a": "é"}}, {"messages": []}),
        "what nobody knows": ("foo/bar", {"a": 1}, {"c": [2.50]}),
    }
    for at, (what, (method, params, answer)) in enumerate(exchanges.items()):
        conversation.scene(what, asked(request(at, method, params), result(at, answer)))
    for level in ("debug", "emergency", "unheard-of"):
        note = {"level": level, "logger": "l", "data": {"é": [1.10, None]}}
        conversation.scene(f"a log entry, {level}", server(notification("notifications/message", note)))
    conversation.scene(
        "unknown notifications", server(notification("notifications/foo", {})), client(notification("x/y"))
    )
    conversation.scene("an app calls", asked(call(20, _meta={"ui": {"app": "a"}}), done(20, _meta={"ui": {}})))
    return conversation


def tasks() -> Conversation:
    """The experimental tasks of 2025-11-25."""
    conversation = opened("tasks", "2025-11-25", in_short=True)

    def task(ident: str, status: str, **more: Any) -> dict[str, Any]:
        said = {"taskId": ident, "status": status, "createdAt": "2025-11-25T10:30:00Z", "ttl": None, "pollInterval": 50}
        return said | {"lastUpdatedAt": "2025-11-25T10:30:00Z", **more}

    def ask_about(at: int, method: str, ident: str, answer: Any) -> list[Say]:
        return asked(request(at, f"tasks/{method}", {"taskId": ident}), result(at, answer))

    related = {"io.modelcontextprotocol/related-task": {"taskId": "t-1"}}
    conversation.scene(
        "one that ends well",
        asked(call(1, task={"ttl": 60_000}), result(1, {"task": task("t-1", "working"), "_meta": {"a": 1.10}})),
        ask_about(2, "get", "t-1", task("t-1", "working", statusMessage="é")),
        server(notification("notifications/tasks/status", task("t-1", "completed"))),
        ask_about(3, "get", "t-1", task("t-1", "completed")),
        asked(request(4, "tasks/result", {"taskId": "t-1"}), done(4, _meta=related)),
        ask_about(5, "result", "t-1", {"content": [], "_meta": related}),
    )
    conversation.scene(
        "one that is cancelled",
        asked(call(6, task={}), result(6, {"task": task("t-2", "input_required")})),
        asked(request(7, "tasks/cancel", {"taskId": "t-2"}), result(7, task("t-2", "cancelled"))),
        asked(request(8, "tasks/result", {"taskId": "t-2"}), error(8, -32603, "cancelled")),
    )
    conversation.scene(
        "one that fails",
        asked(call(9, task={}), result(9, {"task": task("t-3", "working")})),
        ask_about(10, "get", "t-3", task("t-3", "failed", statusMessage="no")),
        asked(request(11, "tasks/result", {"taskId": "t-3"}), done(11, "no", isError=True)),
    )
    waiting = client(request(13, "tasks/result", {"taskId": "t-4"}))
    conversation.scene(
        "one that asks before it ends",
        asked(call(12, task={}), result(12, {"task": task("t-4", "working")})),
        waiting,
        server(request("e", "elicitation/create", {"message": "?", "_meta": related})),
        client(result("e", {"action": "accept"})),
        server(done(13), to=waiting),
    )
    conversation.scene("a list of them", asked(request(14, "tasks/list"), result(14, {"tasks": [task("t-1", "zz")]})))
    conversation.scene("one that nobody has", asked(request(15, "tasks/get", {"taskId": "x"}), error(15, -32602, "no")))
    conversation.scene(
        "one of the server's",
        server(request(16, "sampling/createMessage", {"messages": [], "maxTokens": 1, "task": {}})),
        client(result(16, {"task": task("c-1", "working")})),
        server(request(17, "tasks/get", {"taskId": "c-1"})),
        client(result(17, task("c-1", "completed"))),
        client(notification("notifications/tasks/status", task("c-1", "completed"))),
        server(request(18, "tasks/result", {"taskId": "c-1"})),
        client(result(18, {"role": "assistant"})),
    )
    return conversation


def input_required() -> Conversation:
    """Rounds in which the server asks for more before it does anything (2026-07-28)."""
    conversation = opened("input required", MODERN, in_short=True)
    form = {"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {}}}
    asks = {"q1": form, "q2": {"method": "roots/list", "params": {}}, "q3": {"method": "x/new", "params": {"a": 1.10}}}
    gave = {"q1": {"action": "accept", "content": {"é": 1.50}}, "q2": {"roots": []}, "q3": {"b": None}}

    def more(ident: Any, state: str | None, **also: Any) -> dict[str, Any]:
        said = {} if state is None else {"requestState": state}
        return result(ident, {"resultType": "input_required", "inputRequests": asks, **said, **also})

    arguments = {"a": "é", "n": 1}
    conversation.scene(
        "of a call, twice",
        asked(modern_call(1, "write", arguments), more(1, "s/1 é")),
        asked(modern_call(2, "write", arguments, inputResponses=gave, requestState="s/1 é"), more(2, "s/2")),
        asked(modern_call(3, "write", arguments, inputResponses={}, requestState="s/2"), modern_done(3)),
    )
    only_state = result(4, {"resultType": "input_required", "requestState": "s/3"})
    conversation.scene(
        "of a call, with a state only",
        asked(modern_call(4), only_state),
        asked(modern_call(5, requestState="s/3"), modern_done(5, isError=True)),
    )
    conversation.scene(
        "of a call, without a state",
        asked(modern_call(6), more(6, None)),
        asked(modern_call(7, inputResponses=gave), modern_done(7)),
    )
    conversation.scene("a state that nobody gave", asked(modern_call(8, requestState="???"), modern_done(8)))
    conversation.scene("one that is given up", asked(modern_call(9), more(9, "s/9")))
    for at, (method, params) in enumerate((("prompts/get", {"name": "p"}), ("resources/read", {"uri": "x://1"}))):
        first, second = 20 + 2 * at, 21 + 2 * at
        again = enveloped({**params, "inputResponses": gave, "requestState": "s"})
        conversation.scene(
            f"of {method}",
            asked(request(first, method, enveloped(params)), more(first, "s")),
            asked(request(second, method, again), result(second, {"resultType": "complete", "contents": []})),
        )
    return conversation


def subscriptions() -> Conversation:
    """The stream that replaces resources/subscribe (2026-07-28): its answer comes last."""
    conversation = opened("subscriptions", MODERN, in_short=True)

    def noted(kind: str, listener: Any, **params: Any) -> Say:
        meta = {META + "subscriptionId": listener}
        return server(notification(f"notifications/{kind}", {**params, "_meta": meta}))

    wanted = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["x://1"]}}
    listeners: list[Any] = [1, "1", 0]
    asks = [client(request(one, "subscriptions/listen", enveloped(wanted))) for one in listeners[:2]]
    conversation.scene(
        "two that listen",
        asks,
        [noted("subscriptions/acknowledged", one, **wanted) for one in listeners[:2]],
        [noted("tools/list_changed", one) for one in listeners[:2]],
        noted("resources/updated", 1, uri="x://1"),
        asked(modern_call(2), modern_done(2)),
        noted("resources/updated", "1", uri="x://1"),
    )
    conversation.scene("one is ended by the client", client(cancelled(1)))
    closed = result("1", {"resultType": "complete", "_meta": {META + "subscriptionId": "1"}})
    conversation.scene("one is ended by the server", server(cancelled("1")), server(closed, to=asks[1]))
    ask = client(request("l", "subscriptions/listen", enveloped({"notifications": {}})))
    ended = result("l", {"resultType": "complete", "_meta": {META + "subscriptionId": "l"}})
    conversation.scene("one is answered", ask, server(ended, to=ask))
    goes_on = request(9, "subscriptions/listen", enveloped(wanted))
    conversation.scene("one goes on", client(goes_on, but="left open"))
    return conversation


def modern_calls() -> Conversation:
    """Each request says anew what the client is, and may say something else."""
    conversation = opened("calls of the modern era", MODERN, in_short=True)
    changes: list[dict[str, Any]] = [
        {},
        {META + "clientInfo": CLIENT | {"version": "2", "zz": 1.10}},
        {META + "clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}},
        {META + "logLevel": "debug", "traceparent": "00-é", "progressToken": "p", "com.example/y": [1]},
        {META + "newer": {"a": 1}},
    ]
    for at, extra in enumerate(changes):
        params = {"name": "write", "arguments": {"n": at}}
        conversation.scene(
            f"who calls, {at}", asked(request(at, "tools/call", enveloped(params, **extra)), modern_done(at))
        )
    task = {"taskId": "t", "status": "working", "createdAt": "2026-07-28T00:00:00Z", "ttlMs": None}
    about = enveloped({"taskId": "t"})
    final = modern_done(0)["result"]
    conversation.scene(
        "a call that becomes a task",
        asked(modern_call(20), result(20, {"resultType": "task", **task})),
        asked(
            request(21, "tasks/get", about), result(21, {"resultType": "complete", **task, "status": "input_required"})
        ),
        asked(request(22, "tasks/update", enveloped({"taskId": "t", "inputResponses": {}})), result(22, {})),
        server(notification("notifications/tasks", {**task, "status": "completed", "result": final})),
        asked(request(23, "tasks/get", about), result(23, {**task, "status": "completed", "result": final})),
    )
    conversation.scene(
        "errors of the era",
        asked(modern_call(30), error(30, -32021, "missing", data={"requiredCapabilities": {"sampling": {}}})),
        asked(request(31, "tools/list", {}), error(31, -32602, "no _meta")),
        asked(
            request(32, "x/y", enveloped({})), error(32, -32022, "no", data={"supported": [MODERN], "requested": "x"})
        ),
        asked(request(33, "initialize", {"protocolVersion": "2025-06-18"}), error(33, -32022, "too late")),
    )
    kept = {"resultType": "complete", "ttlMs": 1500.0, "cacheScope": "public", "tools": [{"name": "a", "zz": 1}]}
    conversation.scene("a list that may be kept", asked(request(40, "tools/list", enveloped({})), result(40, kept)))
    return conversation


def probing() -> Conversation:
    """A client of both eras finds a server of the older one."""
    conversation = Conversation("probing", "2025-11-25", in_short=True)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    said = {"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "old", "version": "0"}}
    probe = request("server-discover-probe-1", "server/discover", enveloped({}))
    ask = client(request(1, "initialize", hello))
    conversation.scene(
        "discover, then a handshake",
        asked(probe, error("server-discover-probe-1", -32601, "Method not found")),
        ask,
        server(result(1, said), to=ask, but="instructions"),
        client(notification("notifications/initialized")),
        asked(call(2), done(2)),
    )
    return conversation


def undecided() -> Conversation:
    """A client of the modern era that does not discover."""
    conversation = Conversation("no opening at all", MODERN)
    conversation.scene("a call comes first", asked(modern_call(0), modern_done(0)))
    conversation.scene("and another", asked(modern_call(1), modern_done(1)))
    return conversation
