"""How often one address may knock at the doors that strangers can try: the API's and forms."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from registry.errors import HubError

# Door -> (times, seconds). A whole laboratory may stand behind one address.
RATES = {
    "device": (30, 60),
    "poll": (240, 60),
    "code": (20, 60),
    "mint": (60, 60),
    "leak": (60, 60),
    "login": (10, 60),
    "signup": (5, 60),
}


def check(request: HttpRequest, door: str) -> None:
    """Count this knock; raises 429 above the rate. The first knock opens the counted time.

    Counts live in Django's cache: with the default one, each web process counts for itself.
    """
    times, seconds = RATES[door]
    key = f"knocks-{door}-{address(request)}"
    cache.add(key, 0, timeout=seconds)
    try:
        count = cache.incr(key)
    except ValueError:  # expired between the two calls
        return
    if count > times:
        raise HubError(
            "request.throttled",
            f"more than {times} requests in {seconds} seconds from one address",
            f"Try again in {seconds} seconds.",
            429,
            {"retry_after": seconds},
        )


def address(request: HttpRequest) -> str:
    """The client's address: the peer's, or the one that the outermost of our proxies saw."""
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    trusted = settings.HUB_PROXIES
    if trusted and len(hops) >= trusted and hops[-trusted]:
        return hops[-trusted]
    return str(request.META.get("REMOTE_ADDR", ""))
