"""Secrets of this kind of hub inside a file: found by their prefix, length and checksum."""

from __future__ import annotations

import re
import string
import zlib
from dataclasses import dataclass, field
from itertools import islice

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
PUBLIC, SECRET, CHECK = 8, 43, 6  # characters; 43 of base62 hold 256 bits, 6 hold 32
TOKEN = re.compile(rb"(hubr?_)([0-9A-Za-z]{%d})" % (PUBLIC + SECRET + CHECK))
MAX_CANDIDATES = 20_000  # in one wheel; who ships more of them does not do so by mistake
LONGEST = len("hubr_") + PUBLIC + SECRET + CHECK


@dataclass(frozen=True, slots=True)
class Leak:
    """A token that somebody shipped; only `prefix` and `public_id` may be shown."""

    text: str = field(repr=False)
    prefix: str
    public_id: str

    def __str__(self) -> str:
        return f"{self.prefix}{self.public_id}..."


class Scanner:
    """Finds the tokens in a wheel's members, also where a piece of one ends inside a token."""

    def __init__(self) -> None:
        self.found: dict[str, Leak] = {}
        self._rest = b""
        self._left = MAX_CANDIDATES

    def begin(self) -> None:
        """Another member starts; what the last one held is forgotten."""
        self.found = {}
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        """Look through the member's next bytes."""
        text = self._rest + piece
        for match in islice(TOKEN.finditer(text), self._left):
            self._left -= 1
            token = match[0].decode()
            if checksum(token[:-CHECK]) == token[-CHECK:]:
                prefix = match[1].decode()
                self.found[token] = Leak(token, prefix, token[len(prefix) :][:PUBLIC])
        self._rest = text[1 - LONGEST :]


def checksum(body: str) -> str:
    """CRC-32 of the ASCII text, as base62."""
    return base62(zlib.crc32(body.encode()), CHECK)


def base62(number: int, width: int) -> str:
    """The number in base 62, most significant digit first, padded with zeros to `width`."""
    digits = ""
    while number:
        number, rest = divmod(number, 62)
        digits = ALPHABET[rest] + digits
    return digits.rjust(width, ALPHABET[0])
