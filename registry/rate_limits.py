"""Rate limits of the API's actions, and of the pages that take a guessable secret.

allauth counts sign-ins, sign-ups and the like, with ACCOUNT_RATE_LIMITS.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from registry.errors import HubError

# Scope -> (requests, seconds). A whole laboratory may share one address.
RATES = {
    "device": (30, 60),
    "poll": (240, 60),
    "code": (20, 60),
    "mint": (60, 60),
    "leak": (60, 60),
    "inspect": (60, 60),
    "file": (300, 60),  # each reads an archive; a README may have many images
    "check": (60, 60),
    "card": (10, 60),  # each computes for up to two seconds
    "token": (30, 3600),
    "invitation": (30, 3600),
    "organisation": (20, 3600),
    "report": (20, 3600),
    "retry": (20, 3600),
    "evaluation": (60, 3600),
    "provision": (200, 3600),
    "refused upload": (60, 600),
}

# `1.2.3.4:567` and `[2001:db8::1]:567`, as some proxies write an address.
WITH_PORT = re.compile(r"\[(?P<v6>[0-9A-Fa-f:.%\w]+)\](?::\d+)?|(?P<v4>\d+(?:\.\d+){3}):\d+")


def check(request: HttpRequest, scope: str, *, person: str = "") -> None:
    """Count this request of the person, or of the client's address; raises 429 above the rate.

    The first request opens the counted time. All web processes count together, in the cache.
    """
    times, seconds = RATES[scope]
    key = f"rate-{scope}-{person or subnet(address(request))}"
    if _count(key, seconds) > times:
        counted = "person" if person else "address"
        left = _left(key, seconds)
        raise HubError(
            "request.throttled",
            f"more than {times} requests in {seconds} seconds from one {counted}",
            f"Try again in {left} seconds.",
            429,
            {"retry_after": left},
        )


def _count(key: str, seconds: int) -> int:
    """The requests with this one; `add` first would write to the cache twice for each."""
    with suppress(ValueError):
        return cache.incr(key)
    if cache.add(key, 0, timeout=seconds):
        cache.set(f"{key}-until", time.time() + seconds, timeout=seconds)
    try:
        return cache.incr(key)
    except ValueError:  # expired between the two calls
        return 0


def _left(key: str, seconds: int) -> int:
    """Seconds until the counted time ends."""
    until: float = cache.get(f"{key}-until", time.time() + seconds)
    return min(seconds, max(1, ceil(until - time.time())))


@contextmanager
def counting_refused_uploads(person: int) -> Iterator[None]:
    """Count an upload that is refused for what was sent; raises 429 above the rate.

    Reading a wheel takes seconds of CPU time, and quotas count accepted versions alone.
    """
    times, seconds = RATES["refused upload"]
    key = f"refused-uploads-{person}"
    if cache.get(key, 0) >= times:
        raise HubError(
            "request.throttled",
            f"more than {times} refused uploads in {seconds} seconds from one person",
            f"Check the wheel with `hub check`, and try again in {seconds} seconds.",
            429,
            {"retry_after": seconds},
        )
    try:
        yield
    except HubError as refusal:
        if 400 <= refusal.status < 500 and refusal.status != 429:
            cache.add(key, 0, timeout=seconds)
            with suppress(ValueError):  # expired between the two calls
                cache.incr(key)
        raise


def address(request: HttpRequest) -> str:
    """The client's address: the peer's, or the one that the outermost of our proxies saw.

    Without its port, and an IPv4 address as such where a dual-stack socket wrote it as IPv6.
    """
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    trusted = settings.HUB_PROXIES
    if trusted and len(hops) >= trusted and hops[-trusted]:
        return _plain(hops[-trusted])
    return _plain(str(request.META.get("REMOTE_ADDR", "")))


def _plain(text: str) -> str:
    match = WITH_PORT.fullmatch(text)
    host = (match["v6"] or match["v4"]) if match else text
    try:
        parsed = ip_address(host.partition("%")[0])
    except ValueError:  # a proxy may write anything
        return text
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return str(mapped or parsed)


def subnet(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 that one IPv6 customer is given."""
    try:
        if ip_address(address).version == 6:
            return str(ip_network(f"{address}/64", strict=False).network_address)
    except ValueError:  # a proxy may write anything; it stays one client
        return address[:64]
    return address
