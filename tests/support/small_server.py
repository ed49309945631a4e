"""A small MCP server over stdio of the kind that cannot be started a second time. Standard library only.

small_server.py memory              items live and die with the process
small_server.py secret FILE         items are in a file, and nothing starts without the right SMALL_SERVER_KEY
small_server.py locked FILE         items are in an SQLite database that the process keeps locked for as long as it lives
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

JSON = dict[str, Any]
KEY = "SMALL_SERVER_KEY"
LAST_WORDS = "good bye"
"""Whoever names an item so gets no answer: it is named so, and the server ends."""


class FileItems(dict[str, Any]):
    """Items that are written to a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(json.loads(path.read_bytes()) if path.exists() else {})
        self.path = path

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.path.write_text(json.dumps(self), encoding="utf-8")


class LockedItems(dict[str, Any]):
    """Items in a database that nobody else can open meanwhile."""

    def __init__(self, path: Path) -> None:
        self.database = sqlite3.connect(path, timeout=0, isolation_level=None)
        self.database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.database.execute("BEGIN EXCLUSIVE")
        self.database.execute("CREATE TABLE IF NOT EXISTS items (name TEXT PRIMARY KEY, value TEXT)")
        self.database.execute("COMMIT")  # the lock stays, as that mode wants it
        super().__init__((name, json.loads(value)) for name, value in self.database.execute("SELECT * FROM items"))

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.database.execute("INSERT OR REPLACE INTO items VALUES (?, ?)", (name, json.dumps(value)))


def open_items(kind: str, path: Path | None) -> MutableMapping[str, Any]:
    if kind == "memory" or path is None:
        return {}
    if kind == "secret":
        if os.environ.get(KEY) != "open sesame":
            sys.exit(f"{KEY} is missing or wrong")
        return FileItems(path)
    try:
        return LockedItems(path)
    except sqlite3.OperationalError as error:
        sys.exit(f"cannot open {path}: {error}")


def with_one(items: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """One item is there from the start."""
    if "c1" not in items:
        items["c1"] = {"name": "A"}
    return items


def call(items: MutableMapping[str, Any], tool: str, arguments: JSON) -> JSON:
    name = arguments["id"]
    if tool == "set_item":
        items[name] = {**items.get(name, {}), **{key: value for key, value in arguments.items() if key != "id"}}
    if arguments.get("name") == LAST_WORDS:
        os._exit(9)
    if name not in items:
        return {"content": [{"type": "text", "text": f"item {name} not found"}], "isError": True}
    found = {"id": name, **items[name]}
    return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}


def serve(items: MutableMapping[str, Any]) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    tools = [{"name": name, "inputSchema": schema} for name in ("get_item", "set_item")]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        match message["method"]:
            case "initialize":
                version = message["params"]["protocolVersion"]
                info = {"name": "small", "version": "1.0"}
                result: JSON = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                result = {"tools": tools}
            case _:
                result = call(items, message["params"]["name"], message["params"]["arguments"])
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    serve(with_one(open_items(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None)))
