"""Rows to records and back: the one place that knows which column is what. Knows no transactions and no files.

Several values that belong together (a read, an inverse) are packed into one payload: their lengths on a line, then the
bytes one after the other, so that every byte comes back as it was. JSON would have to be parsed and written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from synartesis.domain.records import (
    Action,
    Captured,
    Image,
    InverseCall,
    ProcessId,
    Read,
    Run,
)
from synartesis.domain.status import ActionStatus, Era, RunKind, ToolClass, Undone

Payload: TypeAlias = bytes | str | None
"""As stored: the bytes, or the digest under which `blobs` has them."""
PRUNED = ""
"""In the place of a payload: it was dropped."""
AS_PLANNED = 1
"""In the place of an inverse: the one that was known when the call was sent."""
Row: TypeAlias = Sequence[Any]


# --- packing


def pack(parts: Iterable[bytes]) -> bytes:
    """Any number of byte strings as one."""
    parts = list(parts)
    return b"%s\n%s" % (",".join([str(len(part)) for part in parts]).encode(), b"".join(parts))


def unpack(packed: bytes) -> list[bytes]:
    """What `pack` was given."""
    lengths, _, rest = packed.partition(b"\n")
    parts = []
    at = 0
    for length in lengths.split(b",") if lengths else ():
        end = at + int(length)
        parts.append(rest[at:end])
        at = end
    return parts


def text(part: bytes) -> str:
    return part.decode("utf-8", "surrogatepass")


def octets(part: str) -> bytes:
    return part.encode("utf-8", "surrogatepass")


def pack_pairs(pairs: Iterable[tuple[str, str]]) -> bytes:
    return pack(octets(part) for pair in pairs for part in pair)


def unpack_pairs(packed: bytes) -> tuple[tuple[str, str], ...]:
    parts = [text(part) for part in unpack(packed)]
    return tuple(zip(parts[::2], parts[1::2], strict=True))


def pack_read(read: Read | None) -> bytes | None:
    if read is None:
        return None
    return pack((octets(read.server), octets(read.tool), read.arguments, read.rules))


def unpack_read(packed: bytes | None) -> Read | None:
    if packed is None:
        return None
    server, tool, arguments, rules = unpack(packed)
    return Read(text(server), text(tool), arguments, rules)


def pack_inverse(calls: tuple[InverseCall, ...] | None) -> bytes | None:
    if calls is None:
        return None
    return pack(
        pack((octets(call.server), octets(call.tool), call.arguments, *map(octets, call.restores), *_pack_places(call)))
        for call in calls
    )


_CURRENT, _DEFAULT = b"$", b"?"
"""Before a pair of paths. No rendered path begins with either."""


def _pack_places(call: InverseCall) -> Iterator[bytes]:
    for mark, pairs in ((_CURRENT, call.current), (_DEFAULT, call.defaults)):
        for place, path in pairs:
            yield mark + pack((octets(place), octets(path)))


def _unpack_places(mark: bytes, packed: list[bytes]) -> tuple[tuple[str, str], ...]:
    pairs = (unpack(one[1:]) for one in packed if one.startswith(mark))
    return tuple((text(place), text(path)) for place, path in pairs)


def unpack_inverse(packed: bytes | None) -> tuple[InverseCall, ...] | None:
    if packed is None:
        return None
    calls = []
    for part in unpack(packed):
        server, tool, arguments, *paths = unpack(part)
        restores = tuple(text(path) for path in paths if not path.startswith((_CURRENT, _DEFAULT)))
        current, defaults = _unpack_places(_CURRENT, paths), _unpack_places(_DEFAULT, paths)
        calls.append(InverseCall(text(server), text(tool), arguments, restores, current, defaults))
    return tuple(calls)


# --- runs


RUN_COLUMNS = """
    r.id, r.kind, r.agent, r.manifest, r.manifest_digest, r.servers, p.pid, p.started, r.undoes, r.era, r.opening,
    r.started_at, r.ended_at,
    r.kind = 'undo' AND EXISTS (SELECT 1 FROM runs AS undone WHERE undone.id = r.undoes AND undone.kind = 'undo')
"""
RUN_TABLES = "runs AS r JOIN processes AS p ON p.number = r.process"


def run_from(row: Row) -> Run:
    """A row of RUN_COLUMNS; what stands after them is left alone."""
    id, kind, agent, manifest, digest, servers, pid, started, undoes, era, opening, started_at, ended_at, redoes = row[
        :14
    ]
    return Run(
        id=id,
        kind=RunKind(kind),
        agent=agent,
        manifest=manifest,
        manifest_digest=digest,
        servers=unpack_pairs(servers),
        process=ProcessId(pid, started),
        undoes=undoes,
        era=None if era is None else Era(era),
        opening=opening,
        started_at=started_at,
        ended_at=ended_at,
        redoes=bool(redoes),
    )


# --- actions


ACTION_COLUMNS = """
    a.id, r.id, CAST(a.seq AS INTEGER), s.name, s.identity, a.tool, a.arguments, a.tool_class, a.fingerprint, a.status,
    a.resource, a.read, a.before_state, a.before_why, a.before_is_error, a.before_answer,
    o.after_state, o.after_why, o.after_is_error, o.after_answer,
    o.reply, a.planned, o.inverse, u.id, a.undoes_step, g.id, a.undone, a.note, a.at,
    a.captured_read, a.captured_state, a.captured_why, a.captured_is_error, a.captured_answer
"""
ACTION_TABLES = """
    actions AS a JOIN runs AS r ON r.number = a.run JOIN servers AS s ON s.number = a.server
    LEFT JOIN outcomes AS o ON o.action = a.number
    LEFT JOIN actions AS u ON u.number = a.undoes LEFT JOIN actions AS g ON g.number = a.approval
"""


def action_from(row: Row, fetch: Callable[[Payload], bytes | None]) -> Action:
    """A row of ACTION_COLUMNS; `fetch` gets a payload from where it is kept."""
    status = ActionStatus(row[9])
    return Action(
        id=row[0],
        run=row[1],
        seq=row[2],
        server=row[3],
        identity=row[4],
        tool=row[5],
        arguments=fetch(row[6]) or b"",
        tool_class=ToolClass(row[7]),
        fingerprint=row[8],
        status=status,
        resource=row[10],
        read=unpack_read(fetch(row[11])),
        before=image_from(row[12:16], fetch),
        after=image_from(row[16:20], fetch),
        reply=fetch(row[20]),
        inverse=unpack_inverse(
            fetch(row[21] if status is not ActionStatus.APPLIED or row[22] == AS_PLANNED else row[22])
        ),
        undoes=row[23],
        undoes_step=row[24],
        approval=row[25],
        undone=None if row[26] is None else Undone(row[26]),
        note=row[27],
        at=row[28],
        captured=_captured_from(row[29:34], fetch),
        pruned=row[6] == PRUNED,
    )


def _captured_from(row: Row, fetch: Callable[[Payload], bytes | None]) -> Captured | None:
    read, image = unpack_read(fetch(row[0])), image_from(row[1:], fetch)
    return None if read is None or image is None else Captured(read, image)


def image_from(row: Row, fetch: Callable[[Payload], bytes | None]) -> Image | None:
    state, why, is_error, answer = row
    if state is None:
        return None
    return Image(state, fetch(answer), why, bool(is_error))


def add_note(note: str, more: str) -> str:
    """Notes are kept, one a line: what was said when the call was sent still stands when it is applied."""
    return f"{note}\n{more}" if note and more else note or more
