"""Upload limits, from the settings of the operator."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from envyard.contract import wheel

# A form around the wheel: core metadata with a README of at most 1 MiB, and part headers.
FORM_BYTES = 2 << 20


def wheels() -> wheel.Limits:
    """The contract's limits with the operator's own size, in bytes."""
    return replace(wheel.LIMITS, packed=settings.HUB_MAX_WHEEL_BYTES)


def upload_bytes() -> int:
    """The size limit of an upload's body."""
    return wheels().packed + FORM_BYTES
