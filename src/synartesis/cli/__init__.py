"""The command line: a table of commands, one module each, imported only when it runs."""
