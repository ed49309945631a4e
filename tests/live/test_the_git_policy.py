"""The Git server under its shipped policy, as `init` takes it: staging comes undone, everything else that writes is held."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.servers import Guarded, git, new_repository, outcomes
from tests.support.client import JSON
from tests.support.world import World

pytestmark = pytest.mark.live


class Repository(Guarded):
    @property
    def path(self) -> Path:
        return self.world.folder / "repository"

    def add(self, *files: str) -> tuple[str, JSON]:
        return "git_add", {"repo_path": str(self.path), "files": list(files)}

    def status(self) -> list[str]:
        return git(self.path, "status", "--short").splitlines()


@pytest.fixture
def repository(world: World, git_server: list[str]) -> Repository:
    path = new_repository(world.folder / "repository", a="one\n", b="one\n")
    (path / "a").write_text("two\n", encoding="utf-8")
    (path / "new").write_text("new\n", encoding="utf-8")
    return Repository.by_init(world, "vcs", [*git_server, "--repository", str(path)])


def test_init_takes_the_policy_and_check_finds_nothing_wrong_with_it(repository: Repository) -> None:
    check = repository.cli("check", "--json")

    assert "The policy `git`, which ships with Synartesis, fits and was taken" in repository.init.out
    assert check.code == 0, check.out
    assert [one for one in check.json["findings"] if "approver" not in one["text"]] == []


def test_what_was_staged_is_taken_out_of_the_index_and_the_files_stay(repository: Repository) -> None:
    before = repository.status()

    repository.agent(repository.add("a", "new"))
    assert repository.status() == ["M  a", "A  new"]
    undone = repository.undo()

    assert undone.code == 0, undone.out
    assert outcomes(undone) == [("git_add", "verified")]
    assert repository.status() == before == [" M a", "?? new"]
    assert (repository.path / "a").read_text("utf-8") == "two\n"


def test_where_something_is_staged_already_staging_is_held(repository: Repository) -> None:
    git(repository.path, "add", "new")

    [answer] = repository.agent(repository.add("a"))

    assert answer["isError"] is True
    assert repository.status() == [" M a", "A  new"]


def test_what_a_person_staged_since_stops_the_undo(repository: Repository) -> None:
    repository.agent(repository.add("a"))
    (repository.path / "b").write_text("a person changed this\n", encoding="utf-8")
    git(repository.path, "add", "b")

    stopped = repository.undo()

    assert stopped.code == 1
    assert stopped.json["status"] == "stopped"
    assert repository.status() == ["M  a", "M  b", "?? new"]


def test_what_was_committed_since_is_no_longer_staged(repository: Repository) -> None:
    repository.agent(repository.add("a"))
    git(repository.path, "commit", "--quiet", "--message", "a person commits it")
    head = git(repository.path, "rev-parse", "HEAD")

    undone = repository.undo()

    assert undone.code == 0, undone.out
    assert git(repository.path, "rev-parse", "HEAD") == head


HELD: dict[str, JSON] = {
    "git_commit": {"message": "m"},
    "git_reset": {},
    "git_create_branch": {"branch_name": "b"},
    "git_checkout": {"branch_name": "HEAD"},
}


@pytest.mark.parametrize(("tool", "arguments"), HELD.items(), ids=HELD.keys())
def test_what_this_server_cannot_take_back_is_held(repository: Repository, tool: str, arguments: JSON) -> None:
    before = git(repository.path, "for-each-ref"), repository.status()

    [answer] = repository.agent((tool, {"repo_path": str(repository.path), **arguments}))

    assert answer["isError"] is True
    assert [row["tool"] for row in repository.cli("gates", "--json").json] == [tool]
    assert (git(repository.path, "for-each-ref"), repository.status()) == before


def test_reads_pass(repository: Repository) -> None:
    [answer] = repository.agent(("git_status", {"repo_path": str(repository.path)}))

    assert answer["isError"] is False
    assert "Untracked files" in answer["content"][0]["text"]
