"""Options that several commands share, under one name and one help text each."""

from __future__ import annotations

import argparse


def add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--manifest", metavar="FILE", help="the manifest (default: found, see synartesis --help)")
    parser.add_argument("--journal", metavar="FILE", help="the journal (default: found, see synartesis --help)")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON value on stdout, nothing else")


def add_full(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="shorten nothing")


def add_decision(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids", metavar="ID", nargs="*", help="the request, or the start of its id (default: the only one)"
    )
    parser.add_argument("--all", action="store_true", help="all that wait now: exactly the ids that are printed")
    parser.add_argument("--by", metavar="NAME", help="who decides (default: your login name)")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; the agent is told when it is denied")
    add_full(parser)
    add_files(parser)
    add_json(parser)
