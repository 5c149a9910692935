"""Requests to the data set hub that the operator named: by commit, without cookies or user input.

Redirects are followed here, to the upstream itself and to the hosts that the operator allows.
"""

from __future__ import annotations

import asyncio
import fnmatch
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import aiohttp
from yarl import URL

from envyard.contract.data_names import Kind
from envyard.contract.data_requests import Refused, Repository
from envyard_runner.data.source import DataSource

CONNECT_SECONDS = 15.0
READ_SECONDS = 60.0  # between two parts of an answer
RETRY_AFTER = (0.5, 2.0)  # seconds; an upstream that restarts or limits is given this much
MAX_JSON = 32 << 20
MAX_PAGE = 10_000  # entries
MAX_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (401, 403, 404)
ERROR_CODE = re.compile(r"[A-Za-z]{1,40}")
NEXT_PAGE = re.compile(r'[?&]cursor=([A-Za-z0-9%._~=-]{1,2000})[^>]*>;\s*rel="next"')
USER_AGENT = "envyard-runner"


class UpstreamFault(Exception):
    """The upstream is unreachable, broken or misbehaves: never the environment's fault."""


class Upstream:
    """Reads repositories of one data set hub. Raises Refused for what the hub refuses and
    UpstreamFault for every other failure."""

    def __init__(self, session: aiohttp.ClientSession, source: DataSource) -> None:
        self._session, self.source = session, source
        self._base = urlsplit(source.url)

    async def info(self, repository: Repository, revision: str) -> dict[str, Any]:
        """The repository's description at a revision; its `sha` is the commit."""
        address = f"{_api(repository)}/revision/{quote(revision, safe='')}"
        data, _ = await self._json("GET", address)
        if not isinstance(data, dict):
            raise UpstreamFault(f"the data hub's answer about {repository} is no object")
        return data

    async def tree(
        self, repository: Repository, commit: str, path: str, recursive: bool, cursor: str
    ) -> tuple[list[Any], str]:
        """One page of the entries of a folder of a commit, and the cursor of the next, else ""."""
        below = f"/{quote(path)}" if path else ""
        flags = f"?recursive={str(recursive).lower()}&expand=false"
        after = f"&cursor={cursor}" if cursor else ""
        address = f"{_api(repository)}/tree/{commit}{below}{flags}{after}"
        page, link = await self._json("GET", address)
        if not isinstance(page, list) or len(page) > MAX_PAGE:
            raise UpstreamFault(f"the data hub's file list of {repository} is no page of a list")
        match = NEXT_PAGE.search(link)
        return page, match[1] if match else ""

    async def paths_info(
        self, repository: Repository, commit: str, paths: tuple[str, ...]
    ) -> list[Any]:
        """The entries of these paths in a commit; a path that it lacks has none."""
        body = {"paths": list(paths), "expand": False}
        data, _ = await self._json("POST", f"{_api(repository)}/paths-info/{commit}", body)
        if not isinstance(data, list):
            raise UpstreamFault(f"the data hub's answer about paths of {repository} is no list")
        return data

    @asynccontextmanager
    async def file(
        self, repository: Repository, commit: str, path: str
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """The bytes of a file of a commit, in parts."""
        prefix = "/datasets" if repository.kind == "dataset" else ""
        address = f"{prefix}/{repository.name}/resolve/{commit}/{quote(path)}"
        try:
            async with await self._accepted("GET", address) as response:
                yield response.content.iter_chunked(1 << 20)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise UpstreamFault(f"{path} of {repository} did not arrive: {_cause(error)}") from None

    async def _json(self, method: str, address: str, body: Any = None) -> tuple[Any, str]:
        """The parsed answer and its Link header."""
        try:
            async with await self._accepted(method, address, body) as response:
                raw = bytearray()
                async for part in response.content.iter_chunked(1 << 16):
                    raw += part
                    if len(raw) > MAX_JSON:
                        raise Refused(413, "the data hub's answer is too long for the mirror")
                return json.loads(raw), response.headers.get("Link", "")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise UpstreamFault(f"the data hub's answer broke off: {_cause(error)}") from None
        except (ValueError, RecursionError):
            raise UpstreamFault("the data hub's answer is not JSON") from None

    async def _accepted(
        self, method: str, address: str, body: Any = None
    ) -> aiohttp.ClientResponse:
        """The response with status 200, tried again where that may help."""
        for pause in (*RETRY_AFTER, None):
            try:
                response = await self._follow(method, f"{self.source.url}{address}", body)
            except (aiohttp.ClientError, TimeoutError) as error:
                fault = UpstreamFault(f"the data hub is not reachable: {_cause(error)}")
            else:
                if response.status == 200:
                    return response
                response.release()
                if response.status in REFUSALS:
                    raise _refusal(response)
                fault = UpstreamFault(f"the data hub answered {response.status}")
                if response.status not in (408, 429) and response.status < 500:
                    raise fault
            if pause is None:
                raise fault
            await asyncio.sleep(pause)
        raise AssertionError("the last try either returned or raised")

    async def _follow(self, method: str, url: str, body: Any) -> aiohttp.ClientResponse:
        for _ in range(MAX_REDIRECTS + 1):
            parts = urlsplit(url)
            response = await self._session.request(
                method,
                URL(url, encoded=True),
                headers=self._headers(parts),
                json=body,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=CONNECT_SECONDS, sock_read=READ_SECONDS
                ),
            )
            if response.status not in REDIRECTS:
                return response
            location = response.headers.get("Location", "")
            response.release()
            url = self._allowed_redirect(url, location)
        raise UpstreamFault(f"the data hub redirects more than {MAX_REDIRECTS} times")

    def _headers(self, parts: SplitResult) -> dict[str, str]:
        """Only the upstream itself gets the token."""
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
        if self.source.token and self._is_upstream(parts):
            headers["Authorization"] = f"Bearer {self.source.token}"
        return headers

    def _is_upstream(self, parts: SplitResult) -> bool:
        return (parts.scheme, parts.netloc) == (self._base.scheme, self._base.netloc)

    def _allowed_redirect(self, base: str, location: str) -> str:
        """The next address; raises UpstreamFault for a host that the operator did not name."""
        try:
            url = urljoin(base, location)
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise UpstreamFault("the data hub redirects to an invalid address") from None
        named = any(fnmatch.fnmatchcase(host, rule) for rule in self.source.hosts)
        if self._is_upstream(parts) or (
            named and parts.scheme == "https" and port in (None, 443) and "@" not in parts.netloc
        ):
            return url
        raise UpstreamFault(
            f"the data hub redirects to {host[:100] or 'no host'}, which RUNNER_DATA_HOSTS does "
            "not name"
        )


def _api(repository: Repository) -> str:
    kinds: dict[Kind, str] = {"dataset": "datasets", "model": "models"}
    return f"/api/{kinds[repository.kind]}/{repository.name}"


def _refusal(response: aiohttp.ClientResponse) -> Refused:
    code = response.headers.get("X-Error-Code", "")
    known = code if ERROR_CODE.fullmatch(code) else ""
    return Refused(response.status, f"the data hub answered {response.status} {known}", known)


def _cause(error: Exception) -> str:
    """The kind of failure without the address, which may hold a signature."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return error.os_error.strerror or type(error.os_error).__name__
    return type(error).__name__
