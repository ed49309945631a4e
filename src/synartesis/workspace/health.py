"""`doctor`: everything that can be wrong with a set-up, looked at without changing anything. Servers are started and asked for
their tools; none of them is called."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from synartesis.domain.names import Tool
from synartesis.domain.records import RunSummary
from synartesis.domain.status import RunKind
from synartesis.errors import ManifestInvalid, SynartesisError
from synartesis.journal import liveness, open_history, open_journal
from synartesis.onboard.clients import CLIENTS, Client
from synartesis.onboard.entries import Entry, option
from synartesis.onboard.introspect import Offer
from synartesis.policy.environment import expand
from synartesis.policy.manifest import Manifest, ServerSpec
from synartesis.policy.matching import Policy
from synartesis.policy.reader import read_manifest
from synartesis.policy.verify import verify
from synartesis.present.health import Remark
from synartesis.present.labels import counted
from synartesis.workspace.approving import what_approvals_are_worth
from synartesis.workspace.asking import ask_servers, variables_for
from synartesis.workspace.bare_path import BARE_PATH, folder_of, not_found, which
from synartesis.workspace.connecting import around, is_ours, look_at
from synartesis.workspace.files import Files, command_line, is_missing, spelled_out
from synartesis.workspace.trust import Standing, standing
from synartesis.workspace.watching import MOST_ACTIVE, Digests

DESKTOP = frozenset({"claude-desktop", "cursor", "vscode"})
"""Clients that are started with a click, and so without what a shell has in its PATH."""

SHOWN_TOOLS = 5


def examine_all(files: Files) -> list[Remark]:
    """Everything, in the order in which it would be mended."""
    manifest, remarks = _manifest(files)
    connected = list(_clients())
    remarks += _journal(files.journal)
    remarks += _approvals(files)
    if manifest is not None:
        remarks += _servers(manifest, has_desktop_client=_has_desktop_client(connected, manifest))
    remarks += _about_clients(connected, files)
    remarks += _about_runs(files.journal)
    return remarks


# --- the manifest and its servers


def _manifest(files: Files) -> tuple[Manifest | None, list[Remark]]:
    if files.manifest is None or (is_missing(files.manifest) and not files.manifest_named):
        text = "there is none, neither from this folder upwards nor in the home"
        return None, [Remark("wrong", "manifest", text, command=spelled_out("synartesis init NAME -- COMMAND"))]
    try:
        manifest = read_manifest(files.manifest)
    except (ManifestInvalid, SynartesisError) as error:
        return None, [Remark("wrong", "manifest", error.message, error.hint)]
    trust = Standing() if files.manifest_named else standing(manifest)
    if not trust.is_trusted:
        return None, [Remark("wrong", "manifest", f"{trust.why}; none of its servers was started", trust.mend)]
    said = f"{manifest.path}: {counted(len(manifest.servers), 'server')}, {counted(len(manifest.rules), 'rule')}"
    return manifest, [Remark("ok", "manifest", said)]


def _servers(manifest: Manifest, *, has_desktop_client: bool) -> list[Remark]:
    set_by_client = variables_for(manifest)
    offers = ask_servers(manifest, [spec.name for spec in manifest.servers], variables=set_by_client)
    remarks: list[Remark] = []
    for spec, offer in zip(manifest.servers, offers, strict=True):
        if offer.tools is None:
            start = shlex.join([spec.command, *spec.args])
            mend = offer.hint or f"try it by itself, and correct its entry ({spec.where}):\n{start}"
            remarks.append(Remark("wrong", f"server {spec.name}", offer.problem, mend))
            continue
        remarks.append(Remark("ok", f"server {spec.name}", f"starts, {counted(len(offer.tools), 'tool')}"))
        variables = set_by_client.get(spec.name, {})
        remarks += _under_a_bare_path(spec, manifest, variables, matters=has_desktop_client)
    return [*remarks, *_rules(manifest, offers)]


def _under_a_bare_path(
    spec: ServerSpec, manifest: Manifest, variables: Mapping[str, str], *, matters: bool
) -> Iterator[Remark]:
    """Whether a program that was started with a click could start this server."""
    launch = expand(spec, {**os.environ, "PATH": BARE_PATH, **variables}, manifest.folder)
    usual = expand(spec, {**os.environ, **variables}, manifest.folder)
    path = usual.env.get("PATH", os.defpath)
    missing = not_found(usual.command, path, launch.env.get("PATH", os.defpath))
    if missing is None:
        return
    folder = folder_of(missing, path)
    text = f"{missing} is found here, but not with the PATH that desktop programs have ({BARE_PATH})"
    mend = f'give it in {spec.where}: env: {{PATH: "{folder}:${{PATH}}"}}'
    yield Remark("wrong" if matters else "note", f"server {spec.name}", text, mend)


def _rules(manifest: Manifest, offers: Sequence[Offer]) -> Iterator[Remark]:
    policy = Policy(manifest)
    tools = {offer.server: offer.tools for offer in offers if offer.tools is not None}
    for finding in verify(policy, tools):
        if finding.severity == "error":
            yield Remark("wrong", "rules", finding.text, command=command_line(["check"], manifest=manifest.path))
    for spec in manifest.servers:
        names = [tool.get("name") for tool in tools.get(spec.name) or () if spec.expose]
        without = [
            name for name in names if isinstance(name, str) and policy.rule_for(Tool(spec.name, name)).is_default
        ]
        if without:
            more = f" and {len(without) - SHOWN_TOOLS} more" if len(without) > SHOWN_TOOLS else ""
            text = f"{counted(len(without), 'tool')} without a rule, so every call is held: "
            text += ", ".join(without[:SHOWN_TOOLS]) + more
            draft = command_line(["init", spec.name], manifest=manifest.path)
            yield Remark("wrong", f"server {spec.name}", text, command=draft)


# --- the journal


def _journal(path: Path | None) -> Iterator[Remark]:
    if path is None:
        return
    if is_missing(path):
        folder = next(parent for parent in path.parents if parent.exists())
        if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
            yield Remark("ok", "journal", f"{path} will be made by the first proxy")
        else:
            text = f"{path} cannot be made: {folder} is not a folder that can be written"
            other = "name another file with --journal"
            writable = f"make it one, or {other}:\n{shlex.join(['chmod', 'u+rwx', str(folder)])}"
            yield Remark("wrong", "journal", text, writable if folder.is_dir() else other)
        return
    try:
        open_journal(path).close()
    except SynartesisError as error:
        yield Remark("wrong", "journal", error.message, error.hint)
        return
    yield Remark("ok", "journal", f"{path} can be written")


def _approvals(files: Files) -> Iterator[Remark]:
    found = what_approvals_are_worth(files) if files.journal is not None else None
    if found is None:
        return
    severity: Literal["ok", "wrong", "note"] = "wrong" if found.is_wrong else "note" if found.command else "ok"
    yield Remark(severity, "approvals", spelled_out(found.text), found.mend, found.command)


def _about_runs(path: Path | None) -> Iterator[Remark]:
    """Proxies that run an older manifest, and those that died."""
    if path is None or is_missing(path):
        return
    try:
        with open_history(path) as history:
            rows, frozen = history.runs(limit=MOST_ACTIVE), history.frozen()
    except SynartesisError:
        return  # said already
    if frozen is not None:
        text = f"every write of every agent is refused since {frozen.at[:16].replace('T', ' ')} UTC, by {frozen.by}"
        yield Remark("wrong", "journal", text, command=command_line(["resume"], journal=path))
    digests = Digests()
    for row in rows:
        if row.run.kind is RunKind.AGENT and row.run.ended_at is None and liveness.is_alive(row.run.process):
            yield from _about_run(row, digests)


def _about_run(row: RunSummary, digests: Digests) -> Iterator[Remark]:
    who = row.run.agent or "a client"
    if digests.has_changed(row.run):
        text = f"{who} runs the manifest as it was when it started; {row.run.manifest} was changed since"
        yield Remark("wrong", f"run {row.run.id}", text, "restart that client")
    else:
        yield Remark("ok", f"run {row.run.id}", f"{who}, {counted(row.actions, 'call')}, on the manifest as it is")


# --- clients


class Found(NamedTuple):
    """A client that is here."""

    client: Client
    entries: tuple[tuple[Path, Entry], ...] = ()
    """Its servers, each with the file that names it."""
    problem: SynartesisError | None = None
    """Why its file cannot be read."""

    def of(self, *kinds: str) -> list[Entry]:
        return [entry for _, entry in self.entries if entry.kind in kinds]


def _clients() -> Iterator[Found]:
    here = around()
    for client in CLIENTS:
        try:
            seen = look_at(client, here)
        except SynartesisError as error:
            yield Found(client, problem=error)
            continue
        if any(each.text is not None for each in seen):
            yield Found(client, tuple((each.place.file, entry) for each in seen for entry in each.entries))


def _has_desktop_client(connected: Sequence[Found], manifest: Manifest) -> bool:
    return any(
        found.client.name in DESKTOP and option(entry.args, "--manifest") == str(manifest.path)
        for found in connected
        for entry in found.of("proxy")
    )


def _about_clients(connected: Sequence[Found], files: Files) -> Iterator[Remark]:
    any_behind = any(found.of("proxy") for found in connected)
    for found in connected:
        about = f"client {found.client.title}"
        if found.problem is not None:
            mend = found.problem.hint or "correct the file; the client cannot read it either"
            yield Remark("wrong", about, found.problem.message, mend)
            continue
        for file, entry in found.entries:
            if entry.kind == "proxy":
                yield from _about_entry(found.client, file, entry)
        if behind := found.of("proxy"):
            yield Remark("ok", about, f"behind the proxy: {', '.join(entry.name for entry in behind)}")
        if past := found.of("server"):
            text = f"past the proxy: {', '.join(entry.name for entry in past)}"
            connect = command_line(["connect", found.client.name], manifest=files.manifest)
            yield Remark("note" if any_behind else "wrong", about, text, command=connect)
        for entry in found.of("remote", "odd"):
            yield Remark("note", about, f"past the proxy: {entry.name}, because {entry.why}", entry.hint)
    if not any_behind and not any(found.of("server") for found in connected):
        connect = command_line(["connect", "CLIENT"], manifest=files.manifest)
        yield Remark("wrong", "clients", "none starts the proxy, so nothing is recorded", command=connect)


def _about_entry(client: Client, file: Path, entry: Entry) -> Iterator[Remark]:
    """Whether what the client starts is there."""
    about = f"client {client.title}"
    if which(entry.command, os.environ.get("PATH", os.defpath)) is None:
        text = f"{entry.name} starts {entry.command}, which is not there"
        yield Remark("wrong", about, text, *_connected_anew(client, file, entry))
    named = option(entry.args, "--manifest")
    if named is None:
        return
    server = option(entry.args, "--server")
    try:
        names = [spec.name for spec in read_manifest(Path(named)).servers]
    except SynartesisError as error:
        yield Remark("wrong", about, f"{entry.name}: {error.message}", error.hint)
        return
    if server is not None and server not in names:
        text = f"{entry.name} asks for the server {server}, which {named} does not name"
        yield Remark("wrong", about, text, *_connected_anew(client, file, entry))


def _connected_anew(client: Client, file: Path, entry: Entry) -> tuple[str, str]:
    """Words, and the command: what `connect` wrote can be taken back and written anew, and what a person wrote is theirs."""
    if is_ours(client, file, entry):
        steps = (["disconnect", client.name], ["connect", client.name])
        return "", " && ".join(map(command_line, steps))
    return f"it is not as `connect` wrote it: correct it by hand, in {file}:{entry.line}", ""
