"""The type under which the bytes of a stranger's file are served, so that none of them runs.

The response's own policy has no script, no style of another file and no rights of the hub's origin
(`sandbox`); `nosniff` keeps browsers from guessing. SVG may be an image, never a document with
scripts. Source: the HTML standard's sandbox, RFC 9110 8.3.
"""

from __future__ import annotations

from pathlib import PurePosixPath

POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
TEXT = "text/plain; charset=utf-8"
OTHER = "application/octet-stream"


def image_type(path: str) -> str:
    """The type of an image by the end of its name; empty for all else."""
    return IMAGES.get(PurePosixPath(path).suffix.lower(), "")


def text_of(data: bytes) -> str | None:
    """The text of a file in UTF-8; None for any other."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def content_type(path: str, data: bytes) -> str:
    """An image's type, plain text, or bytes to download."""
    if kind := image_type(path):
        return kind
    return OTHER if text_of(data) is None else TEXT
