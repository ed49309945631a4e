"""Times for people: local, short, the same width everywhere. `--json` keeps the UTC text of the journal."""

from __future__ import annotations

from datetime import datetime, tzinfo

from synartesis.present.safe_text import printable


def day_and_time(utc: str, zone: tzinfo | None = None) -> str:
    """`2026-03-04 14:03`, in local time (or a given zone). A text that is no time comes back printable."""
    return _local(utc, zone, "%Y-%m-%d %H:%M")


def time_of_day(utc: str, zone: tzinfo | None = None) -> str:
    """`14:03:22`."""
    return _local(utc, zone, "%H:%M:%S")


def day(utc: str, zone: tzinfo | None = None) -> str:
    """`2026-03-04`."""
    return _local(utc, zone, "%Y-%m-%d")


def _local(utc: str, zone: tzinfo | None, form: str) -> str:
    try:
        moment = datetime.fromisoformat(utc)
    except ValueError:
        return printable(utc)
    return moment.astimezone(zone).strftime(form)
