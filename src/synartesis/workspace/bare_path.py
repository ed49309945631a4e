"""What a program that was started with a click finds: it has not the PATH of a shell, and so have the servers below it."""

from __future__ import annotations

import os
import sys

BARE_PATH = "/usr/bin:/bin:/usr/sbin:/sbin" if sys.platform == "darwin" else "/usr/bin:/bin"
"""What desktop programs start their children with."""


def not_found(command: str, usual: str, bare: str) -> str | None:
    """What of a command is there along the usual PATH and not along the bare one: itself, or the program that its first line
    names. None where both find everything."""
    if which(command, bare) is None:
        return command
    program = _interpreter(which(command, usual))
    return program if program and which(program, bare) is None else None


def folder_of(command: str, path: str) -> str:
    """Where along the PATH it stands; empty where it does not."""
    return os.path.dirname(which(command, path) or "")


def which(command: str, path: str) -> str | None:
    if "/" in command:
        return command if os.access(command, os.X_OK) else None
    found = (os.path.join(folder, command) for folder in path.split(os.pathsep) if folder)
    return next((each for each in found if os.access(each, os.X_OK)), None)


def _interpreter(script: str | None) -> str:
    """`node`, where a script begins with `#!/usr/bin/env node`: npx is found by its whole path, and looks for that."""
    try:
        with open(script or "", "rb") as file:
            first = file.readline(256).decode("utf-8", "replace")
    except OSError:
        return ""
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    if len(words) < 2 or os.path.basename(words[0]) != "env":
        return ""
    return next((word for word in words[1:] if not word.startswith("-")), "")
