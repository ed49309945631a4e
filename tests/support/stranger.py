"""What a stranger's machine has: hardly any programs, and the sources of Synartesis as a clone or a download holds them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.support.world import ROOT

NEEDED = ["bash", "basename", "cat", "curl", "dirname", "env", "grep", "gzip", "ln", "mkdir", "mktemp", "mv"]
NEEDED += ["readlink", "rm", "rmdir", "sed", "sh", "tar", "touch"]
"""All that install.sh may use, besides Python."""

SOURCES = ["README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "requirements", "src", "install.sh"]
"""All that an installation is made from."""


def put_programs(folder: Path, more: Iterable[str] = ()) -> None:
    """Links to these few programs and a Python, in a folder that nothing is installed into."""
    folder.mkdir(parents=True)
    (folder.parent / "conda-meta").mkdir()  # as environments have it that come and go
    for name in [*NEEDED, *more]:
        found = shutil.which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)
    (folder / "python3").symlink_to(Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}"))


def put_sources(folder: Path) -> None:
    """A clone, without what was made in it."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
