"""What a server is started with: variables, secrets, folders; and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synartesis.errors import ManifestInvalid
from synartesis.policy.environment import expand
from synartesis.policy.manifest import ServerSpec

FOLDER = Path("/")


def spec(
    command: str = "python3", *, args: tuple[str, ...] = (), cwd: str = "", env_file: str = "", **env: str
) -> ServerSpec:
    return ServerSpec(
        name="crm",
        command=command,
        args=args,
        env=tuple(env.items()),
        cwd=cwd,
        env_file=env_file,
        where="m.yaml:3",
        env_where=tuple(f"m.yaml:{line}" for line, _ in enumerate(env, 7)),
    )


VALUES = {
    "a variable": ("${HOME}/x", "/root/x"),
    "two": ("${HOME}:${EMPTY}", "/root:"),
    "a literal": ("$${HOME}", "${HOME}"),
    "a dollar": ("$HOME costs $5", "$HOME costs $5"),
    "a literal before one": ("$$${HOME}", "$${HOME}"),
    "plain": ("x", "x"),
}


@pytest.mark.parametrize(("written", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_value_is_filled_in_from_the_environment(written: str, expected: str) -> None:
    launch = expand(spec(A=written), {"HOME": "/root", "EMPTY": ""}, FOLDER)

    assert expected == launch.env["A"]


@given(st.text().filter(lambda text: "\0" not in text))
def test_any_text_can_be_written_literally(text: str) -> None:
    assert text == expand(spec(A=text.replace("${", "$${")), {}, FOLDER).env["A"] or "$${" in text


def test_an_unset_variable_is_named_with_its_server_and_line() -> None:
    with pytest.raises(ManifestInvalid) as refused:
        expand(spec(A="x", TOKEN="${GITHUB_TOKEN}"), {"PATH": "/bin"}, FOLDER)

    assert "m.yaml:8: server crm needs the environment variable GITHUB_TOKEN, which is not set" == refused.value.message
    assert "GITHUB_TOKEN" in refused.value.hint


def test_the_server_gets_the_whole_environment_and_its_own_on_top() -> None:
    launch = expand(spec(PATH="/opt"), {"PATH": "/bin", "LANG": "C"}, FOLDER)

    assert {"PATH": "/opt", "LANG": "C"} == launch.env


def test_args_and_command_are_passed_on_as_written() -> None:
    launch = expand(spec("npx", args=("~/data", "./data", "${HOME}")), {"HOME": "/root"}, FOLDER)

    assert ("npx", ("~/data", "./data", "${HOME}")) == (launch.command, launch.args)


def test_relative_paths_start_at_the_manifest_and_not_where_the_command_was_typed(tmp_path: Path) -> None:
    (tmp_path / "servers").mkdir()

    assert tmp_path == expand(spec(), {}, tmp_path).cwd
    launch = expand(spec("./crm", cwd="servers"), {}, tmp_path)
    assert (tmp_path / "servers", str(tmp_path / "servers" / "crm")) == (launch.cwd, launch.command)
    assert tmp_path == expand(spec(cwd="~/"), {"HOME": str(tmp_path)}, FOLDER).cwd
    assert "/usr/bin/crm" == expand(spec("/usr/bin/crm"), {}, tmp_path).command


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="not a folder"):
        expand(spec(cwd="none"), {}, tmp_path)


def secrets(folder: Path, text: str, mode: int = 0o600) -> ServerSpec:
    path = folder / "secrets.env"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return spec(env_file="secrets.env", AUTH="Bearer ${TOKEN}")


def test_an_env_file_gives_variables_that_values_may_use(tmp_path: Path) -> None:
    text = "# comment\n\nTOKEN=S3NT1NEL=\nexport B = 'two words'\nC=\"${TOKEN}\"\n"

    launch = expand(secrets(tmp_path, text), {"TOKEN": "from outside"}, tmp_path)

    assert ("S3NT1NEL=", "two words", "${TOKEN}") == (launch.env["TOKEN"], launch.env["B"], launch.env["C"])
    assert "Bearer S3NT1NEL=" == launch.env["AUTH"]
    assert "S3NT1NEL" not in repr(launch)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o700 | 0o010], ids=oct)
def test_an_env_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ManifestInvalid) as refused:
        expand(secrets(tmp_path, "TOKEN=x\n", mode), {}, tmp_path)

    assert "others can read" in refused.value.message
    assert refused.value.hint.startswith("chmod 600 ")


def test_a_line_that_is_no_assignment_is_refused_without_being_quoted(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid) as refused:
        expand(secrets(tmp_path, "A=1\nS3NT1NEL\n"), {}, tmp_path)

    assert "secrets.env:2" in refused.value.message
    assert "S3NT1NEL" not in refused.value.message + refused.value.hint


def test_an_env_file_that_is_missing_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="cannot be read"):
        expand(spec(env_file="none.env"), {}, tmp_path)
    with pytest.raises(ManifestInvalid, match="is not a file"):
        expand(spec(env_file="."), {}, tmp_path)
