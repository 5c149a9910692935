"""The plain answer of a task, where it has one."""

from __future__ import annotations

from typing import Any


def plain_answer(value: Any) -> str | None:
    """The `answer` field of a task as text; None for anything but text and numbers."""
    return str(value) if isinstance(value, str | int | float) else None
