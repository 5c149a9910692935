"""Entries that are judged wrong today, each with the reason; remove one when it passes."""

from __future__ import annotations

EXPECTED_TO_FAIL: dict[str, str] = {}
