"""Encryption of secrets with keys that are not in the database (HUB_SECRETS_KEYS).

Fernet (AES-128-CBC with HMAC-SHA256) of the `cryptography` library. The first key encrypts, every
key decrypts: a new key is put first, and `manage.py rotate_secrets` encrypts all values with it.

A value is encrypted together with the row that it belongs to (`bound`): Fernet has no associated
data, and without it a value that is moved to another row of the database would be decrypted there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from registry.errors import HubError


class Undecryptable(Exception):
    """No key of HUB_SECRETS_KEYS decrypts the value, or it was encrypted for another row."""


def new_key() -> str:
    """A random key."""
    return Fernet.generate_key().decode()


def encrypt(value: str, bound: Sequence[object]) -> str:
    """The encrypted value; raises request.no_secrets_key where the hub has no key. `bound` is what
    `decrypt` must be called with: values that JSON holds."""
    return _keys().encrypt(json.dumps([bound, value]).encode()).decode()


def decrypt(encrypted: str, bound: Sequence[object]) -> str:
    """The value; raises Undecryptable, request.no_secrets_key."""
    try:
        content = json.loads(_keys().decrypt(encrypted.encode()))
    except (InvalidToken, ValueError):
        raise Undecryptable from None
    match content:
        case [stored, str(value)] if stored == json.loads(json.dumps(bound)):
            return value
    raise Undecryptable


def is_available() -> bool:
    """Whether the hub has a key."""
    return bool(settings.HUB_SECRETS_KEYS)


def _keys() -> MultiFernet:
    if not is_available():
        raise HubError("request.no_secrets_key", status=409)
    return MultiFernet([Fernet(key) for key in settings.HUB_SECRETS_KEYS])
