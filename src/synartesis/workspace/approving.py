"""The approver of a journal: found, set up, asked for the passphrase. Joins the key in the home, the one in the journal, and
whoever needs to know."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synartesis.errors import JournalUnavailable, SynartesisError, UsageError
from synartesis.workspace.files import Files, command_line, home_folder, is_missing

if TYPE_CHECKING:
    from synartesis.approver.gate import SignedApprovals
    from synartesis.approver.key import LockedKey, Sign
    from synartesis.approver.pin import KeyFile, Known
    from synartesis.domain.ports import History
    from synartesis.relay.log import Log

AskPassphrase = Callable[[str], str]
"""Gets what it is asked for; returns what was typed on the terminal."""

TRIES = 3


def signed_approvals(history: History, journal: Path, log: Log) -> SignedApprovals:
    """For a proxy, at its start."""
    from synartesis.approver.gate import SignedApprovals
    from synartesis.approver.pin import known_approver

    home = home_folder()  # once: as long as there is no approver, every call looks
    approvals = SignedApprovals(
        lambda: known_approver(history.approver_key(), journal, home), look_at_freeze=history.freeze_of
    )
    if approvals.known.problem:
        log.error("approver_unclear", why=approvals.known.problem, hint="no approval counts until that is mended")
    return approvals


def known(history: History, journal: Path) -> Known:
    from synartesis.approver.pin import known_approver

    return known_approver(history.approver_key(), journal, home_folder())


def known_in(files: Files) -> Known | None:
    """What there is to say of the approver of a journal; None where there is no journal yet."""
    if files.journal is None or is_missing(files.journal):
        return None
    from synartesis.journal import open_history

    with open_history(files.journal) as history:
        return known(history, files.journal)


class Standing(NamedTuple):
    """What approvals of a journal are worth, for `check` and `doctor`."""

    is_wrong: bool
    text: str
    mend: str = ""
    """In words."""
    command: str = ""


def what_approvals_are_worth(files: Files) -> Standing | None:
    """None where the journal cannot be read."""
    try:
        found = known_in(files)
    except JournalUnavailable:
        return None
    if found is not None and found.problem:
        return Standing(True, f"none counts: {found.problem}", "see docs/trust.md")
    if found is not None and found.public:
        return Standing(False, f"count only when signed with the approver's key ({found.public[:12]})")
    text = "whoever can run `synartesis approve` as you can approve, an agent with a shell included"
    return Standing(False, text, command=command_line(["approver", "setup"], journal=files.journal))


class Approver(NamedTuple):
    """A journal's approver, and what signs in its name once the passphrase is typed."""

    public: str
    key: LockedKey | None
    """None where the key is not in this home."""

    def open(self, ask: AskPassphrase) -> Sign:
        """Raises SynartesisError where the passphrase is not given."""
        from synartesis.approver.pin import FILE_NAME

        if self.key is None:
            raise SynartesisError(
                f"the key of this journal's approver ({self.public[:12]}) is not in {home_folder()}",
                hint=f"decide where it was set up, or bring its {FILE_NAME} here",
            )
        return open_key(self.key, ask, f"Passphrase of the approver ({self.public[:12]}): ")


def approver_of(files: Files, history: History) -> Approver | None:
    """None where any approval counts. Raises SynartesisError where the key was exchanged or cannot be read."""
    from synartesis.approver.pin import read_key_file

    assert files.journal is not None
    found, home = known(history, files.journal), home_folder()
    if found.problem:
        raise SynartesisError(found.problem, hint="no approval counts until that is mended: see docs/trust.md")
    if not found.public:
        return None
    file = None if home is None else read_key_file(home)
    return Approver(found.public, file.key if file is not None and file.key.public == found.public else None)


def open_key(key: LockedKey, ask: AskPassphrase, prompt: str) -> Sign:
    from synartesis.approver.key import unlock

    for _ in range(TRIES):
        sign = unlock(key, ask(prompt))
        if sign is not None:
            return sign
    raise SynartesisError("that is not the passphrase, or the key's file was changed; nothing was done")


# --- setting up


def set_up(files: Files, *, by: str, ask: AskPassphrase) -> tuple[str, bool]:
    """Make this person the journal's approver. Returns the public key, and whether it was made now; else it is the one that
    they have for other journals."""
    from synartesis.approver.pin import KeyFile, read_key_file, write_key_file

    journal, home = _journal_and_home(files)
    file = read_key_file(home)
    already = known_in(files)
    if already is not None and already.is_set:
        raise SynartesisError(
            already.problem or f"this journal has an approver already ({already.public[:12]})",
            hint="`synartesis approver remove` ends that; it asks for the passphrase",
        )
    if file is None:
        key, made = _new_key(ask), True
        file = KeyFile(key, ())
    else:
        open_key(file.key, ask, f"Passphrase of your key ({file.key.public[:12]}): ")
        made = False
    write_key_file(home, _with_journals(file, {*file.journals, os.path.realpath(journal)}))
    _record(journal, file.key.public, by=by)
    return file.key.public, made


def remove(files: Files, *, by: str, ask: AskPassphrase) -> None:
    """Back to approvals that anybody can give. Proxies that run now go on to ask for signed ones."""
    from synartesis.approver.pin import read_key_file, write_key_file
    from synartesis.workspace import need_record

    journal, home = _journal_and_home(files)
    with need_record(files) as history:
        approver = approver_of(files, history)
    if approver is None:
        raise SynartesisError("this journal has no approver", hint="`synartesis approver setup` sets one up")
    approver.open(ask)
    _record(journal, "", by=by)
    file = read_key_file(home)
    if file is not None:
        write_key_file(home, _with_journals(file, set(file.journals) - {os.path.realpath(journal)}))


def _journal_and_home(files: Files) -> tuple[Path, Path]:
    from synartesis.workspace.files import nothing_found

    home = home_folder()
    if files.journal is None:
        raise nothing_found("neither a journal nor a manifest was found")
    if home is None:
        raise UsageError("there is no home folder to keep the key in", hint="set HOME, or SYNARTESIS_HOME")
    return files.journal, home


def _new_key(ask: AskPassphrase) -> LockedKey:
    from synartesis.approver.key import SHORTEST_PASSPHRASE, make_key

    passphrase = ask(f"New passphrase ({SHORTEST_PASSPHRASE} characters or more): ")
    key = make_key(passphrase)
    if ask("The same once more: ") != passphrase:
        raise SynartesisError("the two passphrases differ; nothing was done")
    return key


def _with_journals(file: KeyFile, journals: set[str]) -> KeyFile:
    from synartesis.approver.pin import KeyFile

    return KeyFile(file.key, tuple(sorted(journals)))


def _record(journal: Path, public: str, *, by: str) -> None:
    from contextlib import closing

    from synartesis.journal import open_journal

    with closing(open_journal(journal)) as opened:
        opened.set_approver(public, by=by)
