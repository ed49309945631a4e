"""An undo (or a redo) over the servers of a run's own manifest, started as far as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from synartesis.errors import SynartesisError, UsageError
from synartesis.workspace.files import is_missing

if TYPE_CHECKING:
    from synartesis.approver.key import Sign
    from synartesis.domain.ports import History
    from synartesis.domain.records import Action, NewOrder, Run
    from synartesis.journal.writes import SqliteJournal
    from synartesis.policy.manifest import Manifest, ServerSpec
    from synartesis.policy.matching import Policy
    from synartesis.undo.onlooker import Onlooker
    from synartesis.undo.plan import UndoOptions
    from synartesis.undo.report import Report
    from synartesis.workspace.ordering import Person


def run_undo(
    path: Path,
    run: Run,
    options: UndoOptions,
    *,
    manifest: Path | None,
    by: str,
    opened_by: Run | None = None,
    before_sending: Callable[[Report], None] | None = None,
    onlooker: Onlooker | None = None,
    on_interrupt: Callable[[], None] | None = None,
    start_servers: bool = False,
    person: Person | None = None,
    hand: Callable[[History], Sign | None] | None = None,
) -> Report:
    """Walk a run backwards. `path` is the journal's; `manifest` the one that was named, else the run's own; `opened_by` the run
    whose client's words open the servers, where that is another one. Raises UsageError where today's server is not the
    one that the run used.

    While the run's own proxy is alive, that does it over the servers that the run has used; unless `start_servers`. Where it
    does not, `person` is told why, and may raise: otherwise the servers are started a second time. `hand` gives the
    approver's hand, where the journal has one: then the proxy sends nothing for anybody else.

    Once `on_interrupt` was called, Ctrl-C was pressed: it may tell `onlooker` to stop before the next step. A second one ends
    everything at once.
    """
    import asyncio

    from synartesis.domain.status import RunKind
    from synartesis.journal import open_journal
    from synartesis.relay.connect import connect
    from synartesis.relay.log import Log
    from synartesis.relay.starting import note_server
    from synartesis.relay.turns import RandomIds, RealClock
    from synartesis.undo.execute import undo_run
    from synartesis.undo.onlooker import NOBODY
    from synartesis.workspace import new_run
    from synartesis.workspace.asking import variables_for

    policy = policy_for(run, manifest)
    client = opened_by or run

    async def show_plan(plan: Report) -> None:
        if before_sending is not None:
            before_sending(plan)

    async def walk(journal: SqliteJournal) -> Report:
        variables = variables_for(policy.manifest)
        async with connect(
            policy.manifest,
            era=client.era,
            opening=client.opening,
            log=Log("warning"),
            variables=variables,
            on_start=partial(note_server, journal),
        ) as connection:
            with _first_interrupt(on_interrupt):
                return await undo_run(
                    run.id,
                    history=journal,
                    journal=journal,
                    upstream=connection,
                    clock=RealClock(),
                    ids=RandomIds(),
                    policy=policy,
                    options=options,
                    undo_run=new_run(policy.manifest, kind=RunKind.UNDO, agent=by, undoes=run.id),
                    before_sending=show_plan,
                    onlooker=onlooker or NOBODY,
                )

    with closing(open_journal(path)) as journal:
        refuse_other_servers(run, journal.actions(run.id), policy.manifest)
        report = None
        if not start_servers:
            report = _by_its_proxy(
                journal,
                run,
                options,
                policy.manifest,
                by=by,
                before_sending=before_sending,
                onlooker=onlooker or NOBODY,
                on_interrupt=on_interrupt,
                person=person,
                hand=hand,
            )
        if report is not None:
            return report
        try:
            return asyncio.run(walk(journal))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _by_its_proxy(
    journal: SqliteJournal,
    run: Run,
    options: UndoOptions,
    manifest: Manifest,
    *,
    by: str,
    before_sending: Callable[[Report], None] | None,
    onlooker: Onlooker,
    on_interrupt: Callable[[], None] | None,
    person: Person | None,
    hand: Callable[[History], Sign | None] | None,
) -> Report | None:
    """None where the run's proxy is gone, or will not do it and whoever asked wants it done otherwise."""
    from synartesis.undo.report import Report
    from synartesis.undo.spelled import report_from_json
    from synartesis.workspace.ordering import hand_over, living_proxy

    proxy = living_proxy(run, journal)
    if proxy is None:
        return None
    sign = None if hand is None or options.dry_run else hand(journal)
    order = _order(run, proxy, options, manifest, by=by, asks=before_sending is not None, sign=sign)
    done = hand_over(
        journal,
        order,
        proxy,
        read=report_from_json,
        before_sending=before_sending,
        onlooker=onlooker,
        on_interrupt=on_interrupt,
        on_silence=person.silent if person is not None else lambda _: None,
    )
    if isinstance(done, Report):
        return done
    if why := onlooker.why_stop():
        raise SynartesisError(f"{why} before it began; nothing was sent", hint="run it again")
    if done is not None and person is not None:
        person.unanswered(done)
    return None


def _order(
    run: Run,
    proxy: Run,
    options: UndoOptions,
    manifest: Manifest,
    *,
    by: str,
    asks: bool,
    sign: Sign | None,
) -> NewOrder:
    from synartesis.domain.records import NewOrder
    from synartesis.relay.turns import RandomIds
    from synartesis.undo.spelled import Asked, asked_to_json

    said = asked_to_json(Asked(options, asks))
    order = NewOrder(RandomIds().new_id(), proxy.id, "undo", run.id, str(manifest.path), said, by)
    if sign is None:
        return order
    from synartesis.approver.statement import statement_of_order
    from synartesis.journal.ledger import stamp
    from synartesis.journal.reads import utc_now

    order = order._replace(signed_at=stamp(utc_now()))
    return order._replace(signature=sign(statement_of_order(order, manifest.digest)))


@contextmanager
def _first_interrupt(told: Callable[[], None] | None) -> Iterator[None]:
    """The first Ctrl-C is told; the next one cancels whatever is under way."""
    import asyncio
    import signal

    if told is None or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    was_told = False

    def interrupted() -> None:
        nonlocal was_told
        if was_told:
            task.cancel()
            return
        was_told = True
        told()

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def agents_run(run: Run, history: History) -> Run:
    """The run of an agent that it all began with: itself, what it undoes, or what that undoes in turn."""
    above = history.run(run.undoes) if run.undoes else None
    return run if above is None or above.run.id == run.id else agents_run(above.run, history)


def policy_for(run: Run, manifest: Path | None) -> Policy:
    """That of the manifest that was named, else of the run's own. Raises ManifestInvalid, UsageError."""
    from synartesis.workspace import policy_of
    from synartesis.workspace.trust import need_trust

    policy = policy_of(manifest or _manifest_of(run))
    need_trust(policy.manifest, named=manifest is not None)  # the journal may have been found as well
    return policy


def _manifest_of(run: Run) -> Path:
    path = Path(run.manifest)
    if is_missing(path):
        raise UsageError(
            f"the manifest of run {run.id} is gone: {path}",
            hint="its servers cannot be started without it; name the manifest to use: --manifest FILE",
        )
    return path


def refuse_other_servers(run: Run, actions: Sequence[Action], manifest: Manifest) -> None:
    """Putting state back into another server than it came from would be a write that nobody asked for."""
    recorded = dict(run.servers)
    today = {spec.name: spec for spec in manifest.servers}
    for name in sorted(_servers_needed(actions)):
        spec = today.get(name)
        if spec is None:
            raise UsageError(
                f"run {run.id} used a server {name!r}, which {manifest.path} does not name",
                hint="put it back into the manifest, or name the manifest that has it: --manifest FILE",
            )
        if name in recorded and recorded[name] != spec.identity:
            raise UsageError(
                f"server {name!r} is not the one that run {run.id} used\n"
                f"recorded: {recorded[name][:12]} (manifest {run.manifest} as it was then)\n"
                f"today:    {spec.identity[:12]} ({_how_started(spec)}; manifest {manifest.path})",
                hint="command, args, cwd and env of a server make it what it is: put them back as they were, then undo",
            )


def _servers_needed(actions: Sequence[Action]) -> set[str]:
    needed = set()
    for action in actions:
        if action.inverse or action.read is not None:
            needed |= {call.server for call in action.inverse or ()}
            needed |= {action.read.server} if action.read is not None else set()
    return needed


def _how_started(spec: ServerSpec) -> str:
    import shlex

    return shlex.join([spec.command, *spec.args])
