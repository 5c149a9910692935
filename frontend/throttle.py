"""A few tries a minute from one address for forms that guess or create."""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest

from registry.api.throttles import address

LIMITS = {"login": 10, "signup": 5, "device": 20}


def throttled(request: HttpRequest, what: str) -> bool:
    """Count this try; True once the address has used up its minute."""
    key = f"throttle:{what}:{address(request)}"
    cache.add(key, 0, 60)
    try:
        return cache.incr(key) > LIMITS[what]
    except ValueError:  # expired between the two calls
        return False
