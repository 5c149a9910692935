"""Avatars drawn from names: inline SVG, the same for the same name, with nothing that can run."""

from __future__ import annotations

import hashlib

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

SIDE, COLOURS = 5, 6


def avatar(name: str) -> SafeString:
    """A pattern of squares, symmetrical as faces are, in one of COLOURS classes; for decoration, as
    the name stands beside it."""
    digest = hashlib.sha256(name.encode()).digest()
    half = (SIDE + 1) // 2
    bits = int.from_bytes(digest[1:3], "big")
    cells = [
        (column, row)
        for row in range(SIDE)
        for column in range(half)
        if bits >> (row * half + column) & 1
    ]
    mirrored = sorted({*cells, *((SIDE - 1 - column, row) for column, row in cells)})
    squares = format_html_join(
        "", '<rect x="{}" y="{}" width="1" height="1"/>', ((x + 1, y + 1) for x, y in mirrored)
    )
    return format_html(
        '<svg class="avatar avatar-{}" viewBox="0 0 {} {}" aria-hidden="true" '
        'focusable="false">{}</svg>',
        digest[0] % COLOURS,
        SIDE + 2,
        SIDE + 2,
        squares,
    )
