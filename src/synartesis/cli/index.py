"""The table of commands, and the one parser that is built: that of the command which runs. Importing this imports none of
them, because a person waits for `list`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

from synartesis.errors import UsageError
from synartesis.workspace.files import how_to_type_it


class Command(NamedTuple):
    name: str
    help: str
    """What it does, in one line."""
    group: str

    def module(self) -> Any:
        return import_module(f"synartesis.cli.commands.{self.name}")


_RECORD, _DECIDE, _UNDO = "What happened", "What waits for you", "Taking it back"
_KEEP, _START = "Keeping the record", "Setting up"

COMMANDS = (
    Command("demo", "the whole loop on a bundled toy CRM, narrated", _START),
    Command("init", "ask a server for its tools, and draft the manifest", _START),
    Command("connect", "put a client's servers behind the proxy; shows it first", _START),
    Command("disconnect", "take the proxy out of a client again", _START),
    Command("trust", "accept the commands of a manifest that was found", _START),
    Command("check", "start the servers and verify every rule against their tools", _START),
    Command("doctor", "what is wrong with this set-up, and what mends it", _START),
    Command("proxy", "stand between a client and its servers (the client runs this)", _START),
    Command("schema", "print the JSON Schema of the manifest", _START),
    Command("list", "runs, most recent first", _RECORD),
    Command("watch", "what happens, as it happens", _RECORD),
    Command("show", "one run, call by call, with the literal undo of each", _RECORD),
    Command("diff", "what one run changed, all in all", _RECORD),
    Command("gates", "calls that wait for a decision", _DECIDE),
    Command("approve", "let a held call through, once", _DECIDE),
    Command("deny", "refuse a held call for the next hour", _DECIDE),
    Command("freeze", "refuse every write of every agent until `resume`", _DECIDE),
    Command("resume", "end a freeze", _DECIDE),
    Command("approver", "the key that approvals are signed with", _DECIDE),
    Command("undo", "put back what a run changed, newest call first", _UNDO),
    Command("redo", "take an undo back", _UNDO),
    Command("settle", "say what became of a call that was never answered", _UNDO),
    Command("close", "end a run whose proxy died", _UNDO),
    Command("verify", "hold the history against itself, or an exported run", _KEEP),
    Command("export", "one run with its proof, as JSON", _KEEP),
    Command("prune", "drop what old calls said and replaced, keep their history", _KEEP),
)
GROUPS = (_RECORD, _DECIDE, _UNDO, _KEEP, _START)

EXAMPLES = """examples:
  synartesis list                    what agents did
  synartesis show                    the newest run, call by call
  synartesis undo --dry-run          what an undo would do; sends nothing
  synartesis undo                    do it
  synartesis gates                   what waits for a decision"""

FOOTER = """Manifest (synartesis.yaml) and journal (journal.db) are looked for from the
current folder upwards, then in ~/.synartesis (SYNARTESIS_HOME moves it).
Ids may be shortened. `synartesis COMMAND --help` says more.
Exit codes: 0 done, 1 stopped or refused, 2 usage or configuration."""


def overview() -> str:
    """The text of `synartesis --help`."""
    lines = ["usage: synartesis COMMAND [options]", "", "The undo layer for AI agents.", ""]
    for group in GROUPS:
        lines.append(f"{group}:")
        lines += [f"  {command.name:<10}  {command.help}" for command in COMMANDS if command.group == group]
        lines.append("")
    return "\n\n".join(filter(None, ["\n".join([*lines, EXAMPLES]), FOOTER, how_to_type_it()]))


def find_command(name: str) -> Command:
    """Raises UsageError with the nearest word."""
    for command in COMMANDS:
        if command.name == name:
            return command
    near = nearest(name, (command.name for command in COMMANDS))
    hint = f"did you mean `synartesis {near}`?" if near else "`synartesis --help` lists the commands"
    raise UsageError(f"there is no command {name!r}", hint=hint)


def build_parser(command: Command, *, width: int, prog: str) -> Parser:
    module = command.module()
    parser = Parser(
        prog=prog,
        description=command.help[0].upper() + command.help[1:] + ".",
        epilog="\n\n".join(filter(None, [module.EXAMPLES, how_to_type_it()])),
        formatter_class=_formatter(width),
        allow_abbrev=False,
    )
    module.configure(parser)
    parser.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR does the same)")
    return parser


class Parser(argparse.ArgumentParser):
    """Reports instead of exiting, and names the nearest flag."""

    takes_command = False
    """What stands behind `--` is a command of somebody else: none of it is an option of ours."""

    def split(self, words: list[str]) -> tuple[list[str], list[str]]:
        """Our words, and those of the command behind `--`."""
        if not self.takes_command or "--" not in words:
            return words, []
        at = words.index("--")
        return words[:at], words[at + 1 :]

    def parse(self, words: list[str]) -> argparse.Namespace:
        """Raises UsageError."""
        args, unknown = self.parse_known_intermixed_args(words)  # options may stand between ids
        if not unknown:
            return args
        word = unknown[0]
        if self.takes_command and not word.startswith("--"):
            raise UsageError(
                f"there is no place for {' '.join(unknown)!r} here",
                hint=f"put the server's command behind two dashes:\n{self.prog} NAME -- COMMAND ...",
            )
        if not word.startswith("-"):
            raise UsageError(f"there is one word too many: {word!r}", hint=self._see_help())
        flag = word.partition("=")[0]
        near = nearest(flag, self._option_string_actions)
        hint = f"did you mean {near}?" if near else self._see_help()
        raise UsageError(f"{self.prog} has no option {flag!r}", hint=hint)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}", hint=self._see_help())

    def _see_help(self) -> str:
        return f"`{self.prog} --help` shows what it takes, with examples"


def nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def _formatter(width: int) -> Callable[..., argparse.HelpFormatter]:
    def make(prog: str) -> argparse.HelpFormatter:
        return argparse.RawDescriptionHelpFormatter(prog, width=min(width, 100), max_help_position=28)

    return make
