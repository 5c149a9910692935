"""The parser of JSON bodies, bounded in bytes and values."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from registry.errors import HubError

MAX_VALUES = 1_000_000
# An unterminated one matches too, so that no byte is read twice.
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


class Json(BaseParser):
    """JSON of at most `max_bytes` bytes, without NaN and Infinity, which are no JSON; it may come
    as gzip, and is never inflated beyond that.

    REST framework's own parser has no limit.
    """

    media_type = "application/json"
    max_bytes = 1 << 20

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
        raw = stream.read(self.max_bytes + 1)
        request = (parser_context or {}).get("request")
        if request is not None and request.headers.get("Content-Encoding") == "gzip":
            raw = _inflate(raw, self.max_bytes + 1)
        if len(raw) > self.max_bytes:
            message = f"the body has more than {self.max_bytes} bytes"
            raise HubError("request.too_large", message, "Send less at a time.", status=413)
        if _values(raw) > MAX_VALUES:
            message = f"the body has more than {MAX_VALUES} values"
            raise HubError("request.too_large", message, "Send less at a time.", status=413)
        try:
            return json.loads(raw, parse_constant=self.constant)
        except (ValueError, RecursionError) as error:
            raise HubError("request.invalid", f"the body is not JSON: {error}") from None


def _values(raw: bytes) -> int:
    """How many values the JSON holds, or less than twice as many: each takes a hundred times the
    memory that it takes here, so they are counted before they are read."""
    if _separators(raw) <= MAX_VALUES:  # those in texts too, which is the usual case and fast
        return 0
    return _separators(TEXT.sub(b"", raw))


def _separators(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _inflate(raw: bytes, size: int) -> bytes:
    """The first `size` bytes of the content; raises 400 for anything but a complete gzip file."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        data = inflater.decompress(raw, size)
    except zlib.error as error:
        raise HubError("request.invalid", f"the body is not gzip: {error}") from None
    if len(data) < size and not inflater.eof:
        raise HubError("request.invalid", "the gzip body is truncated")
    return data
