"""Whose commands may be started. A manifest names programs, and one that was found may have come with somebody else's folder; so
it starts none of them until a person has accepted these very commands. One that was typed was meant."""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from synartesis.errors import SynartesisError, UsageError
from synartesis.policy.manifest import Manifest, ServerSpec
from synartesis.present.safe_text import printable
from synartesis.workspace.files import Files, command_line, home_folder

if TYPE_CHECKING:
    from synartesis.domain.records import Run

FILE_NAME = "trusted"


class Trusted(msgspec.Struct, frozen=True):
    """What is kept in the home: for each manifest, the digest of the commands that were accepted."""

    manifests: dict[str, str]
    version: int = 1


class Standing(NamedTuple):
    """Whether a manifest may start its servers although nobody typed its name; `why` not."""

    why: str = ""
    mend: str = ""
    changed: bool = False
    """Its commands were accepted once, and are others now."""

    @property
    def is_trusted(self) -> bool:
        return not self.why


def need_trust(manifest: Manifest, *, named: bool) -> None:
    """Before anything is started. Raises UsageError where nobody has accepted the commands of this manifest; one that was
    named is accepted by that."""
    if named:
        _try_to_accept(manifest)
        return
    found = standing(manifest)
    if not found.is_trusted:
        shown = "\n".join(commands_of(manifest))
        raise UsageError(f"{found.why}; nothing was started. It would start:\n{shown}", hint=found.mend)


def need_own_manifest(files: Files, run: Run) -> None:
    """A journal that was found may have come with somebody else's folder as well, and its rows name a manifest and calls: with a
    manifest that you trust elsewhere, it would have your own servers make them. Raises UsageError."""
    if files.manifest_named or files.journal_named or files.journal is None:
        return
    found, home = os.path.realpath(files.journal.parent), home_folder()
    if found == os.path.realpath(Path(run.manifest).parent) or (home is not None and found == os.path.realpath(home)):
        return
    raise UsageError(
        f"the journal {files.journal} was found, and its run {run.id} names a manifest that is elsewhere: {run.manifest}",
        hint=f"if both are yours, name the journal: --journal {shlex.quote(str(files.journal))}",
    )


def standing(manifest: Manifest) -> Standing:
    owner = _other_owner(manifest.path)
    if owner is not None:
        why = f"the manifest {manifest.path} was found, and belongs to {owner}"
        return Standing(
            why, f"copy it, read it, and use your copy; or mean it: --manifest {shlex.quote(str(manifest.path))}"
        )
    accepted = _read(home_folder()).manifests.get(_key(manifest))
    if accepted == digest_of(manifest):
        return Standing()
    mend = f"read it, then accept its commands:\n{command_line(['trust'], manifest=manifest.path)}"
    if accepted is None:
        return Standing(f"the manifest {manifest.path} was found, and you have not accepted its commands", mend)
    return Standing(
        f"the manifest {manifest.path} starts other commands than those that you accepted", mend, changed=True
    )


def accept(manifest: Manifest, *, home: Path | None = None) -> None:
    """From now on these very commands may be started wherever the manifest is found. `home`: where to remember it, where that
    is not this person's. Raises SynartesisError."""
    owner = _other_owner(manifest.path)
    if owner is not None:
        raise SynartesisError(
            f"{manifest.path} belongs to {owner}, who could change it at any time; nothing was accepted",
            hint="copy it, read it, and accept your copy",
        )
    home = home or home_folder()
    if home is None:
        raise UsageError("there is no home folder to remember that in", hint="set HOME, or SYNARTESIS_HOME")
    known = _read(home)
    if known.manifests.get(_key(manifest)) != digest_of(manifest):
        _write(home, Trusted({**known.manifests, _key(manifest): digest_of(manifest)}))


def digest_of(manifest: Manifest) -> str:
    """Of everything that decides which programs are started, and with what."""
    servers = sorted([spec.name, spec.identity, spec.env_file] for spec in manifest.servers)
    started = [servers, manifest.notify] if manifest.notify else servers
    return hashlib.sha256(msgspec.json.encode(started)).hexdigest()


def commands_of(manifest: Manifest) -> list[str]:
    """Every command that the manifest would start, a line each."""
    lines = [printable(f"{spec.name}: {how_started(spec)}") for spec in manifest.servers]
    return [*lines, *([printable(f"notify: {shlex.join(manifest.notify)}")] if manifest.notify else [])]


def how_started(spec: ServerSpec) -> str:
    words = shlex.join([spec.command, *spec.args])
    env = " ".join(f"{name}={shlex.quote(value)}" for name, value in spec.env)
    return " ".join(filter(None, (env, words, f"(in {spec.cwd})" if spec.cwd else "")))


# --- below: how


def _try_to_accept(manifest: Manifest) -> None:
    """Not to be able to remember it must not keep a typed manifest from working."""
    try:
        accept(manifest)
    except (OSError, SynartesisError):
        pass


def _key(manifest: Manifest) -> str:
    """By its own path, links and all: servers are started in the folder where it was found."""
    return os.path.abspath(manifest.path)


def _other_owner(path: Path) -> str | None:
    """Who else may write what stands there: the owner of the file, and of the link that leads to it."""
    owners = {os.stat(path).st_uid, os.lstat(path).st_uid} - {os.geteuid()}
    if not owners:
        return None
    uid = owners.pop()
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _read(home: Path | None) -> Trusted:
    if home is None:
        return Trusted({})
    try:
        return msgspec.json.decode((home / FILE_NAME).read_bytes(), type=Trusted)
    except FileNotFoundError:
        return Trusted({})
    except (OSError, msgspec.MsgspecError) as error:
        raise SynartesisError(
            f"{home / FILE_NAME} cannot be read, so nobody knows which manifests you accepted: {error}",
            hint="put it right, or take it away and accept them again",
        ) from None


def _write(home: Path, trusted: Trusted) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path, new = home / FILE_NAME, home / f".{FILE_NAME}.{os.getpid()}"
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as writing:
        writing.write(msgspec.json.format(msgspec.json.encode(trusted), indent=2) + b"\n")
    new.replace(path)
