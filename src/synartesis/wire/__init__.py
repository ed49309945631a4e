"""Bytes to messages and back: lines, JSON-RPC envelopes, pending requests, server processes and pipes. Knows no policy."""
