"""`connect` and `disconnect`, planned and carried out: what is written where, and how it is taken back. Asks nobody and prints
nothing: a plan is shown first, and carried out by whoever was told yes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from synartesis.errors import SynartesisError, UsageError
from synartesis.onboard import memory
from synartesis.onboard.clients import Around, Client, Place, understand
from synartesis.onboard.configs.config import NotUnderstood
from synartesis.onboard.configs.disk import PRIVATE, digest, make_folder, mode_of, read_text, replace
from synartesis.onboard.edits import Edited, Step, TakenBack, put_behind, still_there, take_back
from synartesis.onboard.entries import Entry, read_entries, variables
from synartesis.onboard.introspect import FIRST_START_S, Offer
from synartesis.onboard.newcomers import (
    Left,
    Newcomer,
    Seen,
    check_names,
    newcomers_of_client,
    newcomers_of_manifest,
    without_open_secrets,
)
from synartesis.onboard.proposal import Proposal, propose, with_server
from synartesis.policy.manifest import Manifest, ServerSpec
from synartesis.policy.reader import read_manifest
from synartesis.workspace.asking import ask_servers
from synartesis.workspace.files import home_folder
from synartesis.workspace.trust import need_trust

BACKUP = ".before-synartesis"
"""Ends the name of the copy beside a client's file."""


class FileEdit(NamedTuple):
    file: Path
    before: str | None
    edited: Edited
    earlier: tuple[Step, ...]
    """What is there of us already."""


class Copy(NamedTuple):
    """A client's file as it was once."""

    path: Path
    is_of_now: bool
    """Just before this `connect`; else before the first of those that are still there."""


class ConnectPlan(NamedTuple):
    client: Client
    manifest: Path
    manifest_before: str | None
    manifest_after: str | None
    newcomers: tuple[Newcomer, ...]
    proposals: tuple[Proposal, ...]
    edits: tuple[FileEdit, ...]
    left: tuple[Left, ...]
    already: tuple[str, ...]
    """Entries that start the proxy already."""
    elsewhere: tuple[str, ...]


class DisconnectPlan(NamedTuple):
    client: Client
    taken: tuple[tuple[memory.Record, str | None, TakenBack], ...]
    """Each record with the text of its file now and what becomes of it."""


def around() -> Around:
    """Raises UsageError where there is no home."""
    try:
        home = Path.home()
    except RuntimeError:
        raise UsageError(
            "there is no home folder, in which clients keep their configuration", hint="set HOME"
        ) from None
    return Around(home, Path.cwd(), os.environ, is_mac=sys.platform == "darwin")


def own_home() -> Path:
    """Where `connect` keeps what it has to remember. Raises UsageError."""
    home = home_folder()
    if home is None:
        raise UsageError("there is no home folder to remember in what was changed", hint="set HOME, or SYNARTESIS_HOME")
    return home


def look_at(client: Client, here: Around, config: Path | None = None) -> list[Seen]:
    """The client's files that count in this folder, its own first whether or not it is there. Raises NotUnderstood."""
    places = client.places(here)
    if config is not None:
        places = [place for place in places if place.file == config][:1] or [Place(config)]
    seen = []
    for at, place in enumerate(places):
        text = read_text(place.file)
        if text is None and at:
            continue
        found = understand(client, text or "", str(place.file))
        tables = client.tables(found.data, place, here)
        entries = tuple(entry for table in tables for entry in read_entries(client, found, table, here))
        seen.append(
            Seen(place, text, found, entries, tuple(client.elsewhere(found.data, place, here)), config is not None)
        )
    return seen


def is_ours(client: Client, file: Path, entry: Entry) -> bool:
    """Whether an entry is as `connect` wrote it, so that `disconnect` takes it back."""
    record = memory.record_of(own_home(), client.name, file)
    wrote = [(change.path, change.command, change.args) for change in record.changes] if record is not None else []
    return (entry.path, entry.command, entry.args) in wrote


def proxy_command(server: str, manifest: Path) -> list[str]:
    """What a client runs. The whole path, because desktop programs start children with a bare PATH."""
    script = Path(sys.executable).parent / "synartesis-proxy"
    start = [str(script)] if os.access(script, os.X_OK) else [sys.executable, "-m", "synartesis", "proxy"]
    return [*start, "--server", server, "--manifest", str(manifest)]


# --- connect


def plan_connect(
    client: Client,
    manifest: Path,
    *,
    servers: Sequence[str] = (),
    config: Path | None = None,
    is_named: bool = False,
) -> ConnectPlan:
    """Everything that `connect` would do. Starts the servers that are new to the manifest, and calls none of their tools.
    `is_named`: somebody typed the manifest's name.

    Raises UsageError, NotUnderstood (a file of the client), ManifestInvalid, SynartesisError where nothing is to be done.
    """
    here = around()
    seen = look_at(client, here, config)
    text = read_text(manifest)
    if text is not None:
        need_trust(read_manifest(manifest), named=is_named)  # the client would start what it names
    known = _known_servers(manifest, text)
    check_names(servers, seen, known, client)
    proxy = partial(proxy_command, manifest=manifest)
    newcomers, left = newcomers_of_client(seen, manifest, known, servers, proxy)
    # In the home other clients have their servers too: theirs are not meant, unless there is nothing else to do.
    only_named = manifest.parent == home_folder() and any(found.entries for found in seen)
    newcomers += newcomers_of_manifest(client, seen, known, servers, proxy, only_named=only_named)
    newcomers, refused = without_open_secrets(newcomers, manifest, mode_of)
    offers = _offers(client, seen, manifest, text, newcomers)
    silent = {offer.server: offer for offer in offers if offer.tools is None}
    left += [*refused, *(_silent(newcomer, silent) for newcomer in newcomers if newcomer.server.name in silent)]
    newcomers = [newcomer for newcomer in newcomers if newcomer.server.name not in silent]
    proposals = _proposals(manifest, text, newcomers, offers)
    after = proposals[-1].text if proposals else text
    edits = []
    for found in seen:
        moves = [newcomer.move for newcomer in newcomers if newcomer.file == found.place.file]
        if moves:
            read = partial(understand, client, name=str(found.place.file))
            file, known_record = found.place.file, memory.record_of(own_home(), client.name, found.place.file)
            earlier = still_there(found.text, known_record.steps, read) if known_record is not None else ()
            edits.append(FileEdit(file, found.text, put_behind(found.text, moves, read), earlier))
    already = [entry.name for found in seen for entry in found.entries if entry.kind == "proxy"]
    elsewhere = [folder for found in seen for folder in found.elsewhere]
    return ConnectPlan(
        client,
        manifest,
        text,
        after,
        tuple(newcomers),
        tuple(proposals),
        tuple(edits),
        tuple(left),
        tuple(already),
        tuple(elsewhere),
    )


def carry_out_connect(plan: ConnectPlan) -> list[Copy]:
    """Manifest first, then the clients' files. Raises SynartesisError."""
    if plan.manifest_after is not None and plan.manifest_after != plan.manifest_before:
        make_folder(plan.manifest.parent)
        replace(plan.manifest, before=plan.manifest_before, after=plan.manifest_after, mode=PRIVATE)
        need_trust(read_manifest(plan.manifest), named=True)  # it was shown, and a person said yes
    copies = [_carry_out(edit, plan.client) for edit in plan.edits]
    return [copy for copy in copies if copy is not None]


def _carry_out(edit: FileEdit, client: Client) -> Copy | None:
    """The file's copy, what has to be remembered, and then the file: a crash in between leaves nothing that nobody knows of."""
    home = own_home()
    before = memory.record_of(home, client.name, edit.file) or memory.Record(client.name, edit.file, None, ())
    make_folder(edit.file.parent, mode=0o777)
    backup = before.backup if edit.earlier else _copied(edit)
    record = before._replace(backup=backup, steps=(*edit.earlier, edit.edited.step))
    memory.remember(home, record)
    try:
        replace(edit.file, before=edit.before, after=edit.edited.text)
    except SynartesisError:
        memory.remember(home, before)
        raise
    return Copy(backup, is_of_now=_is_copy(backup, edit.before)) if backup is not None and backup.exists() else None


def _copied(edit: FileEdit) -> Path | None:
    """The file as it is now, under a name of its own: a copy that was kept may be the only one of its kind."""
    if edit.before is None:
        return None
    plain = edit.file.with_name(edit.file.name + BACKUP)
    numbered = (plain.with_name(f"{plain.name}-{number}") for number in range(2, 1000))
    for path in (plain, *numbered):
        if _is_copy(path, edit.before):
            return path
        if not os.path.lexists(path):
            replace(path, before=None, after=edit.before, mode=mode_of(edit.file))
            return path
    raise AssertionError("a thousand copies of one file")


def _is_copy(path: Path, text: str | None) -> bool:
    try:
        return digest(read_text(path)) == digest(text)
    except NotUnderstood:
        return False


def _known_servers(manifest: Path, text: str | None) -> dict[str, ServerSpec]:
    """Raises ManifestInvalid with every problem."""
    if text is None:
        return {}
    return {spec.name: spec for spec in read_manifest(manifest).servers}


def _offers(
    client: Client, seen: Sequence[Seen], manifest: Path, text: str | None, newcomers: Sequence[Newcomer]
) -> list[Offer]:
    """Ask those that are new for their tools, with what the client sets for them."""
    data = None if text is None else text.encode()
    start: Manifest | None = None
    for newcomer in newcomers:
        start, extended = with_server(manifest, data, newcomer.server)
        data = extended.encode()
    asked = {newcomer.server.name for newcomer in newcomers if not newcomer.added}
    if start is None or not asked:
        return []
    set_by_client: dict[str, dict[str, str]] = {}
    for newcomer in newcomers:
        [config] = [found.config for found in seen if found.place.file == newcomer.file]
        fields = config.data
        for key in newcomer.move.path if not newcomer.added else ():
            fields = fields[key]
        set_by_client[newcomer.server.name] = variables(client, fields, os.environ)
    return ask_servers(start, sorted(asked), patience_s=FIRST_START_S, variables=set_by_client)


def _proposals(
    manifest: Path, text: str | None, newcomers: Sequence[Newcomer], offers: Sequence[Offer]
) -> list[Proposal]:
    """The manifest, grown server by server."""
    tools = {offer.server: offer.tools for offer in offers}
    data = None if text is None else text.encode()
    proposals: list[Proposal] = []
    for newcomer in newcomers:
        offered = tools.get(newcomer.server.name)
        if offered is not None and all(proposal.server != newcomer.server.name for proposal in proposals):
            proposals.append(propose(manifest, data, newcomer.server, offered))
            data = proposals[-1].text.encode()
    return proposals


def _silent(newcomer: Newcomer, silent: Mapping[str, Offer]) -> Left:
    offer = silent[newcomer.server.name]
    return Left(newcomer.move.path[-1], str(newcomer.file), offer.problem, offer.hint)


# --- disconnect


def plan_disconnect(client: Client, *, servers: Sequence[str] = (), config: Path | None = None) -> DisconnectPlan:
    """Everything that `disconnect` would do. Raises UsageError, NotUnderstood; SynartesisError where nothing is ours."""
    ours = [record for record in memory.records(own_home()) if record.client == client.name]
    if config is not None:
        ours = [record for record in ours if record.file == config]
    if not ours:
        raise SynartesisError(
            f"nothing of {client.title} was connected by `synartesis connect`",
            hint="an entry that was written by hand is taken out by hand",
        )
    names = {change.path[-1] for record in ours for change in record.changes}
    for name in servers:
        if name not in names:
            raise UsageError(f"{name!r} was not connected", hint=f"connected: {', '.join(sorted(names))}")
    taken = []
    for record in ours:
        text = read_text(record.file)
        read = partial(understand, client, name=str(record.file))
        taken.append((record, text, take_back(text, record.steps, read, only=frozenset(servers) or None)))
    return DisconnectPlan(client, tuple(taken))


def carry_out_disconnect(plan: DisconnectPlan) -> list[Path]:
    """Put the files back; returns the copies that stay, because the file is not what it was before. Raises SynartesisError."""
    home = own_home()
    stay = []
    for record, text, back in plan.taken:
        if back.text != text:
            replace(record.file, before=text, after=back.text)
        memory.remember(home, record._replace(steps=back.steps))
        if record.backup is not None and not back.steps and (copy := read_text(record.backup)) is not None:
            if digest(copy) == digest(back.text):
                record.backup.unlink()
            else:
                stay.append(record.backup)
    return stay
