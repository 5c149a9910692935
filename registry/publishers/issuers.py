"""The keys of the OIDC issuers that the operator trusts, fetched by discovery and cached."""

from __future__ import annotations

import hashlib
import json
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.core.cache import cache

from registry.errors import HubError

TIMEOUT = 5  # seconds for one response
MAX_BYTES = 256 << 10  # of one response
CACHE_SECONDS = 3600  # of keys
PAUSE = 60  # seconds between two requests to one issuer, whatever key ids strangers make up
LOOPBACK = ("127.0.0.1", "::1", "localhost")
Jwk = dict[str, Any]


class _NoRedirect(HTTPRedirectHandler):
    """A redirect is an error: only the issuer's own address is trusted."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


OPENER = build_opener(_NoRedirect)


def kind(issuer: str) -> str | None:
    """The kind of a trusted issuer, None for all others."""
    kinds: dict[str, str] = settings.HUB_OIDC_ISSUERS
    return kinds.get(issuer)


def key(issuer: str, kid: str) -> Jwk | None:
    """The issuer's public key of that id. An unknown id fetches them, at most once a minute."""
    name = hashlib.sha256(issuer.encode()).hexdigest()
    keys: dict[str, Jwk] | None = cache.get(f"jwks-{name}")
    if keys is not None and kid in keys:
        return keys[kid]
    if cache.add(f"jwks-asked-{name}", 1, timeout=PAUSE):
        keys = _fetch(issuer)
        cache.set(f"jwks-{name}", keys, timeout=CACHE_SECONDS)
    if keys is None:
        raise _unreachable(issuer, "it did not answer a moment ago")
    return keys.get(kid)


def _fetch(issuer: str) -> dict[str, Jwk]:
    """All keys of an issuer; raises 503 where its response is not that of OpenID Connect."""
    try:
        configuration = _get(f"{issuer}/.well-known/openid-configuration", issuer)
        if configuration["issuer"] != issuer:
            raise ValueError(f"its issuer is {str(configuration['issuer'])[:100]!r}")
        keys = _get(str(configuration["jwks_uri"]), issuer)["keys"]
        return {str(jwk["kid"]): dict(jwk) for jwk in keys if "kid" in jwk}
    except (OSError, HTTPException, ValueError, TypeError, KeyError) as error:
        raise _unreachable(issuer, f"{error!r:.200}") from None


def _unreachable(issuer: str, reason: str) -> HubError:
    return HubError(
        "publisher.issuer_unreachable",
        f"the keys of {issuer} cannot be fetched: {reason}",
        status=503,
        details={"retry_after": PAUSE},
    )


def _get(url: str, issuer: str) -> Any:
    """Fetch JSON over https; over http only on this machine, for an issuer there."""
    parts = urlsplit(url)
    plaintext = parts.scheme == "http" and issuer.startswith("http:") and parts.hostname in LOOPBACK
    if parts.scheme != "https" and not plaintext:
        raise ValueError(f"{url[:200]!r} is not https")
    request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 - checked above
    try:
        with OPENER.open(request, timeout=TIMEOUT) as response:
            raw = response.read(MAX_BYTES + 1)
    except HTTPError as error:
        error.close()
        raise
    if len(raw) > MAX_BYTES:
        raise ValueError(f"{url[:200]!r} answered with more than {MAX_BYTES} bytes")
    return json.loads(raw)
