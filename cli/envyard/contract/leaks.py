"""Secrets of this kind of hub inside a file: found by their prefix, length and checksum."""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
PUBLIC, SECRET, CHECK = 8, 43, 6  # characters; 43 of base62 hold 256 bits, 6 hold 32
BODY = PUBLIC + SECRET + CHECK
TOKEN = re.compile(rb"(hubr?_)([0-9A-Za-z]{%d})" % BODY)
# The same as UTF-16 and UTF-32, of either byte order: NULs stand between the characters.
WIDE = tuple(
    re.compile(
        rb"h%(n)su%(n)sb%(n)s(?:r%(n)s)?_(?:%(n)s[0-9A-Za-z]){%(body)d}"
        % {b"n": nulls, b"body": BODY}
    )
    for nulls in (rb"\x00", rb"\x00\x00\x00")
)
WIDE_START = re.compile(rb"h\x00(?:\x00\x00)?u\x00")
MAX_CANDIDATES = 20_000  # in one wheel; more of them are no accident
MAX_TOKEN_BYTES = 4 * (len("hubr_") + BODY)


@dataclass(frozen=True, slots=True)
class Leak:
    """A token inside a wheel; only `prefix` and `public_id` may be shown."""

    text: str = field(repr=False)
    prefix: str
    public_id: str

    def __str__(self) -> str:
        return f"{self.prefix}{self.public_id}..."


class Scanner:
    """Checks the candidates of one wheel, up to a limit for all its members together."""

    def __init__(self) -> None:
        self._left = MAX_CANDIDATES

    def leaks(self, text: bytes) -> Iterator[Leak]:
        """The tokens in a chunk of a member, in any encoding that a text file has."""
        yield from self._checked(TOKEN, text)
        if WIDE_START.search(text):
            for pattern in WIDE:
                yield from self._checked(pattern, text)

    def _checked(self, pattern: re.Pattern[bytes], text: bytes) -> Iterator[Leak]:
        for match in islice(pattern.finditer(text), self._left):
            self._left -= 1
            token = match[0].replace(b"\0", b"").decode()
            if checksum(token[:-CHECK]) == token[-CHECK:]:
                prefix = token[: token.index("_") + 1]
                yield Leak(token, prefix, token[len(prefix) :][:PUBLIC])


class Finder:
    """Finds the tokens in one stream of bytes, also where a chunk ends inside a token."""

    def __init__(self, scanner: Scanner, leaks: dict[str, Leak]) -> None:
        self._scanner, self._leaks = scanner, leaks
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Look through the next bytes."""
        text = self._rest + chunk
        for leak in self._scanner.leaks(text):
            self._leaks[leak.text] = leak
        self._rest = text[1 - MAX_TOKEN_BYTES :]


def checksum(body: str) -> str:
    """CRC-32 of the ASCII text, as base62."""
    return base62(zlib.crc32(body.encode()), CHECK)


def base62(number: int, width: int) -> str:
    """The number in base 62, most significant digit first, padded with zeros to `width`."""
    digits = ""
    while number:
        number, remainder = divmod(number, 62)
        digits = ALPHABET[remainder] + digits
    return digits.rjust(width, ALPHABET[0])
