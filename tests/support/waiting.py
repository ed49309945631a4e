"""Waiting for something that another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.support.client import DEADLINE_S


def wait_until(is_so: Callable[[], bool], otherwise: str) -> None:
    """Returns once it is so; fails with these words where it never is."""
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.005)
