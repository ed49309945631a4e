"""Nothing is different through the proxy but what exceptions.py names. The short slice runs with `make test`, the whole with
`make differential`."""

from __future__ import annotations

import re

import pytest

from tests.differential.conductor import Outcome, compare
from tests.differential.conversations import conversations
from tests.differential.exceptions import TABLE, VARIANTS, Variant
from tests.differential.script import Conversation
from tests.differential.vocabulary import REVISIONS, Vocabulary

METHOD = re.compile(rb'"method" ?: ?"([^"]+)"')


def named(conversation: Conversation) -> str:
    return f"{conversation.name}-{conversation.revision}"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("conversation", list(conversations(short=True)), ids=named)
def test_both_ends_receive_what_they_receive_without_us(conversation: Conversation, variant: Variant) -> None:
    assert compare(conversation, variant).differences == []


STATUSES = {
    # ended well, twice cancelled or failed (nothing reads what it did not do), asked, and so on
    "tasks": ["applied", "applied", "applied", "applied"],
    # three rounds, two, two; one with a state that nobody gave is a call by itself; one is given up
    "input required": ["applied", "applied", "applied", "applied", "paused"],
    # cancelled after it left; cancelled before; not cancelled, cancelled when it had ended
    "cancelling": ["applied", "failed", "applied", "applied"],
}


@pytest.mark.parametrize("name", STATUSES)
def test_each_call_is_one_action_however_many_messages_it_takes(name: str) -> None:
    for conversation in conversations(short=True):
        if conversation.name == name:
            outcome = compare(conversation, "reversible")
            assert [action.status for action in outcome.recorded] == STATUSES[name]


@pytest.mark.differential
@pytest.mark.timeout(600)
@pytest.mark.parametrize("variant", VARIANTS)
def test_all_conversations_are_the_same_and_there_are_many(variant: Variant) -> None:
    total = Outcome()
    for conversation in conversations():
        total.add(compare(conversation, variant))

    assert total.differences == []
    assert total.messages > 400


def test_every_request_and_notification_of_every_revision_is_said() -> None:
    said: dict[str, set[bytes]] = {revision: set() for revision in REVISIONS}
    for one in conversations():
        said[one.revision].update(*(METHOD.findall(line.line[:2000]) for scene in one.scenes for line in scene.lines()))

    for revision in REVISIONS:
        assert {spec.method.encode() for spec in Vocabulary.of(revision).specs} <= said[revision]


def test_every_exception_is_needed_by_a_conversation() -> None:
    used = {line.but for one in conversations() for scene in one.scenes for line in scene.lines()}
    assert used - {""} == set(TABLE)
