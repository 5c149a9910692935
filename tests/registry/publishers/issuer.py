"""An OIDC issuer on this machine: discovery, keys, and the endpoint for a job's tokens."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

REQUEST_TOKEN = "what-GitHub-gives-the-job"
Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
# Made once: an RSA key costs up to half a second.
RSA, OTHER_RSA = (rsa.generate_private_key(65537, 2048) for _ in range(2))


class Issuer:
    """Signs any claims; `answers` are its documents by path, `requested` the paths requested."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.keys: dict[str, Key] = {"one": RSA}
        self.requested: list[str] = []
        self.answers: dict[str, Any] = {
            "/.well-known/openid-configuration": {"issuer": url, "jwks_uri": f"{url}/keys"}
        }

    def jwks(self) -> dict[str, Any]:
        """The public keys."""
        return {"keys": [public(key) | {"kid": kid} for kid, key in self.keys.items()]}

    def claims(self, audience: str, **changes: Any) -> dict[str, Any]:
        """GitHub's claims about a job in lab/envs; None leaves a claim out."""
        now = int(time.time())
        fields: dict[str, Any] = {
            "iss": self.url,
            "aud": audience,
            "iat": now,
            "nbf": now,
            "exp": now + 300,
            "jti": str(uuid.uuid4()),
            "sub": "repo:Lab/envs:ref:refs/heads/main",
            "repository": "Lab/envs",
            "repository_owner": "Lab",
            "repository_owner_id": "4242",
            "job_workflow_ref": "Lab/envs/.github/workflows/publish.yml@refs/heads/main",
            "ref": "refs/heads/main",
            "sha": "c0ffee" * 6 + "c0ff",
            "run_id": "77",
        }
        return {name: value for name, value in (fields | changes).items() if value is not None}

    def token(self, audience: str, kid: str = "one", **changes: Any) -> str:
        """A signed identity token."""
        key = self.keys[kid]
        algorithm = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
        return jwt.encode(
            self.claims(audience, **changes), key, algorithm=algorithm, headers={"kid": kid}
        )

    def answer(self, path: str) -> Any:
        """The document of a path, None where there is none."""
        parts = urlsplit(path)
        self.requested.append(parts.path)
        if parts.path == "/token":
            return {"value": self.token(parse_qs(parts.query)["audience"][0])}
        return self.answers.get(parts.path, self.jwks() if parts.path == "/keys" else None)


def public(key: Key) -> dict[str, Any]:
    """The public half as a JWK."""
    if isinstance(key, rsa.RSAPrivateKey):
        jwk: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        return jwk | {"alg": "RS256"}
    return jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"alg": "ES256"}


@contextmanager
def serving() -> Iterator[Issuer]:
    """Run one in a thread until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            response = issuer.answer(self.path)
            credentials = self.headers.get("Authorization", "").partition(" ")[2]
            if self.path.startswith("/token") and credentials != REQUEST_TOKEN:
                response = None
            if isinstance(response, str):
                self.send_response(302)
                self.send_header("Location", response)
                self.end_headers()
                return
            body = json.dumps(response).encode()
            self.send_response(404 if response is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
