"""Byte ranges of RFC 9110, section 14: one range a request, which is what installers send."""

from __future__ import annotations

import re

ONE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)


class Unsatisfiable(Exception):
    """The range begins behind the last byte: 416."""


def wanted(header: str, size: int) -> tuple[int, int] | None:
    """[start, end) of the only range in the header, within `size` bytes.

    None means the whole file: for no header, several ranges or one that cannot be read, as the
    RFC allows. Raises Unsatisfiable.
    """
    match = ONE.fullmatch(header.replace(" ", ""))
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        length = int(last)
        if length == 0 or size == 0:
            raise Unsatisfiable
        return max(0, size - length), size
    start, end = int(first), int(last) + 1 if last else size
    if last and end <= start:
        return None
    if start >= size:
        raise Unsatisfiable
    return start, min(end, size)
