"""One module per command: `EXAMPLES`, `configure(parser)` and `run(args, out) -> exit code`."""
