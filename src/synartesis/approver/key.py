"""An Ed25519 key pair whose private half is kept under a passphrase (scrypt, ChaCha20-Poly1305). Knows no files."""

from __future__ import annotations

import os
from collections.abc import Callable

import msgspec

from synartesis.errors import SynartesisError

SHORTEST_PASSPHRASE = 12
"""Whoever has the file may try passphrases for as long as they like; each costs them SCRYPT_COST."""
SCRYPT_COST = 1 << 17
"""scrypt's N, with r = 8 and p = 1: 128 MiB and about half a second for each try."""
HIGHEST_COST = 1 << 20
"""A file that asks for more was not written by us."""
_SALT_BYTES, _NONCE_BYTES = 16, 12

Sign = Callable[[bytes], str]
"""A message to its signature, in hexadecimal."""


class LockedKey(msgspec.Struct, frozen=True):
    """A key pair as it is kept; texts are hexadecimal."""

    public: str
    salt: str
    nonce: str
    box: str
    """The private half, encrypted; the public one is sealed in with it, so that no other can be put beside it."""
    cost: int


def make_key(passphrase: str, *, cost: int = SCRYPT_COST) -> LockedKey:
    """A new key pair. Raises SynartesisError where the passphrase is too short to be worth typing."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise SynartesisError(
            f"this passphrase has {len(passphrase)} characters, and it takes {SHORTEST_PASSPHRASE}",
            hint="several words are easy to remember, and long",
        )
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    box = ChaCha20Poly1305(_stretched(passphrase, salt, cost)).encrypt(nonce, private.private_bytes_raw(), public)
    return LockedKey(public.hex(), salt.hex(), nonce.hex(), box.hex(), cost)


def unlock(key: LockedKey, passphrase: str) -> Sign | None:
    """What signs with this key; None where this is not its passphrase, or the file was tampered with."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    if not 1 < key.cost <= HIGHEST_COST:
        return None
    try:
        salt, nonce, box, public = (bytes.fromhex(text) for text in (key.salt, key.nonce, key.box, key.public))
        opened = ChaCha20Poly1305(_stretched(passphrase, salt, key.cost)).decrypt(nonce, box, public)
        private = Ed25519PrivateKey.from_private_bytes(opened)
    except (InvalidTag, ValueError):
        return None
    return lambda message: private.sign(message).hex()


def is_signed(public: str, message: bytes, signature: str) -> bool:
    """Whether this signature was made with the private half of this key, over this very message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _stretched(passphrase: str, salt: bytes, cost: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=cost, r=8, p=1).derive(passphrase.encode("utf-8", "surrogateescape"))
