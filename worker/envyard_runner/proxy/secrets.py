"""The secrets of one run: placeholders inside, values in the headers of requests to their hosts.

Inside the sandbox the variable NAME holds `envyard-secret-NAME`. The value takes its place in
headers of requests to hosts that the secret is bound to, and nowhere else: not in other headers'
names, URLs or bodies, not for other hosts. What comes back is searched for the value.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence

from envyard.contract.job import BoundSecret
from envyard.contract.needs.kinds import secret_fault
from envyard_runner.proxy.names import among
from envyard_runner.proxy.redaction import Redactor, forms_of

PREFIX = "envyard-secret-"
PLACEHOLDER = re.compile(rf"{PREFIX}([A-Z][A-Z0-9_]*)")
BASIC = re.compile(r"(Basic +)([A-Za-z0-9+/_=-]+)", re.IGNORECASE)


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
            if not value or secret_fault(value):
                raise SecretUnusable(name)
        self._forms = forms_of(
            {f"{PREFIX}{name}".encode(): value for name, value in self._values.items()}
        )

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
