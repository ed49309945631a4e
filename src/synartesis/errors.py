"""Errors that reach a person, and the exit codes that go with them.

An error says what happened, to what, and what to do next. The message and the hint are kept apart so that the terminal,
`--json` and the log can each lay them out. Nothing here knows what the product does.
"""

from __future__ import annotations

EXIT_DONE = 0
EXIT_STOPPED = 1
"""Refused, stopped at a drift, or not completely undone."""
EXIT_USAGE = 2
"""The command line, the manifest or the set-up is wrong; nothing was done."""


class SynartesisError(Exception):
    """Something a person has to know, with what to do next."""

    exit_code = EXIT_STOPPED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SynartesisError):
    """The command was called in a way that cannot be meant."""

    exit_code = EXIT_USAGE


class ManifestInvalid(SynartesisError):
    """The manifest cannot be used; the message lists every problem found in it."""

    exit_code = EXIT_USAGE


class JournalUnavailable(SynartesisError):
    """The journal cannot be opened or written. Whoever catches this must send nothing."""

    exit_code = EXIT_USAGE


class ServerUnavailable(SynartesisError):
    """A server could not be started, or went away while it was needed."""


class HandshakeRefused(ServerUnavailable):
    """The server is there, and does not let itself be opened by a handshake: it may want the later way of speaking."""
