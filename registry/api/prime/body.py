"""Typed readers of JSON objects, which name field, value and rule."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from registry.errors import HubError


def read(request: Request) -> dict[str, Any]:
    """The body, which must be a JSON object."""
    if not isinstance(request.data, dict):
        raise HubError("request.invalid", "the body must be a JSON object")
    return request.data


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


def number(data: dict[str, Any], field: str) -> int | None:
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
