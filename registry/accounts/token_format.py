"""The text of secrets: prefix, public id, 256 random bits and a checksum, all base62.

With the checksum (CRC-32 of all before it), secret scanners and the hub recognise a real token
without a database query. Only the SHA-256 of the text is stored:
the secret is random, so a slow password hash would protect nothing and cost 50 ms a request.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass

from envyard.contract.leaks import ALPHABET, CHECK, PUBLIC, SECRET, base62, checksum

BODY = re.compile(rf"[0-9A-Za-z]{{{PUBLIC + SECRET + CHECK}}}")


@dataclass(frozen=True, slots=True)
class Key:
    """A new secret: `text` is shown once, `public_id` and `digest` are stored."""

    text: str
    public_id: str
    digest: str


def new(prefix: str) -> Key:
    """A fresh secret that begins with `prefix`."""
    public_id = "".join(secrets.choice(ALPHABET) for _ in range(PUBLIC))
    body = prefix + public_id + base62(secrets.randbits(256), SECRET)
    text = body + checksum(body)
    return Key(text, public_id, sha256(text))


def digest(text: str, prefix: str) -> str | None:
    """The digest to look `text` up by, or None where it cannot be a secret of this kind."""
    if not text.startswith(prefix) or not BODY.fullmatch(text[len(prefix) :]):
        return None
    return sha256(text) if checksum(text[:-CHECK]) == text[-CHECK:] else None


def find_all(data: bytes, prefix: str) -> list[str]:
    """Every secret of this kind in the bytes, recognised by its checksum, each once."""
    pattern = re.compile(rb"%b%b" % (re.escape(prefix).encode(), BODY.pattern.encode()))
    texts = dict.fromkeys(match.group().decode() for match in pattern.finditer(data))
    return [text for text in texts if digest(text, prefix) is not None]


def sha256(text: str) -> str:
    """The stored form, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
