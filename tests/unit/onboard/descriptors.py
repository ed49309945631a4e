"""Tools as servers describe them."""

from __future__ import annotations

from typing import Any


def tool(name: str, *fields: str, reads: bool = False, required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A descriptor with these input fields."""
    schema: dict[str, Any] = {"type": "object", "properties": {field: {"type": "string"} for field in fields}}
    if required:
        schema["required"] = list(required)
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": reads}} | more


CRM = [
    tool("get_customer", "id", reads=True, required=("id",)),
    tool("update_customer", "id", "name", "plan", required=("id",)),
    tool("delete_customer", "id", required=("id",)),
    tool("send_email", "to", "body", required=("to", "body")),
]
