"""`schema`: the JSON Schema of the manifest, for editors."""

from __future__ import annotations

import argparse
from importlib.resources import files

from synartesis.cli.output import Output
from synartesis.errors import EXIT_DONE

EXAMPLES = """examples:
  synartesis schema > synartesis.schema.json

Then put this line on top of synartesis.yaml, and editors complete it:
  # yaml-language-server: $schema=./synartesis.schema.json"""


def configure(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace, out: Output) -> int:  # noqa: ARG001
    text = files("synartesis.policy").joinpath("schema.json").read_text(encoding="utf-8")
    out.lines([text.rstrip()])
    return EXIT_DONE
