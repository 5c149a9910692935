"""The routes of pages that anonymous readers may open, read from the URL configuration."""

from __future__ import annotations

from django.urls import URLPattern, get_resolver

from tests.registry.access.routes import CONVERTER
from tests.registry.access.table import PAGES, About


def public_pages() -> dict[str, str]:
    """Name of the route -> its path. Routes without a name redirect."""
    names = {
        CONVERTER.sub(r"<\1>", str(pattern.pattern)): pattern.name
        for pattern in get_resolver("frontend.urls").url_patterns
        if isinstance(pattern, URLPattern)
    }
    rules = {path: row["GET"] for path, row in PAGES.items() if "GET" in row}
    letters = {
        path: rule.known if isinstance(rule, About) else rule for path, rule in rules.items()
    }
    return {
        name: path for path, each in letters.items() if each[0] == "+" and (name := names.get(path))
    }
