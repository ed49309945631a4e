"""Starting the servers of a manifest. Loads no event loop: the first ones can be on their way while ours is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from synartesis.domain.ports import Journal
from synartesis.errors import ManifestInvalid, ServerUnavailable
from synartesis.journal.liveness import identify, this_process
from synartesis.policy.environment import expand
from synartesis.policy.manifest import Manifest, ServerSpec
from synartesis.wire.process import ServerProcess, secrets_of, start


def launcher(
    spec: ServerSpec, manifest: Manifest, *, variables: Mapping[str, str] | None = None
) -> Callable[[], ServerProcess]:
    """Starts this server when called. `variables` come before those of our own environment.
    Raises ServerUnavailable, or ManifestInvalid where its environment lacks something."""

    def launch() -> ServerProcess:
        launch = expand(spec, {**os.environ, **(variables or {})}, manifest.folder)
        declared = {name: launch.env[name] for name, _ in spec.env} | _added(launch.env)
        return start(spec.name, launch, secrets=secrets_of(declared))

    return launch


def start_servers(manifest: Manifest, *, server: str | None = None) -> dict[str, ServerProcess | ServerUnavailable]:
    """Start the servers that the client will see, side by side; what could not be started is told in its place.

    Raises ManifestInvalid where a variable is missing: that is known before anything runs, and nothing then does.
    """
    chosen = exposed_servers(manifest, server=server)
    for spec in chosen:
        expand(spec, os.environ, manifest.folder)
    started: dict[str, ServerProcess | ServerUnavailable] = {}
    for spec in chosen:
        try:
            started[spec.name] = launcher(spec, manifest)()
        except ServerUnavailable as error:
            started[spec.name] = error
        except ManifestInvalid:
            abandon(started.values())
            raise
    return started


def note_server(journal: Journal, server: str, pid: int) -> None:
    """Write down which process gets what this one sends to a server: it may outlive us, and still do it."""
    process = identify(pid)
    if process is not None:
        journal.server_started(server, process, by=this_process())


def exposed_servers(manifest: Manifest, *, server: str | None = None) -> list[ServerSpec]:
    """The servers that the client sees. With `server`, only that one."""
    if server is not None:
        return [manifest.server(server)]
    return [spec for spec in manifest.servers if spec.expose]


def abandon(started: Iterable[ServerProcess | ServerUnavailable]) -> None:
    for one in started:
        if isinstance(one, ServerProcess):
            one.kill()


def _added(env: Mapping[str, str]) -> dict[str, str]:
    """What was set for the server and is not of our own environment: an env_file's secrets."""
    return {name: value for name, value in env.items() if os.environ.get(name) != value}
