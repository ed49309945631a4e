"""The pure-Python scanner and parser of ruamel.yaml, and nothing else of it: text in, events with marks out.

`import ruamel.yaml` also loads its constructors, representers and emitter, which a proxy would pay for at every start and
never use. So the few modules that are needed are loaded beside a package object whose own code does not run, and are taken
out of `sys.modules` again: whoever imports the package properly afterwards gets it whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

_PACKAGE = "ruamel.yaml"
_PIECES = ("error", "events", "reader", "scanner", "parser")


def _pieces() -> list[Any]:
    spec = find_spec(_PACKAGE)
    if _PACKAGE in sys.modules or spec is None:
        return [import_module(f"{_PACKAGE}.{name}") for name in _PIECES]
    sys.modules[_PACKAGE] = module_from_spec(spec)
    try:
        return [import_module(f"{_PACKAGE}.{name}") for name in _PIECES]
    finally:
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{_PACKAGE}.")]:
            del sys.modules[name]


_error, events, _reader, _scanner, _parser = _pieces()
YAMLError: type[Exception] = _error.YAMLError


class _Stream:
    """What the three layers look for in each other. YAML 1.2, comments thrown away."""

    comment_handling = None
    processing_version = (1, 2)

    def __init__(self, text: str) -> None:
        self._resolver = self
        self._reader = _reader.Reader(text, loader=self)
        self._scanner = _scanner.Scanner(loader=self)
        self._parser = _parser.Parser(loader=self)


def read_events(text: str) -> Iterator[Any]:
    """The events of a YAML text. Raises YAMLError, and on some broken texts whatever the scanner stumbles over."""
    parser = _Stream(text)._parser
    while parser.check_event():
        yield parser.get_event()
