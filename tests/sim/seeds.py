"""Seeds, played on one real SQLite journal each."""

from __future__ import annotations

from typing import NamedTuple

from tests.sim.invariants import Violation
from tests.sim.journals import in_sqlite
from tests.sim.schedule import Schedule
from tests.sim.simulation import Simulation


class Played(NamedTuple):
    seed: int
    told: list[str]
    violations: list[Violation]
    excused: list[str]


def play_seed(seed: int) -> Played:
    with in_sqlite() as journals:
        simulation = Simulation(journals)
        schedule = Schedule(simulation, seed)
        try:
            schedule.run()
        finally:
            simulation.close()
    return Played(seed, schedule.told, simulation.violations, [why for why, _ in simulation.chronicle.excused])
