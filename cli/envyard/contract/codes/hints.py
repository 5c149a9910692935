"""Hints that several codes of wheels share."""

from __future__ import annotations

BUILD = "Build the wheel again with `hub push` or `uv build`."
BY_HAND = "Build the wheel with a build back-end, and do not change the file afterwards."
PURE = (
    "Only pure Python is accepted: move compiled code into a dependency, and let the build "
    "back-end write py3-none-any."
)
RENAME = "Rename the file."
SHIP = "Ship data separately."
