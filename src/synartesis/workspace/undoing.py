"""An undo (or a redo) over the servers of a run's own manifest, started as far as they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from synartesis.errors import UsageError
from synartesis.workspace.files import is_missing

if TYPE_CHECKING:
    from synartesis.domain.records import Action, Run
    from synartesis.journal.writes import SqliteJournal
    from synartesis.policy.manifest import Manifest, ServerSpec
    from synartesis.policy.matching import Policy
    from synartesis.undo.onlooker import Onlooker
    from synartesis.undo.plan import UndoOptions
    from synartesis.undo.report import Report


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
) -> Report:
    """Walk a run backwards. `path` is the journal's; `manifest` the one that was named, else the run's own; `opened_by` the run
    whose client's words open the servers, where that is another one. Raises UsageError where today's server is not the
    one that the run used.

    Once `on_interrupt` was called, Ctrl-C was pressed: it may tell `onlooker` to stop before the next step. A second one ends
    everything at once.
    """
    import asyncio

    from synartesis.domain.status import RunKind
    from synartesis.journal import open_journal
    from synartesis.relay.connect import connect
    from synartesis.relay.log import Log
    from synartesis.relay.turns import RandomIds, RealClock
    from synartesis.undo.execute import undo_run
    from synartesis.undo.onlooker import NOBODY
    from synartesis.workspace import new_run
    from synartesis.workspace.asking import variables_for

    policy = policy_for(run, manifest)
    client = opened_by or run

    async def walk(journal: SqliteJournal) -> Report:
        variables = variables_for(policy.manifest)
        async with connect(
            policy.manifest, era=client.era, opening=client.opening, log=Log("warning"), variables=variables
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
                    before_sending=before_sending,
                    onlooker=onlooker or NOBODY,
                )

    with closing(open_journal(path)) as journal:
        refuse_other_servers(run, journal.actions(run.id), policy.manifest)
        try:
            return asyncio.run(walk(journal))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


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
