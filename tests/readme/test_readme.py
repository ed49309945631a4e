"""The README, tried as its reader would: every bash block is pasted, in order, into one shell, and must print what the README
shows under it. Ids, times and the scratch folder are whatever they are, but the same ones throughout; `...` is what the README
leaves out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from synartesis.cli.index import COMMANDS
from synartesis.domain.names import Tool
from synartesis.domain.status import ToolClass
from synartesis.policy.matching import Policy
from synartesis.policy.reader import PLACES, examine, read_manifest
from tests.support.client import Client
from tests.support.world import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = ROOT / ".venv" / "bin"
SHELL_LIMIT_S = 90
END_OF_BLOCK = "--- end of block ---"


class Block(NamedTuple):
    commands: str
    shown: str
    """Empty where the README shows no output."""


def blocks() -> list[Block]:
    """Each bash block with the text block that follows it at once."""
    found = re.findall(r"^```bash\n(.*?)^```$(?:\n```text\n(.*?)^```$)?", README, re.MULTILINE | re.DOTALL)
    return [Block(*one) for one in found]


def fenced(language: str) -> str:
    """The only block in this language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A person's shell, with a home and a folder for scratch folders of its own, in which nothing of this project is known."""
    outside = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SYNARTESIS_", "PYTHON", "VIRTUAL_ENV"))
    }
    (tmp_path / "home").mkdir()
    return outside | {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


# --- the walk-through


def test_every_block_pasted_into_one_shell_prints_what_the_readme_shows(env: dict[str, str]) -> None:
    assert (BIN / "synartesis").exists(), "`make test` puts the command into .venv"
    printed = paste([block.commands for block in blocks()], env)

    seen: dict[str, str] = {}
    for block, got in zip_longest(blocks(), printed):
        assert fits(block.shown, got, seen), (
            f"README.md shows after\n\n{block.commands}\n---\n{block.shown}---\nbut it printed\n---\n{got}---"
        )


def paste(scripts: list[str], env: dict[str, str]) -> list[str]:
    """What each script prints, stdout and stderr, when they are pasted one after the other into a shell in the clone."""
    text = "".join(f"{script}echo '{END_OF_BLOCK}'\n" for script in scripts)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc"],
        input=text.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env=env,
        timeout=SHELL_LIMIT_S,
        check=False,
    )
    return done.stdout.decode().split(f"{END_OF_BLOCK}\n")[:-1]


# --- comparing

VARYING = re.compile(
    r"(?P<id>\b[0-9a-f]{12}\b)|(?P<folder>/tmp/tmp\.\w+)|(?P<moment>\d{4}-\d\d-\d\d \d\d:\d\d|\b\d\d:\d\d:\d\d\b)"
    r"|(?P<gap>^\.\.\.\n|\.\.\.)",
    re.MULTILINE,
)


def fits(shown: str, got: str, seen: dict[str, str]) -> bool:
    """Whether an output is what the README shows. `seen` is what its ids and its folder stand for, and learns new ones."""
    groups: dict[str, str] = {}
    pattern, at = "", 0
    for found in VARYING.finditer(shown):
        pattern += re.escape(shown[at : found.start()]) + stand_in(found, groups, seen)
        at = found.end()
    match = re.fullmatch(pattern + re.escape(shown[at:]), got, re.DOTALL)
    if match is None:
        return False
    seen |= {name: match[group] for name, group in groups.items()}
    return True


def stand_in(found: re.Match[str], groups: dict[str, str], seen: dict[str, str]) -> str:
    """The pattern for something that varies: what it was seen to be before, else whatever it is now."""
    name = found[0]
    match found.lastgroup:
        case "moment":
            return re.sub(r"\d", r"\\d", name)
        case "gap":
            return r"(?:.*?\n)?" if name.endswith("\n") else ".*?"
        case _ if name in seen:
            return re.escape(seen[name])
        case _ if name in groups:
            return f"(?P={groups[name]})"
        case kind:
            groups[name] = f"varies{len(groups)}"
            return f"(?P<{groups[name]}>{r'[0-9a-f]{12}' if kind == 'id' else r'/[^ ]*?/tmp[.][A-Za-z0-9]+'})"


@pytest.mark.parametrize(
    "shown, got",
    [
        ("run 5a5a9e3b3b5f\n", "run of 0123456789ab\n"),
        ("run 5a5a9e3b3b5f, 5a5a9e3b3b5f\n", "run 0123456789ab, ba9876543210\n"),
        ("2 restored.\n", "1 restored.\n"),
        ("at 09:02:11\n", "at noon\n"),
        ("one\n...\nthree\n", "one\ntwo\n"),
        ("", "error: something\n"),
    ],
    ids=["other words", "two ids for one", "another count", "no time", "another end", "output that is not shown"],
)
def test_an_output_that_is_not_what_is_shown_is_told_from_it(shown: str, got: str) -> None:
    assert not fits(shown, got, {})


def test_an_id_means_the_same_in_every_block() -> None:
    seen: dict[str, str] = {}

    assert fits("run 5a5a9e3b3b5f\n", "run 0123456789ab\n", seen)
    assert not fits("run 5a5a9e3b3b5f\n", "run ba9876543210\n", seen)


def test_what_is_left_out_may_be_any_lines_or_the_rest_of_one() -> None:
    shown = "in /tmp/tmp.a\n...\nrun ...\n"

    assert fits(shown, "in /home/tmp.b\nrun x\n", {})
    assert fits(shown, "in /home/tmp.b\none\ntwo\nrun x\n", {})
    assert not fits(shown, "in /home/tmp.b\none\ntwo\nran x\n", {})


# --- the rest of the page


def test_the_manifest_is_one_of_twenty_lines_with_all_four_classes_and_no_warning() -> None:
    text = fenced("yaml")
    examined = examine(text.encode(), Path("/synartesis.yaml"))

    assert [] == examined.problems
    assert examined.manifest is not None
    assert () == examined.manifest.warnings
    assert set(ToolClass) == {rule.tool_class for rule in examined.manifest.rules}
    assert 20 == len(text.splitlines())


def test_the_manifest_works_with_the_toy_crm(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "synartesis.yaml").write_text(fenced("yaml"), encoding="utf-8")

    done = subprocess.run(
        [BIN / "synartesis", "check", "--manifest", "synartesis.yaml"],
        cwd=tmp_path,
        env=env | {"PATH": f"{BIN}{os.pathsep}{env['PATH']}"},
        capture_output=True,
        timeout=SHELL_LIMIT_S,
        check=False,
    )

    assert b"Every rule can work with the tools that its servers offer." in done.stdout, done.stdout + done.stderr


def test_the_entry_for_a_client_starts_the_proxy_with_the_tools_under_their_own_names(
    env: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "crm"
    folder.mkdir()
    shutil.copy(ROOT / "src" / "synartesis" / "manifests" / "toy-crm.yaml", folder / "synartesis.yaml")
    entry = json.loads(fenced("json"))["mcpServers"]["crm"]
    places = {"/home/you/synartesis/.venv/bin": str(BIN), "/home/you/crm": str(folder)}
    argv = [in_its_place(word, places) for word in (entry["command"], *entry["args"])]

    client = Client.start(argv, env=env | {"PATH": f"{BIN}{os.pathsep}{env['PATH']}"}, cwd=tmp_path / "home")
    with client:
        client.initialize()
        offered = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}

        assert "update_customer" in offered
        assert 0 == client.close().code


def in_its_place(word: str, places: dict[str, str]) -> str:
    for written, real in places.items():
        word = word.replace(written, real)
    return word


def test_the_table_of_commands_names_those_that_are_there_and_no_others() -> None:
    (table,) = re.findall(r"^\| command \| does \|\n\|---\|---\|\n(.*?)\n\n", README, re.MULTILINE | re.DOTALL)
    named = {word for row in table.splitlines() for word in re.findall(r"`([a-z]+)", row.split("|")[1])}

    assert {command.name for command in COMMANDS} == named


def test_nothing_that_is_there_is_called_planned() -> None:
    (planned,) = re.findall(r"planned and not there yet:\n\n- the commands (.*?),\s+and the console", README, re.DOTALL)

    assert set() == {command.name for command in COMMANDS} & set(re.findall(r"`([a-z]+)`", planned))


def test_the_keys_that_are_called_planned_are_those_that_a_manifest_may_not_use_yet() -> None:
    (planned,) = re.findall(r"^- in the manifest: (.*?);$", README, re.MULTILINE | re.DOTALL)
    not_yet = {name for table in PLACES.values() for name, key in table.items() if not key.read}

    assert not_yet == set(re.findall(r"`([a-z_]+)`", planned))


def test_the_class_of_each_example_is_that_of_the_shipped_policy() -> None:
    policy = Policy(read_manifest(ROOT / "src" / "synartesis" / "manifests" / "toy-crm.yaml"))
    rows = re.findall(r"^\| `(\w+)` \|.*?\| `(\w+)` \|", README, re.MULTILINE)

    assert {(str(policy.rule_for(Tool("crm", tool)).tool_class), tool) for _, tool in rows} == set(rows)
    assert 4 == len(rows)


def test_every_page_that_it_points_to_is_there() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", README) if "://" not in target]

    assert targets
    assert [] == [target for target in targets if not (ROOT / target).exists()]
