"""`python -m synartesis`."""

from __future__ import annotations

import sys

from synartesis.cli.main import console

if __name__ == "__main__":
    sys.exit(console())
