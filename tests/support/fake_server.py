"""F: a small MCP server over stdio that tests start, and that misbehaves on request. Standard library only.

    fake_server.py --state FILE [--calls FILE] [--files DIR] [--behave JSON] [--script FILE]

The store is a JSON file that is read before and written after every call, so a test can look at it, or change it as a
person would. Every call that is executed is appended to the calls file. Numbers keep their spelling: nothing that goes
through here may be blamed for a moved digit.

How it behaves is one JSON object: `--behave` for good, and over it `--script`, which is read anew before every message, so
that a test can change it on the way. BEHAVIOUR lists the keys.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

JSON = dict[str, Any]

BEHAVIOUR: JSON = {
    "era": "legacy",  # legacy | both (the first request decides, for good) | modern
    "version": None,  # the protocol version to answer `initialize` with, whatever was asked for
    "instructions": None,
    "capabilities": {"tools": {}},
    "answers": {},  # method -> result, for methods that it would not know
    "opens_after": None,  # a file: `initialize` and `server/discover` are answered once it is there
    "lists_after": None,  # ... `tools/list`
    "structured": "both",  # both | only (no text) | none (no structuredContent)
    "upsert": False,  # set_item creates what is not there
    "drifting": False,  # get_item answers fetched_at, views and etag that differ every time, and shuffled labels
    "concurrent": False,  # calls run side by side; else one after the other
    "delay_ms": 0,  # for every call, before it is executed
    "rules": [],  # what to do with certain calls; see RULE
    "extra_tools": [],  # tool descriptors to offer besides, word for word; called, they answer their arguments
    "page_size": None,  # tools/list in pages
    "page_loop": False,  # ... whose cursor never moves
    "page_null": False,  # ... and whose last page says nextCursor: null
    "page_repeat": None,  # ... with this tool on every page
    "noise": [],  # lines printed before every answer; true: NOISE
    "noise_bytes": 0,  # ... and repeated up to this size before the first one
    "stderr_first": 0,  # bytes written to stderr before anything is read
    "stderr_each": 0,  # bytes without a line end, written to stderr at each call
    "dump_environment": False,  # to stderr, and exit 3
    "universal_lines": False,  # a carriage return ends a line too, as to every server on the Python SDK; noise is skipped
    "keep_input": None,  # a file to which every line that comes is appended, as it came
    "ignore_eof": False,
    "ignore_term": False,
}

RULE: JSON = {
    "tool": None,  # the tool's name; all tools without it
    "where": {},  # only calls with these arguments
    "skip": 0,  # let this many such calls pass first
    "times": None,  # then apply to this many; to all without it
    "delay_ms": 0,
    "ask": None,  # {id, method, params}: a request to the client, whose answer is awaited and noted in the calls file
    "pause_before": None,  # a file: PATH.reached is made, then nothing happens until PATH exists; the call is not executed yet
    "pause_after": None,  # ... the call is executed, and not answered yet
    "die": None,  # before | after the call is executed
    "last_words": None,  # ... with this on stderr
    "error": None,  # answer isError with this text; not executed
    "rpc_error": None,  # answer this JSON-RPC error; not executed
    "error_after": None,  # answer isError with this text, although it was executed
    "result": None,  # executed, and answered with this result, word for word
    "text": None,  # ... with this text
    "text_chars": None,  # ... with a text of this many characters
    "silent": False,  # executed, never answered
}

NOISE = [
    "Server v1 ready on stdio",
    "{not json",
    "[1, 2",
    "",
    "42",
    '"text"',
    "\r 10%\r 50%\r100%",
    '{"level":"info","msg":"up"}',
]

VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
SERVER_INFO = {"name": "fake", "version": "1.0"}

ID = {"id": {"type": "string"}}
#: name -> (properties, required, is it only a read?)
TOOLS: dict[str, tuple[JSON, list[str], bool]] = {
    "get_item": (ID, ["id"], True),
    "set_item": (ID, ["id"], False),
    "del_item": (ID, ["id"], False),
    "create_item": ({}, [], False),
    "restore_item": (ID, ["id"], False),
    "send_note": ({"to": {"type": "string"}, "text": {"type": "string"}}, ["to", "text"], False),
    "read": ({"path": {"type": "string"}}, ["path"], True),
    "write": ({"path": {"type": "string"}, "content": {"type": "string"}}, ["path", "content"], False),
    "remove": ({"path": {"type": "string"}}, ["path"], False),
}


class Number(str):
    """A number as it was spelled."""

    __slots__ = ()


class Refusal(Exception):
    """The tool's own no: an isError answer."""


def decode(text: str | bytes) -> Any:
    return json.loads(text, parse_int=Number, parse_float=Number)


def encode(value: Any) -> str:
    match value:
        case Number():
            return str(value)
        case dict():
            return "{" + ",".join(f"{json.dumps(str(k))}:{encode(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ",".join(map(encode, value)) + "]"
        case _:
            return str(json.dumps(value))


class Store:
    """The items, the notes that were sent, and a folder of text files. One method a tool."""

    def __init__(self, state: Path, files: Path, behaviour: Callable[[], JSON], calls_made: Callable[[], int]) -> None:
        self.state, self.files, self.behaviour, self.calls_made = state, files, behaviour, calls_made

    def call(self, tool: str, args: JSON) -> Any:
        missing = [name for name in TOOLS[tool][1] if name not in args]
        if missing:
            raise Refusal(f"missing argument: {', '.join(missing)}")
        data = decode(self.state.read_bytes()) if self.state.exists() else {}
        self.items: JSON = data.setdefault("items", {})
        self.notes: list[JSON] = data.setdefault("notes", [])
        before = encode(data)
        answer = getattr(self, tool)(args)
        if encode(data) != before:
            data["items"] = {name: self.items[name] for name in sorted(self.items)}
            write_atomically(self.state, encode(data) + "\n")
        return answer

    def get_item(self, args: JSON) -> Any:
        record = self.find(args)
        if not self.behaviour()["drifting"]:
            return {"id": args["id"], **record}
        labels = list(record.get("labels", ["a", "b", "c"]))
        random.shuffle(labels)
        moving = {"fetched_at": time.time_ns(), "views": self.calls_made(), "etag": f"{random.getrandbits(64):x}"}
        return {"id": args["id"], **record, "labels": labels, **moving}

    def set_item(self, args: JSON) -> Any:
        if self.behaviour()["upsert"]:
            self.items.setdefault(args["id"], {})
        self.find(args).update(fields(args))
        return {"id": args["id"], **self.items[args["id"]]}

    def del_item(self, args: JSON) -> Any:
        self.find(args)
        del self.items[args["id"]]
        return {"deleted": args["id"]}

    def create_item(self, args: JSON) -> Any:
        number = 1
        while f"n{number}" in self.items:
            number += 1
        self.items[f"n{number}"] = fields(args)
        return {"id": f"n{number}", **fields(args)}

    def restore_item(self, args: JSON) -> Any:
        self.items[args["id"]] = fields(args)
        return {"id": args["id"], **fields(args)}

    def send_note(self, args: JSON) -> Any:
        self.notes.append(args)
        return {"sent": len(self.notes)}

    def read(self, args: JSON) -> str:
        path: Path = self.files / args["path"]
        try:
            return path.read_bytes().decode("utf-8", "replace")
        except OSError:
            raise Refusal(f"ENOENT: no such file, open '{args['path']}'") from None

    def write(self, args: JSON) -> str:
        (self.files / args["path"]).write_bytes(args["content"].encode())
        return f"wrote {args['path']}"

    def remove(self, args: JSON) -> str:
        try:
            (self.files / args["path"]).unlink()
        except OSError:
            raise Refusal(f"ENOENT: no such file, unlink '{args['path']}'") from None
        return f"removed {args['path']}"

    def find(self, args: JSON) -> JSON:
        if args["id"] not in self.items:
            raise Refusal(f"item {args['id']} not found")
        record: JSON = self.items[args["id"]]
        return record


def fields(args: JSON) -> JSON:
    return {name: value for name, value in args.items() if name != "id"}


def write_atomically(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


class Server:
    """The conversation: one thread reads, one (or one per call, `concurrent`) executes."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.fixed: JSON = {**BEHAVIOUR, **decode(options.behave)}
        self.script: Path | None = options.script
        self.calls_file: Path | None = options.calls
        self.store = Store(options.state, options.files, self.behaviour, self.calls_made)
        self.era: str | None = None if self.behaviour()["era"] == "both" else self.behaviour()["era"]
        self.handshake = 0  # 1: initialize was answered; 2: the client said that it is ready
        self.seen: dict[str, int] = {}  # how often each rule matched
        self.replies: dict[str, queue.SimpleQueue[JSON]] = {}
        self.work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.out, self.executing = threading.Lock(), threading.Lock()
        self.answered = False

    def behaviour(self) -> JSON:
        if self.script is not None and self.script.exists():
            return {**self.fixed, **decode(self.script.read_bytes())}
        return self.fixed

    def calls_made(self) -> int:
        return len(self.calls_file.read_bytes().splitlines()) if self.calls_file and self.calls_file.exists() else 0

    def note_call(self, entry: JSON) -> None:
        if self.calls_file is not None:
            with self.calls_file.open("a", encoding="utf-8") as file:
                file.write(encode(entry) + "\n")

    # Reading

    def serve(self) -> None:
        behaviour = self.behaviour()
        if behaviour["ignore_term"]:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        complain(int(behaviour["stderr_first"]), line_end="\n")
        if behaviour["dump_environment"]:
            print(dict(os.environ), file=sys.stderr, flush=True)
            sys.exit(3)
        threading.Thread(target=self.execute_in_turn, daemon=True).start()
        for line in lines_of(sys.stdin.buffer, universal=behaviour["universal_lines"]):
            if behaviour["keep_input"] is not None:
                with Path(behaviour["keep_input"]).open("ab") as file:
                    file.write(line)
            message = decode(line)
            if "method" not in message:
                self.replies[encode(message["id"])].put(message)
            elif "id" in message:
                self.request(message["id"], message["method"], message.get("params") or {})
            elif message["method"] == "notifications/initialized":
                self.handshake = 2
        while behaviour["ignore_eof"]:
            signal.pause()
        os._exit(0)  # as many servers do: answers that are still being made are lost

    def execute_in_turn(self) -> None:
        while True:
            self.work.get()()

    def request(self, ident: Any, method: str, params: JSON) -> None:
        behaviour = self.behaviour()
        if method in ("initialize", "server/discover"):
            pause(behaviour["opens_after"])
        if self.era is None:
            self.era = "modern" if META + "protocolVersion" in params.get("_meta", {}) else "legacy"
        if self.era == "modern":
            meta = params.get("_meta", {})
            if method == "initialize" or meta.get(META + "protocolVersion") not in (None, MODERN):
                data = {"supported": [MODERN], "requested": meta.get(META + "protocolVersion")}
                return self.fail(ident, -32022, "Unsupported protocol version", data)
            if META + "protocolVersion" not in meta or META + "clientCapabilities" not in meta:
                return self.fail(ident, -32602, "the _meta envelope is incomplete")
            if method == "server/discover":
                return self.reply(ident, self.introduction(behaviour) | {"supportedVersions": [MODERN]} | CACHED)
        elif method == "initialize":
            self.handshake = 1
            asked = params.get("protocolVersion")
            version = behaviour["version"] or (asked if asked in VERSIONS else VERSIONS[-1])
            introduction = self.introduction(behaviour) | {"protocolVersion": version, "serverInfo": SERVER_INFO}
            return self.reply(ident, introduction)
        elif method.startswith("tools/") and self.handshake < 2:
            return self.fail(ident, -32602, "received a request before initialization was complete")
        if method == "tools/list":
            pause(behaviour["lists_after"])
            return self.reply(ident, list_tools(behaviour, params.get("cursor")))
        if method == "tools/call":
            return self.dispatch(ident, params.get("name"), params.get("arguments") or {}, behaviour)
        if method in behaviour["answers"]:
            return self.reply(ident, behaviour["answers"][method])
        if method == "ping" and self.era == "legacy":
            return self.reply(ident, {})
        return self.fail(ident, -32601, f"method not found: {method}")

    def introduction(self, behaviour: JSON) -> JSON:
        told = {"capabilities": behaviour["capabilities"], "instructions": behaviour["instructions"]}
        return {key: value for key, value in told.items() if value is not None}

    # One call

    def dispatch(self, ident: Any, tool: Any, args: JSON, behaviour: JSON) -> None:
        if tool not in TOOLS and tool not in [extra["name"] for extra in behaviour["extra_tools"]]:
            return self.fail(ident, -32602, f"Unknown tool: {tool}")
        rule = self.rule_for(tool, args, behaviour)

        def work() -> None:
            self.call(ident, tool, args, rule, behaviour)

        if behaviour["concurrent"]:
            threading.Thread(target=work, daemon=True).start()
        else:
            self.work.put(work)
        return None

    def rule_for(self, tool: str, args: JSON, behaviour: JSON) -> JSON:
        for partial in behaviour["rules"]:
            rule = {**RULE, **partial}
            if rule["tool"] not in (None, tool) or any(args.get(key) != value for key, value in rule["where"].items()):
                continue
            key = encode(partial)
            self.seen[key] = seen = self.seen.get(key, 0) + 1
            first = int(rule["skip"]) + 1
            if seen >= first and (rule["times"] is None or seen < first + int(rule["times"])):
                return rule
        return RULE

    def call(self, ident: Any, tool: str, args: JSON, rule: JSON, behaviour: JSON) -> None:
        complain(int(behaviour["stderr_each"]), line_end="")
        time.sleep((int(behaviour["delay_ms"]) + int(rule["delay_ms"])) / 1000)
        if rule["ask"] is not None:
            self.note_call({"tool": tool, "asked": self.ask(rule["ask"])})
        pause(rule["pause_before"])
        if rule["die"] == "before":
            die(rule["last_words"])
        if rule["error"] is not None:
            return self.reply(ident, refusal(rule["error"]))
        if rule["rpc_error"] is not None:
            return self.fail(ident, rule["rpc_error"]["code"], rule["rpc_error"]["message"])
        with self.executing:
            self.note_call({"tool": tool, "arguments": args})
            result = self.execute(tool, args, behaviour)
        if rule["die"] == "after":
            die(rule["last_words"])
        pause(rule["pause_after"])
        if not rule["silent"]:
            self.reply(ident, disguised(result, rule))
        return None

    def execute(self, tool: str, args: JSON, behaviour: JSON) -> JSON:
        try:
            value = self.store.call(tool, args) if tool in TOOLS else args
        except Refusal as refused:
            return refusal(str(refused))
        if isinstance(value, str):
            return {"content": [{"type": "text", "text": value}]}
        result: JSON = {"content": [{"type": "text", "text": encode(value)}], "structuredContent": value}
        if behaviour["structured"] == "only":
            result["content"] = []
        if behaviour["structured"] == "none":
            del result["structuredContent"]
        return result

    def ask(self, request: JSON) -> JSON:
        answers = self.replies[encode(request["id"])] = queue.SimpleQueue()
        self.write({"jsonrpc": "2.0", **request})
        return answers.get()

    # Writing

    def reply(self, ident: Any, result: JSON) -> None:
        if self.era == "modern":
            result = {"resultType": "complete", **result}
            result["_meta"] = {META + "serverInfo": SERVER_INFO, **result.get("_meta", {})}
        self.make_noise()
        self.write({"jsonrpc": "2.0", "id": ident, "result": result})

    def fail(self, ident: Any, code: Any, message: str, data: JSON | None = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.make_noise()
        self.write({"jsonrpc": "2.0", "id": ident, "error": error})

    def make_noise(self) -> None:
        behaviour = self.behaviour()
        lines = NOISE if behaviour["noise"] is True else behaviour["noise"]
        text = "".join(line + "\n" for line in lines)
        if not self.answered and behaviour["noise_bytes"]:
            text *= int(behaviour["noise_bytes"]) // len(text) + 1
        self.answered = True
        self.write_bytes(text.encode())

    def write(self, message: JSON) -> None:
        self.write_bytes(encode(message).encode() + b"\n")

    def write_bytes(self, data: bytes) -> None:
        with self.out:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def lines_of(stream: BinaryIO, *, universal: bool) -> Iterator[bytes]:
    if not universal:
        yield from stream
        return
    for line in io.TextIOWrapper(stream, encoding="utf-8"):
        with suppress(ValueError):
            json.loads(line)
            yield line.encode()


CACHED = {"ttlMs": 0, "cacheScope": "private"}


def list_tools(behaviour: JSON, cursor: str | None) -> JSON:
    tools = [describe(name) for name in TOOLS] + behaviour["extra_tools"]
    cached = {} if behaviour["era"] == "legacy" else CACHED
    if behaviour["page_size"] is None:
        return {"tools": tools} | cached
    start, size = int(cursor or 0), int(behaviour["page_size"])
    page = {"tools": tools[start : start + size]}
    if behaviour["page_repeat"] and start:
        page["tools"].append(describe(behaviour["page_repeat"]))
    if behaviour["page_loop"]:
        return page | cached | {"nextCursor": str(size)}
    if start + size < len(tools):
        return page | cached | {"nextCursor": str(start + size)}
    return page | cached | ({"nextCursor": None} if behaviour["page_null"] else {})


def describe(name: str) -> JSON:
    properties, required, read_only = TOOLS[name]
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": read_only}}


def refusal(text: str) -> JSON:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def disguised(result: JSON, rule: JSON) -> JSON:
    """What is answered in place of the true result."""
    if rule["error_after"] is not None:
        return refusal(rule["error_after"])
    if rule["result"] is not None:
        replaced: JSON = rule["result"]
        return replaced
    if rule["text_chars"] is not None:
        return {"content": [{"type": "text", "text": "x" * int(rule["text_chars"])}]}
    if rule["text"] is not None:
        return {"content": [{"type": "text", "text": rule["text"]}]}
    return result


def pause(until: str | None) -> None:
    if until is None:
        return
    Path(until + ".reached").touch()
    while not Path(until).exists():
        time.sleep(0.005)


def die(last_words: str | None) -> None:
    os.write(2, (last_words or "").encode())
    os._exit(9)


def complain(count: int, *, line_end: str) -> None:
    """Write this many bytes to stderr."""
    while count > 0:
        text = "the server has much to say about nothing at all"[: count - len(line_end)] + line_end
        os.write(2, text.encode())
        count -= len(text)


def main() -> None:
    parser = argparse.ArgumentParser(description="A fake MCP server over stdio, for tests.")
    parser.add_argument("--state", type=Path, required=True, help="the file that keeps the items")
    parser.add_argument("--calls", type=Path, help="the file to which every executed call is appended")
    parser.add_argument("--files", type=Path, default=Path(), help="the folder of read, write and remove")
    parser.add_argument("--behave", default="{}", help="how to behave, as JSON")
    parser.add_argument("--script", type=Path, help="a file that says how to behave, read before every message")
    Server(parser.parse_args()).serve()


if __name__ == "__main__":
    main()
