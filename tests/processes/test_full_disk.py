"""The disk is full, at every point at which it can be: whatever cannot be recorded is not sent, what was sent and could not be
recorded is called made, and when there is room again everything goes on.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

import pytest

from tests.conftest import ONLY_ROOT
from tests.promises import promise
from tests.support.client import Client
from tests.support.world import World

PAST = Path(__file__).parents[1] / "corpus" / "journals"
PAGE = 4096
MOST_PAGES = 24
"""A call with its outcome takes fewer: with so many pages left nothing fails any more."""

Fill = Callable[[Client, int], None]
"""Leave the proxy so many bytes; less than none ends it."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode:
        # Root in a container may not mount. The limit on the journal's size is tried at every point all the same.
        pytest.skip(f"no file system can be mounted here: {ONLY_ROOT}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def write(client: Client, name: str) -> str:
    """What came of it: `done`, `refused` or `not recorded`."""
    answer = client.call("set_item", {"id": "c1", "name": name + " " + "x" * 3000})
    if not answer.get("isError"):
        return "done"
    text = answer["content"][0]["text"]
    if text.startswith("MADE, BUT NOT RECORDED"):
        return "not recorded"
    assert "nothing was sent" in text, text
    assert "the disk is full" in text or "the disk reports an error" in text, text
    return "refused"


def write_at_every_point(world: World, journal: Path, fill: Fill) -> Counter[str]:
    """Each time the disk is a little less full, and then there is room again."""
    world.put(c1={"name": "A"})
    client = world.proxy("--journal", str(journal))
    assert write(client, "first") == "done"
    came = Counter[str]()
    for pages in range(MOST_PAGES):
        sent = len(world.calls("set_item"))
        fill(client, pages * PAGE)
        what = write(client, f"with {pages} pages left")
        read = client.call("get_item", {"id": "c1"})
        fill(client, -1)

        came[what] += 1
        assert len(world.calls("set_item")) - sent == (0 if what == "refused" else 1), what
        assert not read.get("isError") or "the disk" in read["content"][0]["text"]
        assert write(client, "with room again") == "done"
    assert client.close().code == 0
    return came


def assert_all_is_there(world: World, journal: Path) -> None:
    """Every call that the server carried out has a row that says so, or that nobody knows."""
    at = ("--journal", str(journal))
    (run,) = world.cli("list", "--json", *at).json
    rows = world.cli("show", run["id"], "--json", *at).json["actions"]
    said = Counter(row["status"] for row in rows if row["tool"] == "set_item" and row["status"] != "failed")
    assert set(said) <= {"applied", "sent", "unknown"}
    assert sum(said.values()) == len(world.calls("set_item"))
    assert world.cli("verify", *at).code == 0


@promise("C057")
@pytest.mark.root
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has tmpfs")
def test_on_a_full_disk_nothing_is_sent_that_is_not_recorded(world: World, small_disk: Path) -> None:
    filler = small_disk / "filler"

    def fill(_client: Client, leaving: int) -> None:
        filler.unlink(missing_ok=True)
        if leaving < 0:
            return
        free = os.statvfs(small_disk)
        with filler.open("wb") as file:
            file.write(bytes(free.f_bavail * free.f_frsize - leaving))

    came = write_at_every_point(world, small_disk / "journal.db", fill)

    assert came["refused"]
    assert came["done"]
    assert_all_is_there(world, small_disk / "journal.db")


@promise("C057")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_where_the_journal_may_not_grow_nothing_is_sent_that_is_not_recorded(world: World) -> None:
    import resource

    journal = world.folder / "apart" / "journal.db"

    def fill(client: Client, leaving: int) -> None:
        grown = max(path.stat().st_size for path in journal.parent.iterdir())
        _, hard = resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (hard if leaving < 0 else grown + leaving, hard))

    came = write_at_every_point(world, journal, fill)

    assert came["refused"]
    assert came["done"]
    assert_all_is_there(world, journal)


@promise("C057")
def test_on_a_full_disk_what_was_recorded_can_be_read_and_nothing_is_undone_or_decided(
    world: World, small_disk: Path
) -> None:
    journal = small_disk / "journal.db"
    at = ("--journal", str(journal))
    world.put(c1={"name": "A"})
    client = world.proxy(*at)
    assert write(client, "first") == "done"
    asked = client.call("send_note", {"to": "a@x.example", "text": "hi"})
    assert asked["isError"], "held"
    client.close()
    (request,) = world.cli("gates", "--json", *at).json
    with (small_disk / "filler").open("wb", buffering=0) as file:
        fill_up(file)

    read = [world.cli(*words, *at) for words in (["list"], ["show"], ["gates"], ["verify"])]
    wrote = [world.cli(*words, *at) for words in (["approve", request["id"]], ["undo", "--yes"])]

    assert [ran.code for ran in read] == [0] * len(read), read
    for ran in wrote:
        assert ran.code == 2
        assert "the disk is full" in " ".join(ran.err.split())
    assert len(world.calls("set_item")) == 1
    (small_disk / "filler").unlink()
    assert world.cli("undo", "--yes", *at).code == 0
    assert world.items["c1"] == {"name": "A"}


@pytest.mark.parametrize("version", [1, 2])
def test_a_journal_of_an_older_format_stays_as_it_is_where_its_copy_has_no_room(
    world: World, small_disk: Path, version: int
) -> None:
    journal = small_disk / "journal.db"
    journal.write_bytes(gzip.decompress((PAST / f"format-{version}.db.gz").read_bytes()))
    before = journal.read_bytes()
    with (small_disk / "filler").open("wb", buffering=0) as file:
        fill_up(file)

    for left in (0, 100_000):  # none at all, and enough for a part of the copy
        os.truncate(small_disk / "filler", (small_disk / "filler").stat().st_size - left)
        ran = world.cli("list", "--journal", str(journal))

        assert (ran.code, ran.out) == (2, "")
        assert "the disk is full" in " ".join(ran.err.split())
        assert journal.read_bytes() == before
        assert sorted(path.name for path in small_disk.iterdir()) == ["filler", "journal.db"]
    (small_disk / "filler").unlink()
    assert world.cli("list", "--journal", str(journal)).code == 0


def fill_up(file: FileIO) -> None:
    with suppress(OSError):
        while file.write(bytes(PAGE)):
            pass


@promise("C057")
def test_a_proxy_does_not_start_on_a_full_disk(world: World, small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(4 << 20))
    world.put(c1={"name": "A"})

    ran = world.cli("proxy", "--journal", str(small_disk / "journal.db"))

    assert (ran.code, ran.out) == (2, "")
    assert "the disk is full" in " ".join(ran.err.split())
    assert "make room on the disk" in " ".join(ran.err.split())
