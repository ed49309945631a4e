"""Rows as the journal returns them. Named tuples, because commands that only list must not pay for dataclasses; JSON stays
bytes (exact) until somebody looks inside."""

from __future__ import annotations

from typing import Literal, NamedTuple

from synartesis.domain.status import (
    ActionStatus,
    ApprovalStatus,
    Era,
    OrderStatus,
    RunKind,
    RunStatus,
    ToolClass,
    Undone,
)


class ProcessId(NamedTuple):
    """A process that can be told from a later one with the same number: `started` is its start time as the system counts
    it, empty where the system does not say."""

    pid: int
    started: str


class NewRun(NamedTuple):
    id: str
    kind: RunKind
    agent: str
    """The client's own name and version, or the person who undid; text from outside."""
    manifest: str
    """Absolute path of the manifest."""
    manifest_digest: str
    servers: tuple[tuple[str, str], ...]
    """(name, identity) of every server of the manifest."""
    process: ProcessId
    undoes: str | None = None
    """The run that this one undoes."""


class Run(NamedTuple):
    id: str
    kind: RunKind
    agent: str
    manifest: str
    manifest_digest: str
    servers: tuple[tuple[str, str], ...]
    process: ProcessId
    undoes: str | None
    era: Era | None
    """None until the client has opened the connection."""
    opening: bytes
    """What the client said of itself, as JSON: `protocolVersion`, `clientInfo`, `capabilities`, and the `roots` it named;
    needed to open the same servers again for an undo. Empty until the client has opened."""
    started_at: str
    ended_at: str | None
    redoes: bool = False
    """What it undoes is an undo itself."""


class RunSummary(NamedTuple):
    """A line of `list`."""

    run: Run
    status: RunStatus
    actions: int
    held: int
    """Requests of this run that still wait for a decision."""
    unknown: int


class Image(NamedTuple):
    """What a read found, as it is kept: the raw answer and what it was taken for."""

    state: Literal["present", "absent", "refused", "unreadable"]
    answer: bytes | None
    """JSON text of the `result` (or of the JSON-RPC `error` where `is_protocol_error`)."""
    why: str = ""
    is_protocol_error: bool = False


class InverseCall(NamedTuple):
    """One literal call of an inverse, as it is kept."""

    server: str
    tool: str
    arguments: bytes
    restores: tuple[str, ...]
    """Rendered paths of the state before that this call puts back; `""` is all of it. Where drift is judged by another
    read than the snapshot it is `""`: the paths of one say nothing about the other."""
    current: tuple[tuple[str, str], ...] = ()
    """Rendered (place in the arguments, path in the state): what is filled in just before the call is sent."""
    defaults: tuple[tuple[str, str], ...] = ()
    """The same: what stands there because the state before had nothing at this path."""


class Read(NamedTuple):
    """The read by which an action's state is captured and judged, as it is kept."""

    server: str
    tool: str
    arguments: bytes
    rules: bytes
    """`AnswerRules` as JSON; see guard.capture for the form."""


class Captured(NamedTuple):
    """What the snapshot found, as it is kept where drift is judged by another read."""

    read: Read
    image: Image


class NewAction(NamedTuple):
    """A call about to be judged, for `open_action` and `claim_inverse`."""

    id: str
    run: str
    server: str
    identity: str
    tool: str
    arguments: bytes
    tool_class: ToolClass
    fingerprint: str
    undoes: str | None = None
    """The action that this call undoes."""
    undoes_step: int = 0
    """Which call of that action's inverse this is, from 0."""


class Action(NamedTuple):
    id: str
    run: str
    seq: int
    """From 1, in the order in which calls were opened within the run."""
    server: str
    identity: str
    tool: str
    arguments: bytes
    tool_class: ToolClass
    fingerprint: str
    status: ActionStatus
    resource: str | None
    """What the call is about; None stands for its whole server."""
    read: Read | None
    """The read by which drift is judged. `before` is None beside it where only the answer said what to read: then nothing
    was there before."""
    before: Image | None
    after: Image | None
    """What `read` found. `unreadable` without a `read`: it could not even be said what to read."""
    reply: bytes | None
    """The JSON text of the `result` or of the `error`; None where no answer came, and for readonly calls."""
    inverse: tuple[InverseCall, ...] | None
    """Literal calls in the order in which they are made; None where the call cannot be undone (or not yet known)."""
    undoes: str | None
    undoes_step: int
    approval: str | None
    """The request whose approval this call was made under."""
    undone: Undone | None
    """Derived from the last confirmed step of an undo."""
    note: str
    at: str
    captured: Captured | None = None
    """What `$snapshot` stands for; None where that is `before`."""
    pruned: bool = False
    """Its payloads were dropped: `arguments` is empty, images have lost their answers, and there is no inverse any more."""


class Approval(NamedTuple):
    """A request for a decision. Its id is the id of the held action."""

    id: str
    run: str
    seq: int
    server: str
    identity: str
    tool: str
    arguments: bytes
    fingerprint: str
    status: ApprovalStatus
    why: str
    requested_at: str
    attempts: int
    """How often the call was made while it waited, the first time included."""
    decided_at: str | None
    decided_by: str
    reason: str
    spent_by: str | None
    """The action that reserved or used it."""
    earlier: tuple[tuple[str, int, bool], ...] = ()
    """(run, seq, was it undone) of identical calls that were carried out before, newest first, at most 5."""
    asker: str = ""
    """The name of the proxy that asked, new at each of its starts; empty where any approval counts."""
    asker_gone: bool = False
    """That proxy has ended: nobody is left who would accept a signed approval of this request."""
    signature: str = ""
    """Of a grant, where the journal has an approver; see synartesis.approver."""
    asked_in: str = ""
    """The run that asked last."""
    seen: Captured | None = None
    """What a read that the rule declares found when the call was held."""
    says: str = ""
    """What the rule tells whoever decides, a line each."""
    made: int = 0
    """How many calls of this tool the client had made within the day before."""


class Asking(NamedTuple):
    """What a request tells besides the call and why it was held."""

    asker: str = ""
    """The name under which the proxy asks; empty where any approval counts."""
    seen: Captured | None = None
    says: str = ""


class Allowance(NamedTuple):
    """A person let one tool of one server be called so many times more in one run."""

    number: int
    request: str
    """On which it was given."""
    run: str
    server: str
    identity: str
    tool: str
    uses: int
    used: int
    at: str
    by: str
    reason: str
    asker: str
    signature: str
    revoked_at: str | None

    @property
    def left(self) -> int:
        return 0 if self.revoked_at is not None else self.uses - self.used


class Seal(NamedTuple):
    """What makes a decision the approver's: who asked, when it was given, and the signature over both and the call."""

    asker: str
    at: str
    signature: str
    for_run: str = ""
    """The signature over the calls that are let through besides, where there are some."""


class Freeze(NamedTuple):
    """A person stopped every write of every proxy on a journal."""

    id: str
    at: str
    by: str
    reason: str
    ended_at: str | None
    """None while it holds."""
    ended_by: str = ""
    signature: str = ""
    """Of its end, where the journal has an approver."""


class Opened(NamedTuple):
    """A call that was written down, and what the journal knows that bears on its decision."""

    action: Action
    approval: Approval | None
    """RESERVED: granted, and now this action's to spend. WAITING: asked already. DENIED: within the last hour. None: never
    asked, or nothing of it holds any more."""
    undone_by: str | None
    """The undo run that is walking this action's run backwards right now, or the one that takes such an undo back."""
    allowance: Allowance | None = None
    """By which calls of this tool may go out in this run; counted only when one is sent under it."""
    frozen: Freeze | None = None
    """The freeze that holds."""


class Finding(NamedTuple):
    """What an undo proved about one action: evidence, appended once per attempt."""

    action: str
    undo_run: str
    inverse: str | None
    """The inverse action that was sent; None where nothing was."""
    undone: Undone
    verified: bool
    detail: bytes = b"[]"
    """JSON: `[{path, expected, actual, kind}]`."""


class NewOrder(NamedTuple):
    """What a command asks of the living proxy of a run, because it has the run's servers."""

    id: str
    asked_of: str
    """The run whose proxy is meant."""
    what: Literal["undo", "look"]
    about: str
    """The run to walk back; the action to look at."""
    manifest: str
    """Absolute path of the manifest to judge by."""
    options: bytes
    """As JSON; what they are depends on `what`."""
    by: str
    signature: str = ""
    """The approver's, where the journal has one and this needs it."""
    signed_at: str = ""


class Order(NamedTuple):
    new: NewOrder
    status: OrderStatus
    asker: ProcessId
    taker: ProcessId | None
    stops: bool
    """Whoever asked wants no further call made."""
    progress: tuple[str, int, int]
    """`looking` or `undoing`, how many are done, and of how many."""
    answer: bytes
