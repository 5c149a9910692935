"""The secrets of one run: placeholders inside, values in the headers of requests to their hosts.

Inside the sandbox the variable NAME holds `envyard-secret-NAME`. The value takes its place in
headers of requests to hosts that the secret is bound to, and nowhere else: not in other headers'
names, URLs or bodies, not for other hosts. What comes back is searched for the value.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

from envyard.contract.job import BoundSecret
from envyard_runner.proxy.names import among

PREFIX = "envyard-secret-"
PLACEHOLDER = re.compile(rf"{PREFIX}([A-Z][A-Z0-9_]*)")
BASIC = re.compile(r"(Basic +)([A-Za-z0-9+/_=-]+)", re.IGNORECASE)
SEARCHED_CHARACTERS = 8  # what is shorter is part of common words
UNSENDABLE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")  # in a header (RFC 9110, 5.5)


class SecretUnusable(Exception):
    """The value of the secret `name` is missing, or cannot be sent in a header."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The secret {name} has no value that a header can hold; an owner sets it again."
        )
        self.name = name


class Secrets:
    """The `bound` secrets of a run with their `values` by name; raises SecretUnusable."""

    def __init__(self, bound: Sequence[BoundSecret], values: Mapping[str, str]) -> None:
        self._hosts = {secret.name: secret.hosts for secret in bound}
        self._values = {name: values.get(name, "").strip() for name in self._hosts}
        for name, value in self._values.items():
            if not value or UNSENDABLE.search(value):
                raise SecretUnusable(name)
        self._forms = {
            form: f"{PREFIX}{name}".encode()
            for name, value in self._values.items()
            for form in _forms(value)
        }

    def __bool__(self) -> bool:
        return bool(self._values)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._values)})"

    @property
    def variables(self) -> dict[str, str]:
        """The variables of the sandbox: each name with its placeholder."""
        return {name: f"{PREFIX}{name}" for name in self._values}

    @property
    def hosts(self) -> list[str]:
        """All hosts that a secret is bound to."""
        return sorted({host for hosts in self._hosts.values() for host in hosts})

    @property
    def values(self) -> list[str]:
        """The values, for records that must not hold them."""
        return list(self._values.values())

    def in_header(self, host: str, value: str) -> str:
        """A header's value with the secrets that are bound to the host in place of their
        placeholders, also within the credentials of Basic authentication."""

        def resolve(match: re.Match[str]) -> str:
            bound = among(host, self._hosts.get(match[1], ()))
            return self._values[match[1]] if bound else match[0]

        if match := BASIC.fullmatch(value.strip()):
            try:
                plain = base64.b64decode(match[2], validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError):
                return value
            encoded = base64.b64encode(PLACEHOLDER.sub(resolve, plain).encode()).decode()
            return match[1] + encoded
        return PLACEHOLDER.sub(resolve, value)

    def without(self, text: str) -> str:
        """The text with placeholders in place of the values."""
        redactor = self.redactor()
        raw = text.encode("utf-8", "surrogateescape")
        return (redactor.feed(raw) + redactor.finish()).decode("utf-8", "surrogateescape")

    def redactor(self) -> Redactor:
        """A Redactor for one stream of bytes."""
        return Redactor(self._forms)


class Redactor:
    """Puts placeholders in place of values in bytes that come in parts.

    The end of a part is held back only while it may be the beginning of a value.
    """

    def __init__(self, forms: Mapping[bytes, bytes]) -> None:
        self._forms = forms
        self._longest = max(map(len, forms), default=0)
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile(b"|".join(map(re.escape, longest_first))) if forms else None
        self._kept = b""

    def feed(self, part: bytes) -> bytes:
        """What can be passed on after this part."""
        if self._pattern is None:
            return part
        data, passed, at = self._kept + part, bytearray(), 0
        for match in self._pattern.finditer(data):
            passed += data[at : match.start()] + self._forms[match[0]]
            at = match.end()
        held = self._held(data[at:])
        end = len(data) - held
        self._kept = data[end:]
        return bytes(passed + data[at:end])

    def finish(self) -> bytes:
        """What was held back, once nothing more comes."""
        rest, self._kept = self._kept, b""
        return rest

    def _held(self, data: bytes) -> int:
        """How many of the last bytes are the beginning of a value."""
        for size in range(min(self._longest - 1, len(data)), 0, -1):
            tail = data[-size:]
            if any(form.startswith(tail) for form in self._forms):
                return size
        return 0


def _forms(value: str) -> Iterable[bytes]:
    """The value as it is written in text, URLs, JSON, HTML, hexadecimal and base64."""
    if len(value) < SEARCHED_CHARACTERS:
        return []
    raw = value.encode()
    texts = {value, quote(value, safe=""), quote_plus(value), json.dumps(value)[1:-1]}
    texts |= {html.escape(value), raw.hex(), raw.hex().upper()}
    encoded = {form for shift in range(3) for form in _base64_forms(raw, shift)}
    return {text.encode() for text in texts} | encoded


def _base64_forms(raw: bytes, shift: int) -> Iterable[bytes]:
    """Base64 of the value alone, and the characters that depend on it alone after `shift` other
    bytes."""
    first, last = (0, 2, 3)[shift], 8 * (shift + len(raw)) // 6
    padded = b"\0" * shift + raw
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(padded)
        form = encoded[first:last]
        if shift == 0:
            yield encoded
        if len(form) >= SEARCHED_CHARACTERS:
            yield form
