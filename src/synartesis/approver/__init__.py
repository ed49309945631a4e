"""Approvals that an agent cannot give itself: a key under a passphrase, what is signed with it, and the proxy's own look at it.

An agent with a shell can run `approve`, and can write any row into the journal. So where there is an approver, a row
counts for nothing by itself: a proxy lets a held call through only if a signature shows that somebody who knows the
passphrase said yes to exactly this call, to this very proxy, within the hour. The proxy keeps the public key, its own
name and what was used up in memory, where no file can be exchanged under it.

`key` makes and opens keys, `statement` spells what is signed, `pin` remembers beside the journal which key was set up,
`gate` is what a proxy asks. `cryptography` is imported only where something is signed, opened or verified.
"""
