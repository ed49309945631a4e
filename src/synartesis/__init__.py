"""Synartesis: the undo layer for AI agents."""

__version__ = "0.1.0"
