"""`init`: a server asked for its tools, a manifest drafted or extended, and written only when all of it is known to load."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from synartesis.domain.status import ToolClass
from synartesis.errors import UsageError
from synartesis.onboard.configs.disk import make_folder, read_text, replace
from synartesis.onboard.entries import looks_secret
from synartesis.onboard.extend import NewServer
from synartesis.onboard.introspect import FIRST_START_S
from synartesis.onboard.known import load_shipped
from synartesis.onboard.proposal import Proposal, propose, with_server
from synartesis.policy.reader import read_manifest
from synartesis.present.drafts import Drafted
from synartesis.workspace.asking import ask_servers
from synartesis.workspace.bare_path import BARE_PATH, folder_of, not_found
from synartesis.workspace.files import MANIFEST_NAME, command_line, find_files, home_folder
from synartesis.workspace.trust import need_trust, standing


def manifest_to_extend(named: str | None, *, in_home: bool) -> Path:
    """The one that was named; with `in_home` the one in the home; else the one found from here upwards, or a new one here."""
    home = home_folder()
    if in_home:
        if home is None:
            raise UsageError("there is no home folder to put a manifest into", hint="set HOME, or SYNARTESIS_HOME")
        return home / MANIFEST_NAME
    found = find_files(named, None).manifest
    here = Path.cwd()
    if named is None and found is not None and found.parent not in (here, *here.parents):
        found = None  # the home's is meant only where it is asked for
    return found or here / MANIFEST_NAME


def draft(
    path: Path,
    name: str,
    command: Sequence[str],
    *,
    env: Sequence[str] = (),
    policy: str | None = None,
    is_named: bool = False,
) -> Drafted:
    """Start the server, draft its rules and write them. `is_named`: somebody typed the manifest's name. Raises UsageError,
    ManifestInvalid or NotUnderstood, and then nothing was written."""
    if policy is not None:
        load_shipped(policy)
    text = read_text(path)
    data = None if text is None else text.encode()
    is_ours = text is None or is_named or standing(read_manifest(path)).is_trusted
    if not is_ours and not command:
        need_trust(read_manifest(path), named=False)  # its own command would be started
    server = _server(path, text, name, command, env)
    start, _ = with_server(path, data, server)
    [offer] = ask_servers(start, [name], patience_s=FIRST_START_S)
    if offer.tools is None:
        raise UsageError(f"{offer.problem}\nNothing was written.", hint=offer.hint or _try_it(server))
    proposal = propose(path, data, server, offer.tools, policy=policy)
    if proposal.text != text:
        if not path.parent.is_dir():
            make_folder(path.parent)
        replace(path, before=text, after=proposal.text)
    if is_ours:
        need_trust(proposal.manifest, named=True)  # the command was typed, and the others were accepted
    return _drafted(proposal, path, server, text)


def _server(path: Path, text: str | None, name: str, command: Sequence[str], env: Sequence[str]) -> NewServer:
    """What was typed; or, where nothing was, what the manifest has under this name."""
    if command:
        first, *args = command
        if "://" in first:
            raise UsageError(
                f"{first} is an address, and what stands behind the dashes is a command that starts a server",
                hint="remote servers cannot go behind the proxy yet; many also come as a program that can be started here",
            )
        if not args and " " in first and not os.path.exists(first):
            raise UsageError(
                f"'{first}' is a whole command line in one word",
                hint=f"leave the quotes out:\nsynartesis init {shlex.quote(name)} -- {first}",
            )
        return NewServer(name, first, tuple(args), tuple(env), _folder_for(path, command), _path_for(first))
    if text is not None:
        for spec in read_manifest(path).servers:
            if spec.name == name:
                return NewServer(name, spec.command, spec.args)
    raise UsageError(
        f"how is {name!r} started? {path} has no such server" if text else f"how is {name!r} started?",
        hint=f"put its command behind two dashes:\nsynartesis init {shlex.quote(name)} -- npx some-server",
    )


def _folder_for(path: Path, command: Sequence[str]) -> str:
    """A server runs in the folder of its manifest. Where the command names something in this folder, it has to run here."""
    here = Path.cwd()
    if path.parent == here or not any(_means_something_here(word) for word in command):
        return ""
    below = here.is_relative_to(path.parent)
    return os.path.relpath(here, path.parent) if below else str(here)


def _path_for(command: str) -> str:
    """The folder without which a desktop program would not find what it takes to start this; empty where it would."""
    path = os.environ.get("PATH", os.defpath)
    missing = not_found(command, path, BARE_PATH)
    folder = folder_of(missing, path) if missing and "/" not in missing else ""
    return folder if os.path.isabs(folder) and "$" not in folder and ":" not in folder else ""


def _means_something_here(word: str) -> bool:
    return not os.path.isabs(word) and (word in (".", "..") or word.startswith(("./", "../")) or os.path.exists(word))


def _try_it(server: NewServer) -> str:
    return f"try it by itself first:\n{shlex.join([server.command, *server.args])}"


def _drafted(proposal: Proposal, path: Path, server: NewServer, text: str | None) -> Drafted:
    spec = proposal.manifest.server(server.name)
    warnings = [text for text in proposal.manifest.warnings if text.partition(": ")[0] == spec.where]
    if (secret := looks_secret(spec.args)) is not None:
        words = f"the manifest now holds an argument that may be a secret ({secret})"
        warnings.append(f"{words}; where the server takes it from a variable: --env NAME")
    if server.path and proposal.is_new_server:
        words = f"desktop programs do not look into {server.path} for {server.command} and what it takes"
        warnings.append(f"{words}; the entry's PATH names that folder")
    misfit = proposal.misfit
    two_sided = [rule for rule in proposal.added if rule.snapshot is not None and rule.snapshot.answers.absent_when]
    return Drafted(
        server=server.name,
        how=shlex.join([spec.command, *spec.args]),
        tools=proposal.tools,
        manifest=str(path),
        written="" if proposal.text == text else "new" if proposal.is_new_file else "extended",
        policy=proposal.policy,
        about=proposal.about,
        misfit=f"`{misfit.policy}` is made for a server like this one, but: {misfit.why}" if misfit else "",
        passes=proposal.of_class(ToolClass.READONLY),
        undoable=proposal.of_class(ToolClass.REVERSIBLE, ToolClass.COMPENSABLE),
        held_if_new=[rule.match for rule in two_sided if rule.inverse and not rule.inverse_if_absent],
        held_if_there=[rule.match for rule in two_sided if rule.inverse_if_absent and not rule.inverse],
        held=proposal.of_class(ToolClass.IRREVERSIBLE),
        governed=proposal.governed,
        not_named=proposal.not_named,
        warnings=warnings,
        next_steps=[
            (command_line(["check"], manifest=path), "start the server again, and hold every rule against its tools"),
            (
                command_line(["connect", "claude-code"], manifest=path),
                "put it behind the proxy in a client (or claude-desktop, cursor, vscode, codex, gemini)",
            ),
        ],
    )
