"""The words of the product, and the judgements that need nothing but values.

Imports only `errors`. `names`, `status` and `records` are imported by commands that must start fast, so they use neither
dataclasses (which import `inspect`) nor any third-party library.
"""
