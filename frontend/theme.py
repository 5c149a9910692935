"""Light, dark, or what the reader's system prefers."""

from __future__ import annotations

from django.http import HttpRequest

COOKIE = "theme"
SECONDS = 365 * 24 * 3600
SYSTEM = "system"
THEMES = {SYSTEM: "System", "light": "Light", "dark": "Dark"}


def theme_of(request: HttpRequest | None) -> str:
    """One of THEMES; `system` without a choice, for an unknown one and on pages of errors."""
    chosen = request.COOKIES.get(COOKIE, SYSTEM) if request else SYSTEM
    return chosen if chosen in THEMES else SYSTEM
