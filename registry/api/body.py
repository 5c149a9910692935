"""JSON bodies: one bounded parser, and typed readers that name field, value and rule."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import IO, Any

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from registry.accounts.models import User
from registry.errors import HubError

MOST_VALUES = 1_000_000
# One that does not end is matched too, so that no byte is looked at twice.
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


class Json(BaseParser):
    """JSON of at most `most` bytes, without NaN and Infinity, which are no JSON; it may come as
    gzip, and is never inflated beyond that.

    REST framework's own parser has no limit.
    """

    media_type = "application/json"
    most = 1 << 20

    def constant(self, name: str) -> float:
        """What NaN and Infinity are read as; raises ValueError."""
        raise ValueError(f"{name} is not a JSON number")

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The value; raises 413 or 400."""
        raw = stream.read(self.most + 1)
        request = (parser_context or {}).get("request")
        if request is not None and request.headers.get("Content-Encoding") == "gzip":
            raw = _inflate(raw, self.most + 1)
        if len(raw) > self.most:
            message = f"the body has more than {self.most} bytes"
            raise HubError("request.too_large", message, "Send less at a time.", status=413)
        if _values(raw) > MOST_VALUES:
            message = f"the body has more than {MOST_VALUES} values"
            raise HubError("request.too_large", message, "Send less at a time.", status=413)
        try:
            return json.loads(raw, parse_constant=self.constant)
        except (ValueError, RecursionError) as error:
            raise HubError("request.invalid", f"the body is not JSON: {error}") from None


def _values(raw: bytes) -> int:
    """How many values the JSON holds, or less than twice as many: each takes a hundred times the
    memory that it takes here, so they are counted before they are read."""
    if _separators(raw) <= MOST_VALUES:  # those in texts too, which is the usual case and fast
        return 0
    return _separators(TEXT.sub(b"", raw))


def _separators(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _inflate(raw: bytes, most: int) -> bytes:
    """The first `most` bytes of what is packed; raises 400 for what is no whole gzip file."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = inflater.decompress(raw, most)
    except zlib.error as error:
        raise HubError("request.invalid", f"the body is not gzip: {error}") from None
    if len(found) < most and not inflater.eof:
        raise HubError("request.invalid", "the body is gzip that breaks off")
    return found


def read(request: Request, *, only: Sequence[str] = ()) -> dict[str, Any]:
    """The body, which must be a JSON object; with `only`, of these fields and no other.

    A misspelt field that narrows a right would otherwise be ignored, and the right be wider.
    """
    if not isinstance(request.data, dict):
        raise HubError("request.invalid", "the body must be a JSON object")
    if only and (unknown := sorted(set(map(str, request.data)) - set(only))):
        raise HubError(
            "request.invalid",
            f"the field {unknown[0][:40]!r} must be one of {', '.join(only)}",
            details={"field": unknown[0][:40]},
        )
    return request.data


def owner_name(data: dict[str, Any], user: User) -> str:
    """The owner that is named; without one the person's own name, which some staff do not have."""
    own = getattr(user, "owner", None)
    return text(data, "owner", default=own.name) or own.name if own else text(data, "owner")


def text(data: dict[str, Any], field: str, *, default: str | None = None) -> str:
    """A text, stripped; without a default it must be there and not be empty."""
    value = data.get(field, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise _wrong(field, value, "must be a text")
    if not _storable(value):
        raise _wrong(field, value, "must hold no NUL and no lone surrogate")
    value = value.strip()
    if default is None and not value:
        raise _wrong(field, value, "must not be empty")
    return value


def whole(data: dict[str, Any], field: str) -> int | None:
    """A whole number, or None where the field is missing or null."""
    value = data.get(field)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise _wrong(field, value, "must be a whole number")
    return value


def _storable(value: str) -> bool:
    """Without NULs and lone surrogates, which JSON can spell and no database takes."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _wrong(field: str, value: Any, rule: str) -> HubError:
    shown = "is missing and" if value is None else repr(value)[:80]
    return HubError("request.invalid", f"{field} {shown} {rule}", details={"field": field})
