"""From a server's entry in the manifest to what is started: `${VAR}` filled in, secrets read, paths made absolute.

Done just before the start, so that no secret is held longer than needed; nothing of it is ever stored or quoted.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from synartesis.errors import ManifestInvalid
from synartesis.policy.manifest import ServerSpec

_PART = re.compile(r"\$\$\{|\$\{(?P<name>[^}]*)(?P<end>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Launch(msgspec.Struct, frozen=True):
    """What to start. `env` is the whole environment of the server; it holds secrets, so it is not part of the repr."""

    command: str
    args: tuple[str, ...]
    cwd: Path
    env: dict[str, str]

    def __repr__(self) -> str:
        return f"Launch({self.command!r}, {self.args!r}, cwd={str(self.cwd)!r})"


class PlaceholderError(ValueError):
    """A `${` that does not name a variable."""


def expand(spec: ServerSpec, environ: Mapping[str, str], folder: Path) -> Launch:
    """The launch of one server. `folder` is the manifest's: relative paths start there, whoever asks and from wherever.

    Raises ManifestInvalid naming the variable, the file or the folder that is missing, and where the manifest asks for it.
    """
    cwd = _path(spec.cwd, environ, folder)
    if not cwd.is_dir():
        raise ManifestInvalid(
            f"{spec.where}: server {spec.name} is to run in {cwd}, which is not a folder",
            hint="correct `cwd`, which is relative to the manifest's folder",
        )
    env = dict(environ)
    if spec.env_file:
        env.update(_read_env_file(spec, _path(spec.env_file, environ, folder)))
    known = dict(env)
    for at, (name, value) in enumerate(spec.env):
        where = spec.env_where[at] if at < len(spec.env_where) else spec.where
        env[name] = _expand_value(value, known, where=where, server=spec.name)
    return Launch(_command(spec.command, cwd), spec.args, cwd, env)


def placeholders(value: str) -> Iterator[str]:
    """The names of the variables that a value asks for. Raises PlaceholderError where a `${` names none."""
    names = []
    for found in _PART.finditer(value):
        if found["name"] is None:
            continue  # `$${`
        if not found["end"]:
            raise PlaceholderError(f"`{found[0][:40]}` is not closed with `}}`")
        if not _NAME.fullmatch(found["name"]):
            raise PlaceholderError(f"`{found[0][:40]}` does not name a variable: nothing is computed here")
        names.append(found["name"])
    return iter(names)


def _expand_value(value: str, known: Mapping[str, str], *, where: str, server: str) -> str:
    missing = [name for name in placeholders(value) if name not in known]
    if missing:
        raise ManifestInvalid(
            f"{where}: server {server} needs the environment variable {missing[0]}, which is not set",
            hint=f"set {missing[0]} where the proxy starts, or in an `env_file` of this server; `$${{` is a literal `${{`",
        )
    return _PART.sub(lambda found: known[found["name"]] if found["name"] is not None else "${", value)


def _command(command: str, cwd: Path) -> str:
    """A name is looked for along PATH. A relative path would be found or not depending on the system; it starts at the
    folder in which the server runs."""
    return str(cwd / command) if "/" in command else command


def _path(written: str, environ: Mapping[str, str], folder: Path) -> Path:
    """`~/` is the home of the environment; everything else is relative to the manifest's folder."""
    if written.startswith("~/") and environ.get("HOME"):
        return Path(environ["HOME"]) / written[2:]
    return folder / written


def _read_env_file(spec: ServerSpec, path: Path) -> dict[str, str]:
    """KEY=VALUE lines. Its content is never quoted in a message."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ManifestInvalid(f"{spec.where}: the env_file {path} of server {spec.name} is not a file")
        if found.st_mode & 0o077:
            raise ManifestInvalid(
                f"{spec.where}: others can read the env_file {path} of server {spec.name}",
                hint=f"chmod 600 {path}",
            )
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ManifestInvalid(
            f"{spec.where}: the env_file {path} of server {spec.name} cannot be read: {why}",
            hint="`env_file` is relative to the manifest's folder",
        ) from None
    return dict(_assignments(lines, f"{path}", spec.name))


def _assignments(lines: list[str], file: str, server: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not _NAME.fullmatch(name) or "\x00" in value:
            raise ManifestInvalid(
                f"{file}:{number}: not a KEY=VALUE line (env_file of server {server})",
                hint="write one KEY=VALUE a line; the value is taken as it stands, without the quotes around it",
            )
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        yield name, value
