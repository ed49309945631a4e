"""Entry points: find the command, build its parser, run it, and turn every ending into words and an exit code."""

from __future__ import annotations

import os
import sys

from synartesis import __version__
from synartesis.cli.index import Command, build_parser, find_command, nearest, overview
from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE, EXIT_STOPPED, SynartesisError, UsageError

_WITH_VALUE = ("--manifest", "--journal")
_BEFORE_THE_COMMAND = (*_WITH_VALUE, "--json", "--no-color", "--help", "--version")


def console() -> int:
    """The command `synartesis`."""
    return main(sys.argv[1:])


def console_proxy() -> int:
    """The command `synartesis-proxy`."""
    return main(["proxy", *sys.argv[1:]], prog="synartesis-proxy")


def main(argv: list[str], *, prog: str = "") -> int:
    """Run one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a narrow locale must not stop an undo
    out = Output(stdout=sys.stdout, stderr=sys.stderr, as_json="--json" in argv, no_colour="--no-color" in argv)
    try:
        return _run(argv, out, prog)
    except SynartesisError as error:
        out.error(error)
        return error.exit_code
    except KeyboardInterrupt:
        out.notice("\ninterrupted")
        return EXIT_STOPPED
    except BrokenPipeError:
        _close_quietly()
        return EXIT_DONE
    except Exception as error:  # the last resort: a person gets a line, not a stack
        if os.environ.get("SYNARTESIS_DEBUG"):
            raise
        out.error(
            SynartesisError(
                f"something went wrong that should not: {type(error).__name__}: {error}",
                hint="run it again with SYNARTESIS_DEBUG=1 to see where, and report that",
            )
        )
        return EXIT_STOPPED


def _run(argv: list[str], out: Output, prog: str) -> int:
    before, rest = _split(argv)
    if "--version" in before:
        out.lines([f"synartesis {__version__}"])
        return EXIT_DONE
    if not rest or "--help" in before or rest == ["help"]:
        out.lines([overview()])
        return EXIT_DONE
    if rest[0] == "help":
        rest = [rest[1], "--help"]
    command = find_command(rest[0])
    return _run_command(command, [*before, *rest[1:]], out, prog or f"synartesis {command.name}")


def _run_command(command: Command, words: list[str], out: Output, prog: str) -> int:
    parser = build_parser(command, width=out.style.width, prog=prog)
    words, behind = parser.split(words)
    if "-h" in words or "--help" in words:
        out.lines([parser.format_help().rstrip()])
        return EXIT_DONE
    args = parser.parse(words)
    if parser.takes_command:
        args.command = behind
    out.as_json = getattr(args, "json", False)
    out.full = getattr(args, "full", False)
    result: int = command.module().run(args, out)
    return result


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Options that stand before the command (they mean the same as behind it), and the rest."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        flag = {"-h": "--help"}.get(argv[at], argv[at]).partition("=")[0]
        if flag not in _BEFORE_THE_COMMAND:
            near = nearest(flag, _BEFORE_THE_COMMAND)
            hint = f"did you mean {near}?" if near else "`synartesis --help` shows commands and options"
            raise UsageError(f"synartesis has no option {flag!r}", hint=hint)
        at += 2 if flag in _WITH_VALUE and "=" not in argv[at] else 1
    before = ["--help" if word == "-h" else word for word in argv[:at]]
    return before, argv[at:]


def _close_quietly() -> None:
    """Whoever read us is gone; keep Python from complaining about the rest of the buffer."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
