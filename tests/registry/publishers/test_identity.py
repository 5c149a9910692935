"""Accepted and refused identity tokens, and the requests to their issuer."""

import base64
import hashlib
import json
import time
from datetime import timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.core.cache import cache

from registry.errors import HubError
from registry.publishers import identity, issuers
from tests.registry.publishers.issuer import OTHER_RSA, RSA, Issuer

pytestmark = pytest.mark.once

HUB = "https://hub.example.org"


def refused(text: str, code: str = "publisher.bad_token", audience: str = HUB) -> str:
    with pytest.raises(HubError) as caught:
        identity.verify(text, audience=audience)
    assert caught.value.code == code
    return caught.value.message


def test_identity_token_of_a_trusted_issuer_identifies_the_workflow(issuer: Issuer) -> None:
    issuer.keys["two"] = ec.generate_private_key(ec.SECP256R1())
    for kid in issuer.keys:
        verified = identity.verify(issuer.token(HUB, kid, jti=kid), audience=HUB)
        assert (verified.kind, verified.jti, verified.claims["repository"]) == (
            "github",
            kid,
            "Lab/envs",
        )


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"aud": "https://other.example.org"}, "Audience"),
        ({"aud": [HUB]}, "claim format"),
        ({"aud": [HUB, "https://other.example.org"]}, "claim format"),
        ({"aud": None}, "aud"),
        ({"exp": None}, "exp"),
        ({"exp": 1}, "expired"),
        ({"iat": None}, "iat"),
        ({"iat": 4_000_000_000, "exp": 4_000_000_100}, "iat"),
        ({"nbf": 4_000_000_000}, "nbf"),
        ({"jti": None}, "jti"),
        ({"jti": ""}, "jti"),
        ({"jti": 7}, "JWT ID"),
        ({"jti": "x" * 256}, "jti"),
        ({"jti": "a\0b"}, "jti"),
        ({"exp": 4_000_000_000}, "lives longer"),
    ],
)
def test_a_claim_out_of_order_is_refused_by_its_name(
    issuer: Issuer, changes: dict[str, Any], word: str
) -> None:
    assert word in refused(issuer.token(HUB, **changes))


def test_untrusted_issuer_gets_no_request(issuer: Issuer, settings: Any) -> None:
    settings.HUB_OIDC_ISSUERS = {"https://gitlab.com": "gitlab"}
    message = refused(issuer.token(HUB), "publisher.unknown_issuer")
    assert issuer.url in message
    assert issuer.requested == []
    for iss in (f"{issuer.url}/", f"{issuer.url}@evil.example", None):
        text = jwt.encode({"iss": iss} if iss else {}, RSA, "RS256", headers={"kid": "one"})
        refused(text, "publisher.unknown_issuer")
    assert issuer.requested == []


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "e30.e30.", "e30.W10.e30", "." * 9])
def test_what_is_no_jwt_is_refused(issuer: Issuer, text: str) -> None:
    with pytest.raises(HubError) as caught:
        identity.verify(text, audience=HUB)
    assert caught.value.status == 422


def test_algorithm_comes_from_the_key_and_not_from_the_token(issuer: Issuer) -> None:
    claims = issuer.claims(HUB)
    pem = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    confused = jwt.api_jws.PyJWS()
    confused.unregister_algorithm("HS256")
    confused.register_algorithm("HS256", _AnyKey(_AnyKey.SHA256))
    hmac = confused.encode(json.dumps(claims).encode(), pem, "HS256", headers={"kid": "one"})
    assert "alg is 'HS256'" in refused(hmac)
    none = jwt.encode(claims, None, "none", headers={"kid": "one"})
    assert "alg is 'none'" in refused(none)
    for alg in ("RS512", "PS256"):
        assert f"alg is '{alg}'" in refused(jwt.encode(claims, RSA, alg, headers={"kid": "one"}))


class _AnyKey(jwt.algorithms.HMACAlgorithm):
    """An attacker's HMAC, which takes the public key of RSA as its secret."""

    def prepare_key(self, key: Any) -> bytes:
        return bytes(key)


def test_a_signature_by_another_key_is_refused(issuer: Issuer) -> None:
    text = jwt.encode(issuer.claims(HUB), OTHER_RSA, "RS256", headers={"kid": "one"})
    assert "Signature" in refused(text)
    head, _, signature = issuer.token(HUB).split(".")
    _, body, _ = issuer.token(HUB, repository="evil/envs").split(".")
    assert "Signature" in refused(f"{head}.{body}.{signature}")


@pytest.mark.parametrize(
    "jwk",
    [
        {"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"},
        {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
        {"kty": "RSA", "alg": "RS256"},
        {},
    ],
)
def test_a_key_of_another_kind_is_no_key(issuer: Issuer, jwk: dict[str, str]) -> None:
    issuer.answers["/keys"] = {"keys": [jwk | {"kid": "one"}]}
    refused(issuer.token(HUB))


def test_a_short_rsa_key_is_refused(issuer: Issuer) -> None:
    issuer.keys["one"] = rsa.generate_private_key(65537, 1024)
    with pytest.warns(jwt.warnings.InsecureKeyLengthWarning):
        text = issuer.token(HUB)
    assert "2048 bits" in refused(text)


def test_keys_are_fetched_once_and_a_new_key_at_most_once_a_minute(issuer: Issuer) -> None:
    identity.verify(issuer.token(HUB), audience=HUB)
    identity.verify(issuer.token(HUB), audience=HUB)
    assert issuer.requested == ["/.well-known/openid-configuration", "/keys"]

    issuer.keys["two"] = OTHER_RSA
    for _ in range(3):
        assert "no key 'two'" in refused(issuer.token(HUB, "two"))
    assert len(issuer.requested) == 2
    _a_minute_passes(issuer)
    identity.verify(issuer.token(HUB, "two"), audience=HUB)
    assert len(issuer.requested) == 4


def _a_minute_passes(issuer: Issuer) -> None:
    assert cache.delete(f"jwks-asked-{hashlib.sha256(issuer.url.encode()).hexdigest()}")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/.well-known/openid-configuration", None),
        ("/.well-known/openid-configuration", "https://elsewhere.example/configuration"),
        ("/.well-known/openid-configuration", {"issuer": "https://evil.example", "jwks_uri": "x"}),
        ("/.well-known/openid-configuration", {"issuer": "SELF", "jwks_uri": "file:///etc/passwd"}),
        ("/.well-known/openid-configuration", {"issuer": "SELF", "jwks_uri": "http://a.example/"}),
        ("/.well-known/openid-configuration", {"issuer": "SELF"}),
        ("/.well-known/openid-configuration", ["no", "object"]),
        ("/keys", "http://127.0.0.1:9/keys"),
        ("/keys", {"keys": 7}),
        ("/keys", {"padding": "x" * (issuers.MAX_BYTES + 1), "keys": []}),
    ],
)
def test_an_issuer_that_answers_oddly_is_away(issuer: Issuer, path: str, answer: Any) -> None:
    if isinstance(answer, dict) and answer.get("issuer") == "SELF":
        answer = answer | {"issuer": issuer.url}
    if answer is None:
        answer = 0
    issuer.answers[path] = answer
    for _ in range(2):
        with pytest.raises(HubError) as caught:
            identity.verify(issuer.token(HUB), audience=HUB)
        assert (caught.value.code, caught.value.status) == ("publisher.issuer_unreachable", 503)
    assert issuer.requested.count("/.well-known/openid-configuration") == 1


def test_the_clocks_may_differ_by_half_a_minute(issuer: Issuer) -> None:
    now = int(time.time())
    ahead = {"iat": now + 20, "nbf": now + 20, "exp": now + 300}
    assert identity.verify(issuer.token(HUB, **ahead), audience=HUB)
    assert identity.verify(issuer.token(HUB, iat=now - 99, exp=now - 20), audience=HUB)
    assert timedelta(seconds=30) == identity.LEEWAY


def test_only_an_issuer_on_this_machine_has_its_keys_here_in_the_clear(issuer: Issuer) -> None:
    with pytest.raises(ValueError, match="not https"):
        issuers._get(f"{issuer.url}/keys", "https://issuer.example")
    assert issuer.requested == []


def test_a_token_nested_without_end_is_refused(issuer: Issuer) -> None:
    deep = base64.urlsafe_b64encode(b"[" * 20_000).decode().rstrip("=")
    head, body, _ = issuer.token(HUB).split(".")
    refused(f"{deep}.{body}.x")
    refused(f"{head}.{deep}.x")
