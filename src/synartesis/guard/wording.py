"""What an agent is told: held, refused, warned. A model reads these and may never have seen our instructions, so each
text says what happened, that nothing was (or was) sent, and what to do next."""

from __future__ import annotations

from synartesis.domain.names import Tool
from synartesis.domain.records import Freeze

INSTRUCTIONS = (
    "An undo layer (Synartesis) stands in front of these tools. Calls that can be undone go through and are recorded. "
    "A call that cannot be undone is held: it is answered at once with an error result that names a request id and the "
    "command with which a person approves it. When that happens, tell the user what you wanted to do and show them the "
    "command; after they approved it, repeat exactly the same call. Do not try to reach the same effect in "
    "another way, and do not run the approve command yourself. A call that a person denied stays denied."
)


def held(tool: Tool, why: str, *, request: str, command: str, attempts: int) -> str:
    again = "" if attempts <= 1 else f" It was asked {attempts} times; asking more often changes nothing."
    return (
        f"HELD by the undo layer: {_nothing_sent(tool)} {_sentence(why)} A person has to approve "
        f"this exact call first: request {request}.{again}\n"
        f"Tell the user what you wanted to do, and that they can approve it by running:\n\n    {command}\n\n"
        "Then repeat exactly the same call. Do not run that command yourself, and do not try another way."
    )


def denied(tool: Tool, *, by: str, reason: str, request: str) -> str:
    said = f', saying: "{reason}"' if reason else ""
    return (
        f"DENIED: {_nothing_sent(tool)} {by or 'A person'} denied this exact call within the last hour{said} (request "
        f"{request}). Do not repeat it and do not try another way; ask the user how to go on."
    )


def being_undone(tool: Tool, undo_run: str) -> str:
    return (
        f"REFUSED: {_nothing_sent(tool)} A person is undoing this session right now, or taking such an undo back (run "
        f"{undo_run}). Stop writing, and ask the user before you go on."
    )


def frozen(tool: Tool, freeze: Freeze) -> str:
    who = f"{freeze.by or 'A person'}, at {freeze.at[:16].replace('T', ' ')} UTC,"
    said = f', saying: "{freeze.reason}"' if freeze.reason else ""
    return (
        f"REFUSED: {_nothing_sent(tool)} {who} stopped every write of every session{said}. Reads still work. Do not repeat "
        "the call and do not try another way; ask the user how to go on."
    )


def read_failed(tool: Tool, read: Tool, why: str) -> str:
    return (
        f"REFUSED: {_nothing_sent(tool)} The state before it could not be read with {read}, so the call could not "
        f"have been undone. The read failed: {_sentence(why)} If that passes by itself, try again later."
    )


def too_large(tool: Tool, why: str) -> str:
    return f"REFUSED: {_nothing_sent(tool)} {why} Do it in smaller pieces, or ask the user to do it by hand."


def turn_timed_out(tool: Tool, blocker: str) -> str:
    return (
        f"REFUSED: {_nothing_sent(tool)} Another write to the same thing (action {blocker}) has not ended for 60 "
        "seconds. Wait until it is answered, then try again."
    )


def not_recorded(tool: Tool, why: str) -> str:
    return (
        f"REFUSED: {_nothing_sent(tool)} The undo journal cannot be written: {_sentence(why)} Tell the user; nothing "
        "can be changed until that is mended."
    )


def approval_gone(tool: Tool) -> str:
    return (
        f"REFUSED: {_nothing_sent(tool)} Either its approval was taken back or used by another call at the same moment, or "
        "a person is undoing this session right now. Ask the user before you repeat it."
    )


def not_continued(tool: Tool, why: str) -> str:
    return f"NOT CONTINUED: {tool} was not sent again; the server still waits for what it asked. {_sentence(why)} Tell the user."


def not_delivered(tool: Tool, why: str) -> str:
    return f"FAILED: {tool} did not reach its server; nothing was changed. {_sentence(why)}"


def reply_lost(tool: Tool, why: str, *, action: str) -> str:
    return (
        f"UNKNOWN: {tool} was sent, and no answer came: {_sentence(why)} It may have been carried out. Do NOT repeat "
        f"it. Read the current state first, and tell the user (action {action})."
    )


def made_but_not_recorded(tool: Tool, why: str, *, action: str) -> str:
    return (
        f"MADE, BUT NOT RECORDED: {tool} was sent and answered, and must NOT be repeated. Its outcome could not be "
        f"written to the undo journal: {_sentence(why)} Tell the user (action {action})."
    )


def _nothing_sent(tool: Tool) -> str:
    return f"{tool} was not called, and nothing was sent."


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
