"""What the shipped policy for this server stands on. When one of these fails, the server has changed, not we."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.client import Client

pytestmark = pytest.mark.live


def test_a_text_file_is_answered_as_it_is_and_a_missing_one_as_an_error(
    filesystem_server: list[str], tmp_path: Path
) -> None:
    folder = tmp_path.resolve()
    (folder / "a.json").write_bytes(b'{"b": 2,  "a": 1}\r\n')
    with Client.start([*filesystem_server, folder]) as client:
        client.initialize()

        there = client.call("read_text_file", {"path": str(folder / "a.json")})
        missing = client.call("read_text_file", {"path": str(folder / "none")})

    assert there["structuredContent"] == {"content": '{"b": 2,  "a": 1}\r\n'}
    assert there["content"] == [{"type": "text", "text": '{"b": 2,  "a": 1}\r\n'}]
    assert missing["isError"] is True
    assert missing["content"][0]["text"].startswith("ENOENT: no such file or directory, open")
