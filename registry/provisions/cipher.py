"""Encryption of secrets with keys that are not in the database (HUB_SECRETS_KEYS).

Fernet (AES-128-CBC with HMAC-SHA256) of the `cryptography` library. The first key encrypts, every
key decrypts: a new key is put first, and `manage.py rotate_secrets` encrypts all values with it.
"""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from registry.errors import HubError


class Undecryptable(Exception):
    """No key of HUB_SECRETS_KEYS decrypts the value."""


def new_key() -> str:
    """A random key."""
    return Fernet.generate_key().decode()


def encrypt(value: str) -> str:
    """The encrypted value; raises request.no_secrets_key where the hub has no key."""
    return _keys().encrypt(value.encode()).decode()


def decrypt(encrypted: str) -> str:
    """The value; raises Undecryptable where its key is not set any more, request.no_secrets_key."""
    try:
        return _keys().decrypt(encrypted.encode()).decode()
    except InvalidToken:
        raise Undecryptable from None


def is_available() -> bool:
    """Whether the hub has a key."""
    return bool(settings.HUB_SECRETS_KEYS)


def _keys() -> MultiFernet:
    if not is_available():
        raise HubError("request.no_secrets_key", status=409)
    return MultiFernet([Fernet(key) for key in settings.HUB_SECRETS_KEYS])
