"""The crash matrix, played whole on the journal in memory; on SQLite it is played by `make campaign`."""

from __future__ import annotations

import pytest

from synartesis.domain.ports import Clock, Journal, Upstream
from tests.sim.journals import in_memory
from tests.sim.matrix import PAGE, SCENES, Result, Scene, page, play_all

_played: dict[str, list[Result]] = {}


def played(scene: Scene) -> list[Result]:
    """Once for all tests of this file."""
    if scene.name not in _played:
        _played[scene.name] = list(play_all(in_memory, [scene]))
    return _played[scene.name]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_no_cell_of_the_crash_matrix_breaks_an_invariant(scene: Scene) -> None:
    broken = [(str(one.cell), one.door, [*map(str, one.violations)]) for one in played(scene) if one.violations]

    assert broken == []


def test_the_page_in_the_docs_is_this_matrix() -> None:
    now = page(one for scene in SCENES for one in played(scene))

    assert PAGE.read_text(encoding="utf-8") == now, "the matrix is another one now: python -m tests.sim.matrix"


ELSEWHERE = {"record_opening", "record_read", "made_before", "record_dialog", "server_started"}
"""Neither a call nor an undo comes by the first two: when a client opens, and when a read was passed on. The next two are for
rules with a `limit` and for `ask: client`, and no scene has those yet. The last one waits for nothing."""


@pytest.mark.parametrize("port", [Journal, Upstream, Clock], ids=lambda port: port.__name__)
def test_every_method_of_every_port_is_a_door_in_the_matrix(port: type) -> None:
    methods = {name for name in vars(port) if not name.startswith("_")} - ELSEWHERE
    doors = {one.door.split(".")[1].split()[0] for scene in SCENES for one in played(scene) if one.door}

    assert methods - doors == set()
