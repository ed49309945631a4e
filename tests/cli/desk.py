"""A folder with a manifest and a journal that was written by hand, and commands run in it, in this process.

The journal is real SQLite. What a command said is kept as a transcript: command, stdout, stderr, exit code.
SYNARTESIS_UPDATE_GOLDEN=1 rewrites the golden ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from synartesis.cli.main import main
from synartesis.domain.canonical import encode_json, fingerprint
from synartesis.domain.records import Action, Approval, Image, InverseCall, NewAction, NewRun, ProcessId, Read
from synartesis.domain.status import ActionStatus, Era, RunKind, ToolClass
from synartesis.errors import SynartesisError
from synartesis.journal import open_journal
from synartesis.journal.liveness import this_process
from synartesis.journal.writes import SqliteJournal
from synartesis.policy.reader import read_manifest
from synartesis.workspace.trust import accept

GOLDEN = Path(__file__).with_name("golden")
UPDATE = "SYNARTESIS_UPDATE_GOLDEN"

GONE = ProcessId(4_190_000, "long ago")
"""A process that is not there."""
CLOCK_STARTS = datetime(2026, 3, 4, 14, 3, 0, tzinfo=UTC)
IDENTITY = "0" * 64


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as one JSON value, fractions exact."""
        return json.loads(self.out, parse_float=Decimal)

    @property
    def said(self) -> str:
        """Both streams as running text, however lines were broken."""
        return " ".join((self.out + self.err).split())


def too_wide(text: str) -> list[str]:
    """Lines that run over the edge of a terminal of 80 columns, but for those that have to: a path and one word, and a
    command, which is pasted as one line."""

    def has_to(line: str) -> bool:
        words = line.replace("mend: ", "").split()
        return len(words) < 3 or words[0] in ("synartesis", "chmod", sys.executable)

    return [line for line in text.split("\n") if len(line) > 80 and not has_to(line)]


@dataclass
class Desk:
    folder: Path
    capture: pytest.CaptureFixture[str]
    seconds: int = 0
    made: int = 0
    transcript: list[str] = field(default_factory=list)

    @property
    def manifest(self) -> Path:
        return self.folder / "synartesis.yaml"

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    # Recording

    def record(self, story: Callable[[Scribe], Awaitable[None]]) -> None:
        """Write to the journal what a proxy would have written."""

        async def write() -> None:
            with closing(open_journal(self.journal, now=self.now)) as journal:
                await story(Scribe(self, journal))

        asyncio.run(write())

    def now(self) -> datetime:
        """A clock that moves on by a second whenever it is looked at."""
        self.seconds += 1
        return CLOCK_STARTS + timedelta(seconds=self.seconds)

    def new_id(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made:011x}"

    # Running

    def run(self, *words: str) -> Ran:
        """A command, as typed in the folder."""
        self.trust()
        self.capture.readouterr()
        code = main([str(word) for word in words])
        said = self.capture.readouterr()
        ran = Ran(code, said.out, said.err)
        if "--json" not in words:
            assert [] == too_wide(said.err)
        self.transcript.append(_transcript(words, ran, self.folder))
        return ran

    def trust(self) -> None:
        """Whoever sits here wrote the manifest of this folder, and that of the home, themselves."""
        for path in (self.manifest, Path.home() / ".synartesis" / self.manifest.name):
            with suppress(SynartesisError, OSError):
                accept(read_manifest(path))

    def matches_golden(self, name: str) -> None:
        """Everything that was run so far is what the file says."""
        path = GOLDEN / f"{name}.txt"
        text = "\n".join(self.transcript)
        if os.environ.get(UPDATE):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"look at it, then rewrite it with {UPDATE}=1"


@dataclass
class Scribe:
    """What happened, in one line each."""

    desk: Desk
    journal: SqliteJournal
    run_id: str = ""

    async def run(
        self,
        agent: str = "claude-code 2.1.3",
        *,
        kind: RunKind = RunKind.AGENT,
        undoes: str | None = None,
        process: ProcessId = GONE,
    ) -> str:
        self.run_id = self.desk.new_id("a" if kind is RunKind.AGENT else "d")
        servers = (("crm", IDENTITY),)
        manifest = str(self.desk.manifest)
        await self.journal.open_run(NewRun(self.run_id, kind, agent, manifest, "1" * 64, servers, process, undoes))
        if kind is RunKind.AGENT:
            await self.journal.record_opening(self.run_id, Era.HANDSHAKE, b"{}", agent)
        return self.run_id

    async def opened(
        self,
        tool: str,
        arguments: Any,
        tool_class: ToolClass = ToolClass.REVERSIBLE,
        *,
        undoes: str | None = None,
    ) -> Action:
        new = self._new(tool, arguments, tool_class, undoes)
        if undoes is not None:
            return await self.journal.claim_inverse(new)
        return (await self.journal.open_action(new)).action

    def read(self, tool: str, arguments: Any) -> None:
        self.journal.record_read(self._new(tool, arguments, ToolClass.READONLY, None), status=ActionStatus.APPLIED)

    async def sent(self, tool: str, arguments: Any, before: Image | None, **more: Any) -> Action:
        """A write that left, and of which nothing more is known."""
        action = await self.opened(tool, arguments, **more)
        await self._mark_sent(action, arguments, before)
        return action

    async def applied(
        self,
        tool: str,
        arguments: Any,
        *,
        before: Image | None = None,
        after: Image | None = None,
        inverse: tuple[str, Any] | None = None,
        note: str = "",
        **more: Any,
    ) -> Action:
        """A write that went through."""
        action = await self.sent(tool, arguments, before, **more)
        calls = None if inverse is None else (InverseCall("crm", inverse[0], encode_json(inverse[1]), ("",)),)
        await self.journal.mark_applied(action.id, reply=b"{}", after=after, inverse=calls, note=note)
        return action

    async def rejected(self, tool: str, arguments: Any, *, says: str, before: Image, after: Image) -> Action:
        action = await self.sent(tool, arguments, before)
        reply = encode_json({"isError": True, "content": [{"type": "text", "text": says}]})
        await self.journal.mark_rejected(action.id, reply=reply, after=after)
        return action

    async def held(self, tool: str, arguments: Any, *, why: str = "no rule mentions it", times: int = 1) -> Approval:
        asked = []
        for _ in range(times):
            action = await self.opened(tool, arguments, ToolClass.IRREVERSIBLE)
            asked.append(await self.journal.hold(action.id, why=why))
        return asked[-1]

    async def ended(self) -> None:
        await self.journal.end_run(self.run_id)

    async def _mark_sent(self, action: Action, arguments: Any, before: Image | None) -> None:
        read = None if before is None else Read("crm", "get_customer", encode_json({"id": arguments.get("id")}), b"{}")
        await self.journal.mark_sent(
            action.id, resource=f"customer {arguments.get('id')}", read=read, before=before, inverse=None
        )

    def _new(self, tool: str, arguments: Any, tool_class: ToolClass, undoes: str | None) -> NewAction:
        action = self.desk.new_id("c")
        return NewAction(
            id=action,
            run=self.run_id,
            server="crm",
            identity=IDENTITY,
            tool=tool,
            arguments=encode_json(arguments),
            tool_class=tool_class,
            fingerprint=fingerprint(IDENTITY, tool, arguments),
            undoes=undoes,
        )


def present(value: Any) -> Image:
    """What a server with structured content answers."""
    return Image("present", encode_json({"content": [], "structuredContent": value}))


ALIVE = this_process()


def _transcript(words: tuple[str, ...], ran: Ran, folder: Path) -> str:
    typed = " ".join(word if word.isprintable() else repr(word) for word in words)
    lines = [f"$ synartesis {typed}", *ran.out.splitlines()]
    lines += [f"stderr: {line}" for line in ran.err.splitlines()]
    text = "\n".join([*lines, f"exit {ran.code}", ""])
    return text.replace(str(folder), "/home/ada/crm")
