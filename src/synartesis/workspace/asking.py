"""Servers started only to be asked what they offer: by `init`, `check`, `connect` and `doctor`. None of their tools is called."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from synartesis.domain.status import Era
from synartesis.onboard import memory
from synartesis.onboard.introspect import USUAL_START_S, Offer, introspect
from synartesis.policy.manifest import Manifest
from synartesis.workspace.files import home_folder


def ask_servers(
    manifest: Manifest,
    names: Sequence[str],
    *,
    patience_s: float = USUAL_START_S,
    variables: Mapping[str, Mapping[str, str]] | None = None,
) -> list[Offer]:
    """What these servers advertise, or why they do not start; all at once. `variables`: what a client sets for a server, by
    server; else what connected clients set for it now."""
    with _somewhere(manifest) as placed:
        return asyncio.run(_ask(placed, names, patience_s, variables_for(manifest) if variables is None else variables))


def variables_for(manifest: Manifest) -> dict[str, dict[str, str]]:
    """What connected clients set for the servers of this manifest: a server that is started without its client needs it too."""
    return memory.variables_of(home_folder(), manifest.path, os.environ)


async def _ask(
    manifest: Manifest, names: Sequence[str], patience_s: float, variables: Mapping[str, Mapping[str, str]]
) -> list[Offer]:
    from synartesis.relay.connect import connect
    from synartesis.relay.log import Log

    async def ask(era: Era, names: Sequence[str]) -> list[Offer]:
        async with connect(manifest, era=era, opening=b"", log=Log("error"), variables=variables) as connection:
            return await introspect(connection, names, patience_s=patience_s)

    offers = await ask(Era.HANDSHAKE, names)
    refused = [offer.server for offer in offers if offer.refused_handshake]
    if not refused:
        return offers
    later = {offer.server: offer for offer in await ask(Era.PER_REQUEST, refused) if offer.tools is not None}
    return [later.get(offer.server, offer) for offer in offers]


@contextmanager
def _somewhere(manifest: Manifest) -> Iterator[Manifest]:
    """Servers run in their manifest's folder. One that is still to be written may not have its folder yet."""
    if manifest.folder.is_dir():
        yield manifest
        return
    with tempfile.TemporaryDirectory(prefix="synartesis-") as folder:
        yield replace(manifest, path=Path(folder) / manifest.path.name)
