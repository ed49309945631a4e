"""A toy CRM as an MCP server over stdio: three customers and an outbox in one JSON file.

    python -m synartesis.demo.toy_crm --state crm.json

It is what `synartesis demo` damages and puts back, and an example of a server whose every write can be undone: it can
read what it writes, put back what it deletes, and its updates are patches. Standard library only (docs/decisions/0002). It
knows nothing of Synartesis.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

JSON = dict[str, Any]

FIRST_CUSTOMERS: dict[str, JSON] = {
    "c_001": {"name": "Ada Lovelace", "email": "ada@example.com", "plan": "pro", "notes": "Prefers letters."},
    "c_002": {"name": "Grace Hopper", "email": "grace@example.com", "plan": "enterprise", "notes": "Renews in May."},
    "c_003": {"name": "Alan Turing", "email": "alan@example.com", "plan": "free", "notes": ""},
}


class Refused(Exception):
    """The CRM's own no. The agent reads it as the result of its call."""


class Crm:
    """The customers and the outbox. The file is read before and written after every change, so an edit by hand counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            self.save({"customers": FIRST_CUSTOMERS, "outbox": []})

    def get_customer(self, id: str) -> JSON:
        """Read one customer."""
        return {"id": id, **find(self.load(), id)}

    def list_customers(self) -> JSON:
        """Read all customers."""
        return {"customers": [{"id": id, **customer} for id, customer in self.load()["customers"].items()]}

    def create_customer(self, name: str, email: str, plan: str = "free", notes: str = "") -> JSON:
        """Add a customer. The CRM picks the id."""
        data = self.load()
        # Counted from who is there and not kept: a creation that is undone leaves no trace in the file.
        number = 1 + max((int(known[2:]) for known in data["customers"] if known[2:].isdigit()), default=0)
        data["customers"][f"c_{number:03}"] = customer = {"name": name, "email": email, "plan": plan, "notes": notes}
        self.save(data)
        return {"id": f"c_{number:03}", **customer}

    def update_customer(self, id: str, **changes: str) -> JSON:
        """Change the fields that are given and leave the others."""
        data = self.load()
        customer = find(data, id)
        customer.update(changes)
        self.save(data)
        return {"id": id, **customer}

    def delete_customer(self, id: str) -> JSON:
        """Remove a customer."""
        data = self.load()
        find(data, id)
        del data["customers"][id]
        self.save(data)
        return {"id": id, "deleted": True}

    def restore_customer(self, id: str, **customer: str) -> JSON:
        """Put a removed customer back under the old id."""
        data = self.load()
        if id in data["customers"]:
            raise Refused(f"there is a customer {id} already")
        data["customers"][id] = customer
        self.save(data)
        return {"id": id, **customer}

    def send_email(self, to: str, subject: str, body: str) -> JSON:
        """Send an e-mail. It cannot be called back."""
        data = self.load()
        data["outbox"].append({"to": to, "subject": subject, "body": body})
        self.save(data)
        return {"sent": True, "number": len(data["outbox"])}

    def load(self) -> JSON:
        data: JSON = json.loads(self.path.read_bytes())
        return data

    def save(self, data: JSON) -> None:
        """One spelling for one content, and never half a file: equal states are equal bytes."""
        new = self.path.with_name(self.path.name + ".new")
        new.write_text(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(new, self.path)


def find(data: JSON, customer: str) -> JSON:
    try:
        found: JSON = data["customers"][customer]
    except KeyError:
        raise Refused(f"no customer {customer}") from None
    return found


# --- The tools: what is offered, and with which arguments -------------------------------------------------------------

TEXT: JSON = {"type": "string"}
ID = {"id": TEXT}
CUSTOMER = {
    "name": TEXT,
    "email": TEXT,
    "plan": {"type": "string", "enum": ["free", "pro", "enterprise"]},
    "notes": TEXT,
}
EMAIL = {"to": TEXT, "subject": TEXT, "body": TEXT}


class Tool(NamedTuple):
    run: Callable[..., JSON]
    properties: JSON
    required: list[str]
    reads_only: bool = False


TOOLS: dict[str, Tool] = {
    "get_customer": Tool(Crm.get_customer, ID, ["id"], reads_only=True),
    "list_customers": Tool(Crm.list_customers, {}, [], reads_only=True),
    "create_customer": Tool(Crm.create_customer, CUSTOMER, ["name", "email"]),
    "update_customer": Tool(Crm.update_customer, ID | CUSTOMER, ["id"]),
    "delete_customer": Tool(Crm.delete_customer, ID, ["id"]),
    "restore_customer": Tool(Crm.restore_customer, ID | CUSTOMER, ["id", *CUSTOMER]),
    "send_email": Tool(Crm.send_email, EMAIL, list(EMAIL)),
}


def describe(name: str, tool: Tool) -> JSON:
    """One tool as `tools/list` gives it."""
    schema = {"type": "object", "properties": tool.properties, "required": tool.required, "additionalProperties": False}
    return {
        "name": name,
        "description": tool.run.__doc__,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": tool.reads_only},
    }


def call_tool(crm: Crm, tool: Tool, arguments: JSON) -> JSON:
    try:
        check(arguments, tool)
        value = tool.run(crm, **arguments)
    except Refused as no:
        return {"content": [{"type": "text", "text": str(no)}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def check(arguments: JSON, tool: Tool) -> None:
    """Raises Refused where the arguments do not fit the tool's schema."""
    for name in tool.required:
        if name not in arguments:
            raise Refused(f"{name} is missing")
    for name, value in arguments.items():
        if name not in tool.properties:
            raise Refused(f"{name} is not known here")
        if not isinstance(value, str):
            raise Refused(f"{name} must be text")
        choice = tool.properties[name].get("enum", [value])
        if value not in choice:
            raise Refused(f"{name} must be one of {', '.join(choice)}")


# --- The protocol, in both of its eras --------------------------------------------------------------------------------
# Until 2025-11-25 a connection is opened by `initialize`; since 2026-07-28 every request says for itself what it speaks.

HANDSHAKE_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN_VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"

ABOUT: JSON = {
    "capabilities": {"tools": {}},
    "instructions": "A small CRM. Ids look like c_001. E-mails are really sent, as far as a toy can.",
}
SERVER_INFO = {"name": "toy-crm", "version": "1.0"}
#: The tools never change, so whoever reads the list may keep it.
CACHEABLE = {"ttlMs": 3_600_000, "cacheScope": "public"}

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, UNSUPPORTED_VERSION = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32022,
)


class ProtocolError(Exception):
    """The request cannot be served; answered as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: JSON | None = None) -> None:
        super().__init__(message)
        self.error: JSON = {"code": code, "message": message} | ({} if data is None else {"data": data})


def serve(crm: Crm) -> None:
    for line in sys.stdin.buffer:
        reply = answer(crm, line)
        if reply is not None:
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


def answer(crm: Crm, line: bytes) -> JSON | None:
    """The reply to one line; None where it asks for none."""
    request_id = None
    try:
        request = parse(line)
        if "id" not in request:
            return None  # a notification: nothing here depends on one
        request_id = request["id"]
        params = request["params"]
        era = modern if META + "protocolVersion" in params["_meta"] else handshake
        result = era(crm, request["method"], params)
    except ProtocolError as problem:
        return {"jsonrpc": "2.0", "id": request_id, "error": problem.error}
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def parse(line: bytes) -> JSON:
    try:
        request = json.loads(line)
    except ValueError:
        raise ProtocolError(PARSE_ERROR, "not JSON") from None
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, "not a request")
    params = request.setdefault("params", {})
    if not (isinstance(params, dict) and isinstance(params.setdefault("_meta", {}), dict)):
        raise ProtocolError(INVALID_PARAMS, "params and _meta must be objects")
    return request


def handshake(crm: Crm, method: str, params: JSON) -> JSON:
    """A request of the four revisions until 2025-11-25."""
    if method == "initialize":
        asked = params.get("protocolVersion")
        version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        return {"protocolVersion": version, "serverInfo": SERVER_INFO, **ABOUT}
    if method == "ping":
        return {}
    return common(crm, method, params)


def modern(crm: Crm, method: str, params: JSON) -> JSON:
    """A request of 2026-07-28, which brings its own envelope."""
    version = params["_meta"][META + "protocolVersion"]
    if version != MODERN_VERSION:
        versions = {"supported": [MODERN_VERSION], "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "unsupported protocol version", versions)
    if META + "clientCapabilities" not in params["_meta"]:
        raise ProtocolError(INVALID_PARAMS, f"_meta needs {META}clientCapabilities")
    if method == "server/discover":
        result = {"supportedVersions": [MODERN_VERSION], **ABOUT, **CACHEABLE}
    else:
        result = common(crm, method, params)
        if method == "tools/list":
            result |= CACHEABLE
    return {"resultType": "complete", **result, "_meta": {META + "serverInfo": SERVER_INFO}}


def common(crm: Crm, method: str, params: JSON) -> JSON:
    if method == "tools/list":
        return {"tools": [describe(name, tool) for name, tool in TOOLS.items()]}
    if method == "tools/call":
        tool = TOOLS.get(str(params.get("name")))
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {params.get('name')}")
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        return call_tool(crm, tool, arguments)
    raise ProtocolError(METHOD_NOT_FOUND, f"no method {method}")


def main() -> None:
    parser = argparse.ArgumentParser(description="A toy CRM: an MCP server over stdio.")
    parser.add_argument(
        "--state", type=Path, required=True, help="the JSON file that is the CRM; made if it is not there"
    )
    serve(Crm(parser.parse_args().state))


if __name__ == "__main__":
    main()
