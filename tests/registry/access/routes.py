"""Every address that the project answers, read from its own URL configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, get_resolver

CONVERTER = re.compile(r"<(?:\w+:)?(\w+)>")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Route:
    """A pattern as one reads it, `api/v1/runs/<pk>/`, and what answers it."""

    path: str
    view: Any

    @property
    def methods(self) -> set[str] | None:
        """What REST framework lets through to the view, None where it has no say."""
        view_class = getattr(self.view, "cls", None)
        names = getattr(view_class, "http_method_names", None)
        return {name.upper() for name in names} - {"OPTIONS"} if names else None

    @property
    def vendor(self) -> bool:
        """Not our own view: its methods are its author's business."""
        return not self.view.__module__.startswith(("registry.", "frontend.", "hub."))


def every() -> Iterator[Route]:
    """All routes but the admin site's own, which make one row."""
    for route in _walk(get_resolver().url_patterns, ""):
        if not route.path.startswith("admin/"):
            yield route


def _walk(patterns: Iterable[Any], before: str) -> Iterator[Route]:
    for pattern in patterns:
        path = before + CONVERTER.sub(r"<\1>", str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield Route(path, pattern.callback)
        else:
            yield from _walk(pattern.url_patterns, path)
