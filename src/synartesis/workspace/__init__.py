"""The composition root: finds manifest and journal, opens them, and joins the rooms for each command.

What only looks (`list`, `show`, `gates`) must start fast, so everything heavy is imported where it is used. `files` finds;
this opens and runs.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from synartesis.errors import UsageError
from synartesis.workspace.files import Files as Files
from synartesis.workspace.files import command_line, is_missing
from synartesis.workspace.files import find_files as find_files
from synartesis.workspace.files import nothing_found as nothing_found

if TYPE_CHECKING:
    from collections.abc import Callable

    from synartesis.approver.gate import SignedApprovals
    from synartesis.domain.ports import Upstream
    from synartesis.domain.records import NewRun, Run
    from synartesis.domain.status import RunKind
    from synartesis.journal.reads import SqliteHistory
    from synartesis.journal.writes import SqliteJournal
    from synartesis.policy.manifest import Manifest
    from synartesis.policy.matching import Policy
    from synartesis.present.checks import CheckResult
    from synartesis.relay.desk import OrderDesk
    from synartesis.relay.log import Log


def login_name() -> str:
    """Whose session this is, for `--by`."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"


# --- the record


def open_record(files: Files) -> SqliteHistory | None:
    """The journal, to look at and to decide in. None where nothing was recorded yet. Close it when done."""
    from synartesis.journal import open_history

    if files.journal is None:
        raise nothing_found("neither a journal nor a manifest was found")
    if is_missing(files.journal):
        if files.journal_named:
            raise UsageError(f"there is no journal at {files.journal}", hint="look at the path after --journal")
        if files.manifest_named and files.manifest is not None and is_missing(files.manifest):
            raise UsageError(f"there is no manifest at {files.manifest}", hint="look at the path after --manifest")
        return None
    return open_history(files.journal)


def need_record(files: Files) -> SqliteHistory:
    """The same, where it must be there: a mistyped path makes no new one."""
    record = open_record(files)
    if record is None:
        raise UsageError(
            f"nothing was recorded yet: {files.journal} is not there",
            hint="a run appears once a client has started the proxy",
        )
    return record


def is_alive(run: Run) -> bool:
    """Whether the process that made a run is still there."""
    from synartesis.journal import liveness

    return liveness.is_alive(run.process)


# --- the policy


def read_policy(files: Files) -> Policy:
    """Raises ManifestInvalid with every problem, UsageError where there is no manifest."""
    if files.manifest is None:
        raise nothing_found("no manifest was found")
    return policy_of(files.manifest)


def read_trusted_policy(files: Files) -> Policy:
    """The same, for whoever starts its servers. Raises UsageError where nobody has accepted their commands."""
    from synartesis.workspace.trust import need_trust

    policy = read_policy(files)
    need_trust(policy.manifest, named=files.manifest_named)
    return policy


def policy_of(manifest: Path) -> Policy:
    from synartesis.policy.matching import Policy
    from synartesis.policy.reader import read_manifest

    return Policy(read_manifest(manifest))


# --- the proxy


def run_proxy(policy: Policy, path: Path, *, server: str | None, log_level: str) -> int:
    """Stand between stdin and stdout and the servers until the client leaves. `path` is the journal's; the run is in it before
    anything is started. Raises UsageError where the only server is not there to be started: then nothing was written."""
    import asyncio

    from synartesis.domain.status import RunKind
    from synartesis.journal import open_journal
    from synartesis.relay.log import Log
    from synartesis.relay.starting import start_servers
    from synartesis.workspace.approving import signed_approvals

    def approve_command(request: str) -> str:
        return command_line(["approve", request], journal=path)

    async def serve_run(journal: SqliteJournal) -> int:
        log = Log(log_level)
        approver = signed_approvals(journal, path, log)  # first of all: from here on no file can exchange the key
        run = await journal.open_run(new_run(policy.manifest, kind=RunKind.AGENT, agent=""))
        started = start_servers(policy.manifest, server=server)
        from synartesis.relay.serve import serve  # takes a while, which the servers need as well

        return await serve(
            policy,
            journal,
            run.id,
            server=server,
            stdin=0,
            stdout=1,
            log=log,
            approve_command=approve_command,
            approver=approver,
            started=started,
            new_desk=lambda log: _new_desk(journal, run, policy, approver, log),
        )

    _look_at_servers(policy.manifest, server)
    with closing(open_journal(path)) as journal:
        return asyncio.run(serve_run(journal))


def _new_desk(journal: SqliteJournal, run: Run, policy: Policy, approver: SignedApprovals, log: Log) -> OrderDesk:
    """Where commands ask for what is to be done over the servers of this run."""
    from synartesis.relay.desk import OrderDesk

    async def carry_out(order: str, upstream: Upstream, why_ending: Callable[[], str]) -> None:
        from synartesis.workspace import obeying  # an undo is rare, and much to load

        here = obeying.Here(run, policy, approver)
        await obeying.carry_out(order, upstream, why_ending, clients=journal, here=here, log=log)

    def notice_what_was_stopped() -> None:
        """Soon after it was written, not only with the next call: what was seen cannot be taken out of the journal any more."""
        if not approver.known.is_set:
            return
        for request in approver.notice_taken_back(journal.orders.taken_back(approver.asker())):
            log.info("taken_back_seen", request=request)
        frozen = journal.orders.frozen()
        if frozen is not None and approver.notice(frozen):
            log.info("freeze_seen", by=frozen.by, reason=frozen.reason)

    return OrderDesk(journal.orders, run.id, carry_out, log, changed=notice_what_was_stopped)


def _look_at_servers(manifest: Manifest, server: str | None) -> None:
    """What can be known to be wrong before anything is written or started. Raises ManifestInvalid where a variable is not set."""
    from synartesis.policy.environment import expand
    from synartesis.relay.starting import exposed_servers

    launches = {
        spec.name: expand(spec, os.environ, manifest.folder) for spec in exposed_servers(manifest, server=server)
    }
    if len(launches) != 1:
        return  # the others are served without it
    [(name, launch)] = launches.items()
    folders = [str(launch.cwd)] if "/" in launch.command else launch.env.get("PATH", os.defpath).split(os.pathsep)
    if not any(os.path.exists(os.path.join(folder, launch.command)) for folder in folders):
        looked = launch.cwd if "/" in launch.command else f"PATH ({os.pathsep.join(folders)})"
        raise UsageError(
            f"server {name!r} cannot be started: there is no {launch.command} in {looked}",
            hint="correct its command in the manifest, or give it as an absolute path",
        )


# --- a check


def check_policy(policy: Policy) -> CheckResult:
    """Start every server side by side, and hold the rules against the tools that they advertise."""
    from synartesis.onboard.introspect import USUAL_START_S
    from synartesis.policy.verify import Finding, verify
    from synartesis.present.checks import CheckResult, ServerCheck
    from synartesis.workspace.asking import ask_servers

    manifest = policy.manifest
    offers = ask_servers(manifest, [spec.name for spec in manifest.servers], patience_s=USUAL_START_S)
    found = verify(policy, {offer.server: offer.tools for offer in offers if offer.tools is not None})
    warnings = [Finding("warning", text) for text in manifest.warnings]
    return CheckResult(str(manifest.path), tuple(ServerCheck(*offer[:4]) for offer in offers), (*found, *warnings))


# --- below: how


def new_run(manifest: Manifest, *, kind: RunKind, agent: str, undoes: str | None = None) -> NewRun:
    from synartesis.domain.records import NewRun
    from synartesis.journal.liveness import this_process
    from synartesis.relay.turns import RandomIds

    return NewRun(
        id=RandomIds().new_id(),
        kind=kind,
        agent=agent,
        manifest=str(manifest.path),
        manifest_digest=manifest.digest,
        servers=tuple((spec.name, spec.identity) for spec in manifest.servers),
        process=this_process(),
        undoes=undoes,
    )
