"""What several servers say of themselves, as one: versions, abilities, instructions. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from synartesis.domain.canonical import Json, NotJson, decode_json, encode_json
from synartesis.wire.messages import Slice, join_members, members

OLDEST_VERSION: Final = "2024-11-05"
MAX_INSTRUCTIONS: Final = 4000
"""Characters of each server's own instructions that are passed on: they are read by a model, all together."""

_ABILITIES: Final = ("tools", "prompts", "resources", "logging", "completions", "experimental")
"""What is routed between several servers. Others (tasks, extensions) are not announced, because they would not work."""

_LISTED: Final = ("tools", "prompts", "resources")


def usable_version(version: Json) -> bool:
    return isinstance(version, str) and version >= OLDEST_VERSION


def introduction(
    said: Mapping[str, dict[str, Json]], abilities: dict[str, Json], params: Slice, instructions: str, version: str
) -> bytes:
    """The result of `initialize`, from those of the servers by name. The version is the oldest that one of them speaks: what
    the newer ones add to it, clients have to ignore."""
    oldest = min(str(answer["protocolVersion"]) for answer in said.values())
    asked = _asked_version(params)
    result = {
        "protocolVersion": asked if asked and oldest > asked else oldest,
        "capabilities": abilities,
        "serverInfo": {"name": "synartesis", "version": version},
        "instructions": merged_instructions(
            {name: answer.get("instructions") for name, answer in said.items()}, instructions
        ),
    }
    return encode_json(result)


def merged_abilities(announced: Iterable[Json]) -> dict[str, Json]:
    """The union of what is really served."""
    merged: dict[str, Json] = {}
    for abilities in announced:
        if isinstance(abilities, dict):
            known = {name: value for name, value in abilities.items() if name in _ABILITIES}
            merged = _union(merged, known)
    return merged


def growing(abilities: dict[str, Json]) -> dict[str, Json]:
    """The same where more servers are to join: their tools will, and so will what else is listed already."""
    lists = {"tools": {}} | {name: abilities[name] for name in _LISTED if name in abilities}
    longer = {
        name: {**(value if isinstance(value, dict) else {}), "listChanged": True} for name, value in lists.items()
    }
    return {**abilities, **longer}


def merged_instructions(theirs: Mapping[str, Json], ours: str) -> str:
    parts = [
        f"[{name}] {text[:MAX_INSTRUCTIONS]}" for name, text in theirs.items() if isinstance(text, str) and text.strip()
    ]
    return "\n\n".join([*parts, ours])


def merged_discovery(results: list[dict[str, Slice]], instructions: str, version: str) -> bytes:
    """The result of `server/discover`, from those of servers that all speak the modern era."""
    values = [{name: _value(text) for name, text in result.items()} for result in results]
    first = dict(results[0])
    shared = [
        one
        for one in values[0].get("supportedVersions") or []
        if all(one in (v.get("supportedVersions") or []) for v in values)
    ]
    first["supportedVersions"] = encode_json(shared)
    first["capabilities"] = encode_json(merged_abilities(value.get("capabilities") for value in values))
    theirs = {str(at): value.get("instructions") for at, value in enumerate(values, 1)}
    first["instructions"] = encode_json(merged_instructions(theirs, instructions))
    info = encode_json({"name": "synartesis", "version": version})
    if "serverInfo" in first:
        first["serverInfo"] = info
    meta = members(first["_meta"]) if "_meta" in first else None
    if meta is not None:
        first["_meta"] = join_members({**meta, "io.modelcontextprotocol/serverInfo": info})
    return join_members(first)


def _union(a: Json, b: Json) -> Json:
    if isinstance(a, dict) and isinstance(b, dict):
        return {
            name: _union(a[name], b[name]) if name in a and name in b else a.get(name, b.get(name))
            for name in {**a, **b}
        }
    return a or b


def _asked_version(params: Slice) -> str | None:
    version = _value((members(params) or {}).get("protocolVersion", b"null"))
    return version if isinstance(version, str) and usable_version(version) else None


def _value(text: Slice) -> Json:
    try:
        return decode_json(bytes(text))
    except NotJson:
        return None
