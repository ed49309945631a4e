"""What an approver signs, spelled so that no two things are spelled alike. The proxy spells it from what it has in memory,
the command from what it has shown: only if both mean the same does a signature fit."""

from __future__ import annotations

from synartesis.domain.canonical import canonical_json
from synartesis.domain.records import NewOrder


def approval_statement(
    *, asker: str, request: str, server: str, tool: str, fingerprint: str, at: str, by: str, reason: str
) -> bytes:
    """Yes to one call. `asker` is the proxy that asked; the fingerprint covers the server's identity, tool and arguments;
    the server's name is in it because that is what was read on the screen."""
    return _spelled(
        "approval",
        asker=asker,
        request=request,
        server=server,
        tool=tool,
        fingerprint=fingerprint,
        at=at,
        by=by,
        reason=reason,
    )


def allowance_statement(
    *,
    asker: str,
    request: str,
    run: str,
    server: str,
    identity: str,
    tool: str,
    uses: int,
    at: str,
    by: str,
    reason: str,
) -> bytes:
    """Yes to so many further calls of one tool, whatever their arguments, in one run."""
    return _spelled(
        "allowance",
        asker=asker,
        request=request,
        run=run,
        server=server,
        identity=identity,
        tool=tool,
        uses=str(uses),
        at=at,
        by=by,
        reason=reason,
    )


def resume_statement(*, freeze: str, at: str, by: str) -> bytes:
    """Yes to the end of a freeze. It has no asker: it holds for every proxy that has seen the freeze."""
    return _spelled("resume", freeze=freeze, at=at, by=by)


def statement_of_order(order: NewOrder, digest: str) -> bytes:
    """Yes to what the living proxy of a run is to do: exactly this, judged by a manifest with this digest."""
    return _spelled(
        "order",
        order=order.id,
        asked_of=order.asked_of,
        what=order.what,
        about=order.about,
        manifest=order.manifest,
        digest=digest,
        options=order.options.decode("utf-8", "backslashreplace"),
        at=order.signed_at,
        by=order.by,
    )


def _spelled(kind: str, **said: str) -> bytes:
    storable = {name: text.encode("utf-8", "backslashreplace").decode() for name, text in said.items()}
    return b"synartesis 1\n" + canonical_json({"kind": kind, **storable})
