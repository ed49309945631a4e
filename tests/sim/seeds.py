"""Seeds, played on one real SQLite journal each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from tests.sim.invariants import Violation
from tests.sim.journals import InSqlite
from tests.sim.schedule import Schedule
from tests.sim.simulation import Simulation

IN_MEMORY: Final = Path("/dev/shm")
"""A file system that no power cut survives, so that a commit costs no disk; where there is none, any other."""


class Played(NamedTuple):
    seed: int
    told: list[str]
    violations: list[Violation]
    excused: list[str]


def play_seed(seed: int) -> Played:
    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="sim-", dir=where) as folder:
        simulation = Simulation(lambda sim: InSqlite(sim, Path(folder)))
        schedule = Schedule(simulation, seed)
        try:
            schedule.run()
        finally:
            simulation.close()
    return Played(seed, schedule.told, simulation.violations, [why for why, _ in simulation.chronicle.excused])
