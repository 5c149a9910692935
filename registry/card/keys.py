"""The keys that sign cards (HUB_CARD_KEYS): Ed25519, RFC 8032.

The first key signs, the public half of every key is served: a new key is put first, and the old
one stays as long as cards that it signed shall verify without being signed again.
"""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

SCHEME = "ed25519"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of a key; `keyid` is the sha256 of its DER form (SubjectPublicKeyInfo)."""

    keyid: str
    scheme: str
    public: str


def new_key() -> str:
    """A random private key as HUB_CARD_KEYS holds it: 32 bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def sign(data: bytes) -> tuple[str, bytes]:
    """The id of the first key, and its signature of the data."""
    key = _keys()[0]
    return _public(key).keyid, key.sign(data)


def public_keys() -> list[PublicKey]:
    """The public halves, the one that signs first."""
    return [_public(key) for key in _keys()]


def _keys() -> list[Ed25519PrivateKey]:
    return [
        Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(key))
        for key in settings.HUB_CARD_KEYS
    ]


def _public(key: Ed25519PrivateKey) -> PublicKey:
    public = key.public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return PublicKey(hashlib.sha256(der).hexdigest(), SCHEME, pem.decode())
