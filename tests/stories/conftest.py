from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two records, one server, nobody has done anything yet."""
    world = World(tmp_path)
    world.server.records = {
        "c1": {"name": "Ada", "plan": "pro", "notes": ""},
        "c2": {"name": "Grace", "plan": "enterprise", "notes": None},
    }
    return world
