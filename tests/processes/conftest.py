"""Who is there where an approver was set up: the person who knows the passphrase, and an agent with a shell who does not."""

from __future__ import annotations

import pytest

from tests.support.approver import Agent, Person
from tests.support.world import World


@pytest.fixture
def person(world: World) -> Person:
    person = Person(world)
    person.set_up()
    return person


@pytest.fixture
def agent(world: World, person: Person) -> Agent:
    return Agent(world)
