"""The proxy's side of an undo that a command asked it for: the same engine, over the servers that the run has used. What the
order says is judged anew, because whoever can write the journal can write an order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synartesis.domain.calls import NotSent, ResolvedCall, SendOutcome
from synartesis.domain.canonical import decode_json, encode_json
from synartesis.domain.records import Order, Run
from synartesis.domain.status import GateMode, OrderStatus, RunKind, ToolClass
from synartesis.errors import JournalUnavailable, SynartesisError
from synartesis.journal import liveness, open_beside
from synartesis.policy.sql import is_read_only

if TYPE_CHECKING:
    from synartesis.approver.gate import SignedApprovals
    from synartesis.domain.ports import Upstream
    from synartesis.journal.writes import SqliteJournal
    from synartesis.policy.manifest import Manifest, Rule
    from synartesis.policy.matching import Policy
    from synartesis.relay.log import Log
    from synartesis.undo.plan import UndoOptions
    from synartesis.undo.report import Report
    from synartesis.undo.spelled import Asked

FOLLOWS_EVERY_S: Final = 0.1
"""How often whoever asked is told how far it is, and looked for a wish to stop."""
MISSES_AFTER_S: Final = 0.5
"""How often it is looked whether they are still there."""
TRIES_AGAIN_AFTER_S: Final = 1.0


class Here(NamedTuple):
    """This proxy: what it has in memory, and nobody else can change."""

    run: Run
    rules: Policy
    approver: SignedApprovals


class _Declined(Exception):
    """Not this proxy's to do; whoever asked may do it otherwise. Says what the proxy does, as in "cannot do it"."""


class _NotWanted(Exception):
    """Nobody waits for it any more; nothing was sent."""


async def carry_out(
    order: str,
    upstream: Upstream,
    why_ending: Callable[[], str],
    *,
    clients: SqliteJournal,
    here: Here,
    log: Log,
) -> None:
    """Take an order, unless it was withdrawn, and answer it. `clients` is the journal by which the client's calls are
    recorded. It is opened once more for this: what waits in the tail of the calls is none of its business."""
    with closing(open_beside(clients)) as journal:
        taken = await journal.orders.take(order)
        if taken is None:
            return
        log.info("order_taken", order=order, about=taken.new.about, by=taken.new.by)
        asker = _Asker(taken, journal, why_ending, log)
        answer: bytes | None = b""
        if liveness.is_alive(taken.asker):
            following = asyncio.create_task(asker.follow())
            try:
                answer = await _answer(taken, asker, upstream, journal, here=here)
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)
        if answer is not None:
            await asker.hand_out(answer)


async def _answer(
    order: Order, asker: _Asker, upstream: Upstream, journal: SqliteJournal, *, here: Here
) -> bytes | None:
    """None where nobody waits for it."""
    do = _DOES.get(order.new.what)
    try:
        if do is None:
            raise _Declined(f"does not know how to {order.new.what}")
        return b'{"done":' + await do(order, asker, upstream, journal, here=here) + b"}"
    except _NotWanted:
        return None
    except _Declined as declined:
        return encode_json({"declined": str(declined)})
    except SynartesisError as error:
        return encode_json({"error": [error.message, error.hint, error.exit_code]})
    except Exception as error:
        what = f"something went wrong in the proxy that should not: {type(error).__name__}: {error}"
        return encode_json({"error": [what, "", SynartesisError.exit_code]})


async def _undo(order: Order, asker: _Asker, upstream: Upstream, journal: SqliteJournal, *, here: Here) -> bytes:
    # What is read and loaded for the first time would keep the client's calls waiting.
    asked, policy = await asyncio.get_running_loop().run_in_executor(None, _understood, order)
    from synartesis.relay.turns import RandomIds, RealClock
    from synartesis.undo.execute import undo_run
    from synartesis.undo.spelled import report_to_json
    from synartesis.workspace import new_run
    from synartesis.workspace.undoing import refuse_other_servers

    run, options = _own_run(order.new.about, journal, here), asked.options
    if here.approver.asker():
        upstream = _signed(order, upstream, policy, options, here)
    refuse_other_servers(run, journal.actions(run.id), policy.manifest)
    if options.replan:
        _decline_other_servers(policy.manifest, here.run)
    undoing = new_run(policy.manifest, kind=RunKind.UNDO, agent=order.new.by, undoes=run.id)
    try:
        report = await undo_run(
            run.id,
            history=journal,
            journal=journal,
            upstream=upstream,
            clock=RealClock(),
            ids=RandomIds(),
            policy=policy,
            options=options,
            undo_run=undoing,
            before_sending=asker.before_sending if asked.asks else asker.about_to_send,
            onlooker=asker,
        )
    finally:
        await asker.see_ended(undoing.id)
    return report_to_json(report)


async def _look(order: Order, _asker: _Asker, upstream: Upstream, journal: SqliteJournal, *, here: Here) -> bytes:
    """Make the reads by which a person decides what became of a call. Whoever asked judges what they say."""
    policy = await asyncio.get_running_loop().run_in_executor(None, _policy_of, order)
    from synartesis.undo.heard import Heard
    from synartesis.undo.settle import look_at
    from synartesis.workspace.undoing import refuse_other_servers

    action = journal.action(order.new.about)
    if action is None:
        raise _Declined(f"cannot do it: there is no call {order.new.about}")
    run = _own_run(action.run, journal, here)
    refuse_other_servers(run, [action], policy.manifest)
    _decline_other_servers(policy.manifest, here.run)
    heard = Heard(_OnlyReads(upstream, here.rules) if here.approver.asker() else upstream)
    result = decode_json(order.new.options)
    await look_at(
        action,
        upstream=heard,
        policy=policy,
        history=journal,
        result=result[0] if result else None,
        has_result=bool(result),
    )
    return encode_json(heard.to_json())


_DOES: dict[str, Callable[..., Coroutine[Any, Any, bytes]]] = {"undo": _undo, "look": _look}


def _own_run(run: str, journal: SqliteJournal, here: Here) -> Run:
    from synartesis.workspace.undoing import agents_run

    summary = journal.run(run)
    if summary is None or agents_run(summary.run, journal).id != here.run.id:
        raise _Declined(f"cannot do it: run {run} is not one of its own")
    return summary.run


def _signed(order: Order, upstream: Upstream, policy: Policy, options: UndoOptions, here: Here) -> Upstream:
    """Where there is an approver, whoever can write the journal must not have calls made by it: with rows of their own making, an
    undo of their own run would be a way past every gate. So only the approver has anything sent, and a dry run makes
    no call but those that the rules name as reads."""
    if options.dry_run:
        return _OnlyReads(upstream, here.rules)
    if not here.approver.lets(order.new, digest=policy.manifest.digest):
        raise _Declined("wants the approver's signature for that, which this is not")
    return upstream


class _OnlyReads:
    """Implements Upstream. `rules` are those that the proxy has in memory, not what a file says now. What the agent itself might
    call unasked may be called. That a rule reads the state with a tool is not enough: what it is given stands in the rows, and
    a tool that runs any statement is a read only as long as the rule says which."""

    def __init__(self, upstream: Upstream, rules: Policy) -> None:
        self._upstream = upstream
        self._rules = rules

    async def call(self, call: ResolvedCall) -> SendOutcome:
        if not _is_read(self._rules.rule_for(call.tool), call):
            return NotSent(f"{call.tool} is not a read by the rules that the proxy was started with")
        return await self._upstream.call(call)


def _is_read(rule: Rule, call: ResolvedCall) -> bool:
    match rule.gate:
        case GateMode.ON_WRITE:
            return is_read_only(call.arguments, rule.sql, rule.dialect) is None
        case GateMode.NEVER:
            return rule.tool_class is ToolClass.READONLY
        case GateMode.ALWAYS:
            return False


def _understood(order: Order) -> tuple[Asked, Policy]:
    import synartesis.undo.execute  # noqa: F401 - loaded here, beside the event loop
    from synartesis.undo.spelled import NotUnderstood, asked_from_json

    try:
        return asked_from_json(order.new.options), _policy_of(order)
    except NotUnderstood as error:
        raise _Declined(f"does not understand what is asked: {error}") from None


def _policy_of(order: Order) -> Policy:
    """As a command takes it: what the file says today."""
    from synartesis.workspace import policy_of

    return policy_of(Path(order.new.manifest))


def _decline_other_servers(manifest: Manifest, proxy: Run) -> None:
    """Rules of today may lead to servers that the proxy was not started with. What the run used was found to be the same."""
    own = dict(proxy.servers)
    others = sorted(spec.name for spec in manifest.servers if own.get(spec.name) != spec.identity)
    if others:
        raise _Declined(f"was not started with all servers that the manifest names now: {', '.join(others)}")


class _Asker:
    """Whoever asked, as the undo sees them: told how far it is, asked for a yes, and heard where they want it to stop.
    Implements Onlooker."""

    def __init__(self, order: Order, journal: SqliteJournal, why_ending: Callable[[], str], log: Log) -> None:
        self._order = order
        self._id = order.new.id
        self._orders = journal.orders
        self._journal = journal
        self._why_ending = why_ending
        self._log = log
        self._why_stop = ""
        self._progress = self._told = order.progress

    def looked(self, done: int, total: int) -> None:
        self._progress = ("looking", done, total)

    def undone(self, done: int, total: int) -> None:
        self._progress = ("undoing", done, total)

    def why_stop(self) -> str:
        return self._why_stop or self._why_ending()

    def _stop(self, why: str) -> None:
        if not self._why_stop:
            self._why_stop = why
            self._log.info("order_stops", order=self._id, why=why)

    async def follow(self) -> None:
        """Until it is cancelled."""
        loop = asyncio.get_running_loop()
        missed_at = loop.time()
        while True:
            with suppress(JournalUnavailable):
                await self._tell_and_hear()
            if loop.time() >= missed_at:
                missed_at = loop.time() + MISSES_AFTER_S
                if not liveness.is_alive(self._order.asker):
                    self._stop("the command that asked for it ended")
            await asyncio.sleep(FOLLOWS_EVERY_S)

    async def _tell_and_hear(self) -> None:
        standing = self._orders.standing(self._id)
        if standing is None:
            self._stop("the command that asked for it left")
        elif standing[1]:
            self._stop("you stopped it")
        elif ending := self._why_ending():
            self._stop(ending)
        if self._progress != self._told:
            self._told = self._progress
            await self._orders.tell(self._id, self._told)

    async def about_to_send(self, _plan: Report) -> None:
        """The moment from which on it cannot be withdrawn. Raises _NotWanted where it was."""
        self._refuse_if_stopped()
        if not await self._orders.act(self._id):
            raise _NotWanted

    async def before_sending(self, plan: Report) -> None:
        """The same where somebody wants to see the plan first, and says yes to it."""
        from synartesis.undo.spelled import report_to_json

        if not await self._orders.show_plan(self._id, report_to_json(plan)):
            raise _NotWanted
        while True:
            standing = self._orders.standing(self._id)
            if standing is not None and standing[0] is OrderStatus.AGREED:
                return await self.about_to_send(plan)
            if standing is None or standing[0] is not OrderStatus.PLANNED:
                raise _NotWanted
            self._refuse_if_stopped()
            await asyncio.sleep(FOLLOWS_EVERY_S)

    def _refuse_if_stopped(self) -> None:
        if why := self.why_stop():
            raise SynartesisError(f"{why} before anything was sent", hint="run it again")

    async def hand_out(self, answer: bytes) -> None:
        """Whoever waits for it would wait for ever: so once more, where the journal cannot be written just now."""
        while True:
            try:
                return await self._orders.answer(self._order, answer)
            except JournalUnavailable:
                if self._why_ending() or not liveness.is_alive(self._order.asker):
                    raise
            await asyncio.sleep(TRIES_AGAIN_AFTER_S)

    async def see_ended(self, undo_run: str) -> None:
        """An undo run that could not be ended would keep every call of its run from leaving, for as long as this process
        lives."""
        while not self._why_ending():
            with suppress(JournalUnavailable):
                summary = self._journal.run(undo_run)
                if summary is None or summary.run.ended_at is not None:
                    return
                await self._journal.end_run(undo_run)
            await asyncio.sleep(TRIES_AGAIN_AFTER_S)
