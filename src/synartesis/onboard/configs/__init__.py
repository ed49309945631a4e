"""Configuration files of MCP clients, read with places and changed by small replacements of text.

A file that belongs to another program is never written anew: whatever we do not change stays as it is, to the byte. Knows how
files are spelled, and nothing of clients, servers or policies.
"""
