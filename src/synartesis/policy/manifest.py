"""What a manifest says, as values: the file read and checked, its references parsed, nothing resolved yet.

`reader` makes these from text; `matching` compiles them into a policy; `template` resolves what is marked Template.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Literal

import msgspec

from synartesis.domain.calls import AnswerRules, Decode
from synartesis.domain.names import Tool, server_identity
from synartesis.domain.paths import Path
from synartesis.domain.status import GateMode, ToolClass
from synartesis.policy.references import Reference
from synartesis.policy.template import Template, given_paths, read_references, references_of_each, restored_paths


class ServerSpec(msgspec.Struct, frozen=True):
    """How one server is started. Nothing is expanded here: `environment.expand` does that just before the start, so that no
    secret is ever held longer than needed."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    """Relative to the manifest's folder, which is the default."""
    env_file: str = ""
    expose: bool = True
    """False: only rules may call its tools; the agent never sees them, and it does not count towards prefixing names."""
    where: str = ""
    """`synartesis.yaml:3`, for messages."""
    env_where: tuple[str, ...] = ()
    """The same for each entry of `env`."""

    @property
    def identity(self) -> str:
        return server_identity(command=self.command, args=self.args, cwd=self.cwd, url="", env=self.env)


class ReadRule(msgspec.Struct, frozen=True):
    """The read of a snapshot or of `verify`: which tool, with which arguments, and how its answer is understood. The texts
    of TextIs marks in `answers` may still hold references; `template.resolve_read` makes them literal."""

    tool: Tool
    args: Template
    answers: AnswerRules = AnswerRules()
    for_each: Reference | list[Template] | None = None
    """The list for each element of which the read is made, or the elements themselves, as templates: the state is then a list
    of `{item, state, present}`."""

    @property
    def is_of_places(self) -> bool:
        """What it reads is written out in the rule: the places that a call is about, of which some may be empty."""
        return isinstance(self.for_each, list)

    def path_in_answer(self, path: Path) -> Path | None:
        """Where a path of `$snapshot` stands in one answer; None where it is not of an answer."""
        if self.for_each is None:
            return path
        return path[2:] if path[1:2] == ("state",) else None

    @property
    def needs_result(self) -> bool:
        """It can be made only after the call: what to read is in the answer."""
        return any(reference.source == "result" for reference in read_references(self))


class CallTemplate(msgspec.Struct, frozen=True):
    """One call of an inverse, its arguments with references."""

    tool: Tool
    args: Template
    for_each: Reference | None = None
    """The list for each element of which the call is made, the last one first."""
    serves: Literal["all", "present", "absent"] = "all"
    """Of a snapshot of several things: which of them `$snapshot` stands for."""
    keeps: tuple[tuple[Path, Path], ...] = ()
    """(place in the arguments, path in the answer): what is ignored of what it puts back, and is handed back as it is when the
    call is sent."""

    def references(self) -> Iterator[Reference]:
        return references_of_each(self.args, self.for_each)

    @property
    def restores(self) -> tuple[Path, ...]:
        """The paths of `$snapshot` that it puts back."""
        return restored_paths(self.args, self.for_each)

    @property
    def gives(self) -> tuple[Path, ...]:
        """Those of them that it is given as they are, not inside of a longer text."""
        return given_paths(self.args, self.for_each)


class Rule(msgspec.Struct, frozen=True):
    """What may happen with one tool, or with all that a pattern matches."""

    match: str
    tool_class: ToolClass
    gate: GateMode
    snapshot: ReadRule | None = None
    verify: ReadRule | None = None
    """The read by which drift is judged, where that is not the snapshot."""
    inverse: tuple[CallTemplate, ...] = ()
    """Where the snapshot found something, or where there is none. Empty with `inverse_if_absent`: a call that finds
    something there is held."""
    inverse_if_absent: tuple[CallTemplate, ...] = ()
    decode: Decode | None = None
    """How the call's own answer becomes `$result`, where it is not plain."""
    resource: tuple[Template, ...] = ()
    """What the call is about, a text for each thing; empty: its read says that."""
    note: str = ""
    """What whoever decides about a call has to know."""
    residue: str = ""
    """What an undo of it cannot take back."""
    sql: tuple[Path, ...] = ()
    """Which arguments are SQL, for `gate: on_write`; empty: every text in them is judged."""
    dialect: str | None = None
    limit: int | None = None
    """From one call more than so many in 24 hours, by one client, each is held."""
    asks_client: bool = False
    """A held call is also asked about in the client's own dialog."""
    where: str = ""
    """`synartesis.yaml:14`, for messages; empty for the default that holds tools without a rule."""

    @property
    def is_default(self) -> bool:
        """No rule mentions the tool: it is irreversible and held."""
        return not self.where

    @property
    def says(self) -> str:
        """What it tells whoever decides about a call, a line each."""
        return "\n".join(filter(None, (self.note, self.residue and f"An undo cannot take back: {self.residue}")))

    @property
    def reads(self) -> tuple[tuple[str, ReadRule], ...]:
        """Every read of state that the rule makes, with the key that asks for it."""
        both = (("snapshot", self.snapshot), ("verify", self.verify))
        return tuple((key, read) for key, read in both if read is not None)


class Manifest(msgspec.Struct, frozen=True):
    path: FilePath
    digest: str
    """SHA-256 of the file's bytes, hexadecimal."""
    servers: tuple[ServerSpec, ...]
    rules: tuple[Rule, ...]
    notify: tuple[str, ...] | None = None
    """The command that tells a person that a call is held. None: not said, so the desktop does where it can; empty: nobody
    is told."""
    warnings: tuple[str, ...] = ()

    @property
    def folder(self) -> FilePath:
        return self.path.parent

    def server(self, name: str) -> ServerSpec:
        """Raises KeyError."""
        for spec in self.servers:
            if spec.name == name:
                return spec
        raise KeyError(name)
