"""The proxy: one client on two descriptors, the servers of a manifest behind it, until the client leaves."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from synartesis.domain.names import Tool
from synartesis.domain.ports import Approver, Journal
from synartesis.domain.records import Approval
from synartesis.errors import EXIT_USAGE, JournalUnavailable, ServerUnavailable
from synartesis.policy.matching import Policy
from synartesis.relay.calls import ToolCalls
from synartesis.relay.catalog import Catalog
from synartesis.relay.client import Client
from synartesis.relay.dialog import Dialogs
from synartesis.relay.eras import Opening
from synartesis.relay.handlers import Front, OneServer
from synartesis.relay.log import Log
from synartesis.relay.servers import GuardedServers, Servers
from synartesis.relay.session import GRACE_S, Session, new_own_name
from synartesis.relay.starting import exposed_servers, launcher, note_server, start_servers
from synartesis.relay.turns import RandomIds, RealClock, ResourceTurns
from synartesis.relay.upstream import Link
from synartesis.wire.messages import Message
from synartesis.wire.process import ServerProcess

_COLLECTS_AFTER = (20_000, 20, 20)
"""A call makes hundreds of objects and hardly a cycle; collecting after every 700, as is usual, takes a tenth of its time."""

if TYPE_CHECKING:
    from synartesis.guard.call import Ports
    from synartesis.relay.desk import OrderDesk
    from synartesis.relay.notify import Notifier


DESK_OPENS_AFTER_S: Final = 0.2


async def serve(
    policy: Policy,
    journal: Journal,
    run: str,
    *,
    server: str | None,
    stdin: int,
    stdout: int,
    log: Log,
    approve_command: Callable[[str], str] = "synartesis approve {}".format,
    approver: Approver | None = None,
    started: Mapping[str, ServerProcess | ServerUnavailable] | None = None,
    new_desk: Callable[[Log], OrderDesk] | None = None,
    grace_s: float = GRACE_S,
) -> int:
    """Serve until the client leaves; ends the run and returns the exit code: 0, 1 where a call was left without a known
    outcome, 2 where the only server cannot be started.

    `server`: serve only this one, under its own names. `approver`: whose approvals count; None: anybody's. `started`: what
    `start_servers` returned, where it was called already. `new_desk`: makes the desk at which commands ask for something to be
    done over these servers. `grace_s`: how long calls that run may take after the client
    has left. Raises ManifestInvalid.
    """
    try:
        if started is None:
            started = start_servers(policy.manifest, server=server)
        if len(started) == 1:
            for problem in started.values():
                if isinstance(problem, ServerUnavailable):
                    log.error("server_unavailable", why=problem.message, hint=problem.hint)
                    return EXIT_USAGE
        proxy = _Proxy(
            policy,
            journal,
            run,
            server=server,
            log=log,
            approve_command=approve_command,
            approver=approver,
            new_desk=new_desk,
        )
        return await proxy.run(started, stdin=stdin, stdout=stdout, grace_s=grace_s)
    finally:
        try:
            await journal.end_run(run)
        except JournalUnavailable as error:
            log.error("run_not_ended", run=run, why=error.message)


class _Proxy:
    """Puts the pieces together for one connection."""

    def __init__(
        self,
        policy: Policy,
        journal: Journal,
        run: str,
        *,
        server: str | None,
        log: Log,
        approve_command: Callable[[str], str],
        approver: Approver | None,
        new_desk: Callable[[Log], OrderDesk] | None,
    ) -> None:
        self._policy = policy
        self._journal = journal
        self._run = run
        self._log = log
        self._approve_command = approve_command
        self._approver = approver
        self._new_desk = new_desk
        self._desk: OrderDesk | None = None
        self._is_leaving = False
        self._exposed = [spec.name for spec in exposed_servers(policy.manifest, server=server)]
        self._opening = Opening()
        self._background: set[asyncio.Task[None]] = set()
        self._own_name = new_own_name()
        self._links = {
            spec.name: Link(
                spec.name,
                launcher(spec, policy.manifest),
                opening=self._opening,
                log=log,
                on_message=self._from_server,
                own_name=self._own_name,
            )
            for spec in policy.manifest.servers
        }
        self._catalog = Catalog(self._links, log)
        for link in self._links.values():
            link.on_start = partial(note_server, journal, link.name)
            link.on_restart = partial(self._catalog.forget, link.name)
        self._ids = RandomIds()
        self._ports: Ports | None = None
        self._notifier: Notifier | None = None
        self._front: Front | None = None
        self._servers: GuardedServers | None = None

    async def run(
        self,
        started: Mapping[str, ServerProcess | ServerUnavailable],
        *,
        stdin: int,
        stdout: int,
        grace_s: float,
    ) -> int:
        session = Session(
            stdin=stdin,
            stdout=stdout,
            links=self._links,
            log=self._log,
            grace_s=grace_s,
            on_leaving=self._close_desk,
        )
        client = Client(session.write, self._opening)
        dialogs = Dialogs(client, own_name=self._own_name)
        client.took = dialogs.takes
        calls = ToolCalls(
            client=client,
            policy=self._policy,
            journal=self._journal,
            run=self._run,
            catalog=self._catalog,
            ports=self._guard_ports,
            ids=self._ids,
            log=self._log,
            dialogs=dialogs,
        )
        self._servers = GuardedServers(self._links, on_leaving=calls.on_leaving, on_unknown=client.leave_unknown)
        self._front = self._new_front(client, calls)
        for name, process in started.items():
            if isinstance(process, ServerProcess):
                self._links[name].adopt(process)
            else:
                self._log.error("server_unavailable", server=name, why=process.message, hint=process.hint)
                self._links[name].avoid(process.message)
        asyncio.get_running_loop().call_later(DESK_OPENS_AFTER_S, self._open_desk)
        gc.freeze()  # what was loaded so far stays: no collection has to walk it while calls wait
        gc.set_threshold(*_COLLECTS_AFTER)
        try:
            return await session.run(self._front, client, calls)
        finally:
            await asyncio.gather(*self._background, return_exceptions=True)
            await self._close_desk()  # what it had to do is over: its servers are gone
            if self._notifier is not None:
                self._notifier.close()

    def _open_desk(self) -> None:
        """Once the client has what it waits for at the start."""
        if self._new_desk is not None and not self._is_leaving:
            self._desk = self._new_desk(self._log)
            self._desk.open(Servers(self._links), self._opening)

    async def _close_desk(self) -> None:
        self._is_leaving = True
        if self._desk is not None:
            await self._desk.close("the client of this run left")

    def _new_front(self, client: Client, calls: ToolCalls) -> Front:
        if len(self._exposed) == 1:
            link = self._links[self._exposed[0]]
            return OneServer(
                link,
                client=client,
                opening=self._opening,
                calls=calls,
                route=lambda name: calls.route_to(Tool(link.name, name), link),
                catalog=self._catalog,
                opened=self._record_opening,
                log=self._log,
            )
        from synartesis.relay.several import SeveralServers

        return SeveralServers(
            {name: self._links[name] for name in self._exposed},
            client=client,
            opening=self._opening,
            calls=calls,
            catalog=self._catalog,
            opened=self._record_opening,
            log=self._log,
            own_name=self._own_name,
        )

    def _from_server(self, link: Link, message: Message) -> None:
        if self._front is not None:
            self._front.from_server(link, message)

    def _guard_ports(self) -> Ports:
        """Loaded with the first call that needs the guard: a client that only reads never waits for it."""
        if self._ports is None:
            from synartesis.guard.anybody import Anybody
            from synartesis.guard.call import Ports

            assert self._servers is not None
            self._ports = Ports(
                journal=self._journal,
                upstream=self._servers,
                clock=RealClock(),
                ids=self._ids,
                turns=ResourceTurns(),
                approve_command=self._approve_command,
                approver=self._approver or Anybody(),
                on_held=self._on_held(),
            )
        return self._ports

    def _on_held(self) -> Callable[[Approval], None]:
        from synartesis.relay.notify import Notifier, desktop_command

        manifest = self._policy.manifest
        command, desktop = manifest.notify or (), desktop_command() if manifest.notify != () else ()
        if not command and not desktop:
            return lambda _: None
        self._notifier = Notifier(
            command, desktop=desktop, folder=manifest.folder, approve_command=self._approve_command, log=self._log
        )
        return self._notifier.held

    def _record_opening(self) -> None:
        era = self._opening.era
        if era is not None:
            self._in_background(self._tell_journal(era, self._opening.to_json(), self._opening.agent()))

    async def _tell_journal(self, era: Any, opening: bytes, agent: str) -> None:
        try:
            await self._journal.record_opening(self._run, era, opening, agent)
        except JournalUnavailable as error:
            self._log.error("opening_not_recorded", why=error.message)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
