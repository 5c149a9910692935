"""Identity tokens: JWTs in which a trusted issuer identifies a workflow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from registry.errors import HubError
from registry.publishers import issuers

ALGORITHMS = ("RS256", "ES256")
LEEWAY = timedelta(seconds=30)  # between the issuer's clock and ours
MAX_LIFE = timedelta(days=1)  # of a token, as its id must be stored that long
MAX_JTI = 255
MIN_RSA_BITS = 2048


@dataclass(frozen=True, slots=True)
class Identity:
    """The verified content of an identity token."""

    issuer: str
    kind: str
    jti: str
    expires_at: datetime
    claims: Mapping[str, Any]


def verify(text: str, *, audience: str) -> Identity:
    """Check signature, issuer, audience and times; raises 422 naming the one that is wrong."""
    try:
        header = jwt.get_unverified_header(text)
        issuer = jwt.decode(text, options={"verify_signature": False}).get("iss")
    except jwt.PyJWTError as error:
        raise _invalid(f"it is no JWT ({error})") from None
    kind = issuers.kind(issuer) if isinstance(issuer, str) else None
    if kind is None:
        raise HubError(
            "publisher.unknown_issuer", f"the hub does not trust issuer {issuer!r:.200}", status=422
        )
    key = _key(str(issuer), header)
    try:
        claims = jwt.decode(
            text,
            key=key,
            algorithms=[key.algorithm_name],
            audience=audience,
            issuer=issuer,
            leeway=LEEWAY,
            # `strict_aud`: a token for several audiences could be spent by any of the others.
            options={"require": ["iss", "aud", "iat", "exp", "jti"], "strict_aud": True},
        )
    except jwt.PyJWTError as error:
        raise _invalid(str(error)) from None
    return _identity(str(issuer), kind, claims)


def _key(issuer: str, header: Mapping[str, Any]) -> jwt.PyJWK:
    """The issuer's key for this header. The key decides the algorithm, not the token."""
    kid = header.get("kid")
    jwk = issuers.key(issuer, kid) if isinstance(kid, str) else None
    if jwk is None:
        raise _invalid(f"{issuer} has no key {kid!r:.80}")
    try:
        key = jwt.PyJWK(jwk)
    except jwt.PyJWTError as error:
        raise _invalid(f"key {kid!r:.80} of {issuer} cannot be used ({error})") from None
    if key.algorithm_name not in ALGORITHMS or header.get("alg") != key.algorithm_name:
        words = " or ".join(ALGORITHMS)
        raise _invalid(f"alg is {header.get('alg')!r:.20}, it must be the key's own: {words}")
    if key.key_type == "RSA" and key.key.key_size < MIN_RSA_BITS:
        raise _invalid(f"key {kid!r:.80} of {issuer} has fewer than {MIN_RSA_BITS} bits")
    return key


def _identity(issuer: str, kind: str, claims: dict[str, Any]) -> Identity:
    jti = claims["jti"]
    if not isinstance(jti, str) or not 1 <= len(jti) <= MAX_JTI or "\0" in jti:
        raise _invalid(f"jti must be a text of 1 to {MAX_JTI} characters")
    if "\\u0000" in json.dumps(claims):  # no database keeps it
        raise _invalid("its claims hold a NUL character")
    if claims["exp"] - claims["iat"] > MAX_LIFE.total_seconds():
        raise _invalid(f"it lives longer than {MAX_LIFE}")
    return Identity(issuer, kind, jti, datetime.fromtimestamp(claims["exp"], UTC), claims)


def _invalid(reason: str) -> HubError:
    return HubError("publisher.bad_token", f"the identity token is not valid: {reason}", status=422)
