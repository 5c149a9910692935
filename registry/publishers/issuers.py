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

SECONDS = 5  # for one answer
MOST = 256 << 10  # bytes of one answer
KEEP = 3600  # seconds that keys serve without being asked for again
PAUSE = 60  # seconds between two questions to one issuer, whatever key ids strangers make up
LOOPBACK = ("127.0.0.1", "::1", "localhost")
Jwk = dict[str, Any]


class _NoRedirect(HTTPRedirectHandler):
    """A redirect is an error: nobody but the issuer's own address speaks for it."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


OPENER = build_opener(_NoRedirect)


def kind(issuer: str) -> str | None:
    """The kind of a trusted issuer, None for all others."""
    known: dict[str, str] = settings.HUB_OIDC_ISSUERS
    return known.get(issuer)


def key(issuer: str, kid: str) -> Jwk | None:
    """The issuer's public key of that id. An unknown id asks the issuer, at most once a minute."""
    name = hashlib.sha256(issuer.encode()).hexdigest()
    keys: dict[str, Jwk] | None = cache.get(f"jwks-{name}")
    if keys is not None and kid in keys:
        return keys[kid]
    if cache.add(f"jwks-asked-{name}", 1, timeout=PAUSE):
        keys = _fetch(issuer)
        cache.set(f"jwks-{name}", keys, timeout=KEEP)
    if keys is None:
        raise _away(issuer, "it did not answer a moment ago")
    return keys.get(kid)


def _fetch(issuer: str) -> dict[str, Jwk]:
    """All keys of an issuer; raises 503 where it does not answer as OpenID Connect asks."""
    try:
        configuration = _get(f"{issuer}/.well-known/openid-configuration", issuer)
        if configuration["issuer"] != issuer:
            raise ValueError(f"it calls itself {str(configuration['issuer'])[:100]!r}")
        keys = _get(str(configuration["jwks_uri"]), issuer)["keys"]
        return {str(jwk["kid"]): dict(jwk) for jwk in keys if "kid" in jwk}
    except (OSError, HTTPException, ValueError, TypeError, KeyError) as error:
        raise _away(issuer, f"{error!r:.200}") from None


def _away(issuer: str, why: str) -> HubError:
    return HubError(
        "publisher.issuer_unreachable",
        f"the keys of {issuer} cannot be fetched: {why}",
        status=503,
        details={"retry_after": PAUSE},
    )


def _get(url: str, issuer: str) -> Any:
    """Over https; in the clear only on this machine, for an issuer that is there itself."""
    parts = urlsplit(url)
    clear = parts.scheme == "http" and issuer.startswith("http:") and parts.hostname in LOOPBACK
    if parts.scheme != "https" and not clear:
        raise ValueError(f"{url[:200]!r} is not https")
    request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 - checked above
    try:
        with OPENER.open(request, timeout=SECONDS) as answer:
            raw = answer.read(MOST + 1)
    except HTTPError as error:
        error.close()
        raise
    if len(raw) > MOST:
        raise ValueError(f"{url[:200]!r} answered with more than {MOST} bytes")
    return json.loads(raw)
