"""Send a request to the host that it names, over verified TLS, with the secrets bound to the host.

The request was parsed and is serialized again, so that nothing of its framing reaches the host.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict
from yarl import URL

from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.outside import CONNECT_SECONDS, Outside
from envyard_runner.proxy.refused import Refused
from envyard_runner.proxy.secrets import Secrets
from envyard_runner.proxy.usage import HostUsage

MAX_HEADERS = 64 << 10  # bytes, with the secrets in them
# Of one connection (RFC 9110, 7.6.1), or set by the runner.
OWN_HEADERS = frozenset(
    """
    connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer
    transfer-encoding upgrade host content-length accept-encoding expect x-envyard-rollout
    """.split()  # noqa: SIM905
)
RESPONSE_HEADERS = OWN_HEADERS | {"content-encoding", "alt-svc"}
ENCODINGS = ("", "identity", "gzip", "deflate")  # of bodies that can be searched for secrets
AUTOMATIC = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")


class Forwarder:
    """Forwards the requests of one sandbox; `certificates` (PEM) are the authorities it trusts."""

    def __init__(
        self,
        outside: Outside,
        secrets: Secrets,
        usage: HostUsage,
        certificates: bytes,
        limits: ProxyLimits,
    ) -> None:
        self._outside, self._secrets, self._usage = outside, secrets, usage
        self._certificates, self._limits = certificates, limits
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connections to hosts."""
        if self._session is not None:
            await self._session.close()

    async def forward(self, request: web.Request, host: str) -> web.StreamResponse:
        """The host's response, with placeholders where it repeats a secret."""
        headers = CIMultiDict(self._request_headers(request, host))
        if sum(len(name) + len(value) for name, value in headers.items()) > MAX_HEADERS:
            return _refusal(431, "the request's headers are too large")
        body = await request.read()
        response: web.StreamResponse | None = None
        try:
            async with self._opened().request(
                request.method,
                URL(f"https://{host}{request.raw_path}", encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,
            ) as upstream:
                encoding = upstream.headers.get("Content-Encoding", "").lower()
                if encoding not in ENCODINGS:
                    return _refusal(502, f"the host's response has the encoding {encoding!r:.40}")
                response = self._response(upstream)
                await self._send(request, upstream, response)
                return response
        except Refused as error:
            self._usage.unreachable.setdefault(host, error.reason)
            return _refusal(502, str(error))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            if response is not None and response.prepared:
                raise ConnectionResetError("the host's response broke off") from None
            self._usage.unreachable.setdefault(host, "unreachable")
            return _refusal(502, f"the host does not answer: {type(error).__name__}")

    def _request_headers(self, request: web.Request, host: str) -> Iterator[tuple[str, str]]:
        named = request.headers.get("Connection", "").lower().split(",")
        dropped = OWN_HEADERS | {name.strip() for name in named}
        for name, value in request.headers.items():
            if name.lower() not in dropped:
                yield name, self._secrets.in_header(host, value)
        yield "Accept-Encoding", "identity"

    def _response(self, upstream: aiohttp.ClientResponse) -> web.StreamResponse:
        reason = self._secrets.without(upstream.reason or "")
        response = web.StreamResponse(status=upstream.status, reason=reason)
        for name, value in upstream.headers.items():
            if name.lower() not in RESPONSE_HEADERS:
                response.headers.add(self._secrets.without(name), self._secrets.without(value))
        return response

    async def _send(
        self,
        request: web.Request,
        upstream: aiohttp.ClientResponse,
        response: web.StreamResponse,
    ) -> None:
        await response.prepare(request)
        redactor = self._secrets.redactor()
        async for part in upstream.content.iter_any():
            if passed := redactor.feed(part):
                await response.write(passed)
        if rest := redactor.finish():
            await response.write(rest)
        await response.write_eof()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            context = ssl.create_default_context(cadata=self._certificates.decode("ascii"))
            context.set_alpn_protocols(["http/1.1"])
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_Resolver(self._outside),
                    ssl=context,
                    limit=self._limits.connections,
                    use_dns_cache=False,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=AUTOMATIC,
                timeout=aiohttp.ClientTimeout(
                    total=self._limits.connection_seconds,
                    sock_connect=CONNECT_SECONDS,
                    sock_read=self._limits.idle_seconds,
                ),
            )
        return self._session


class _Resolver(AbstractResolver):
    """Looks names up as the rest of the proxy does: public addresses only."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        results = []
        for address in await self._outside.public_addresses(host):
            at, at_port = self._outside.destination(address, port)
            results.append(
                ResolveResult(
                    hostname=host,
                    host=at,
                    port=at_port,
                    family=socket.AF_INET6 if ":" in at else socket.AF_INET,
                    proto=0,
                    flags=socket.AI_NUMERICHOST,
                )
            )
        return results

    async def close(self) -> None:
        """Nothing to close: `Outside` belongs to the run."""


def _refusal(status: int, message: str) -> web.Response:
    return web.json_response({"error": message}, status=status)
