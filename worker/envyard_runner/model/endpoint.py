"""A model server's address, and the small requests that a runner makes there besides
completions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from envyard_runner.model.metrics import Load, read_metrics

REQUEST_SECONDS = 10.0
MAX_ANSWER = 4 << 20


class EndpointError(Exception):
    """The server gave no usable answer; the message describes what came instead."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One OpenAI-compatible server: its base URL (usually ending in /v1), its key, its socket.

    With a `socket` every connection goes to that unix socket and the URL's host means nothing.
    `patience` is how many seconds a small question may take.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    socket: Path | None = None
    patience: float = REQUEST_SECONDS

    def session(self) -> aiohttp.ClientSession:
        """A new session whose connections reach this server; the caller closes it."""
        if self.socket is None:
            return aiohttp.ClientSession()
        return aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(self.socket)))

    @property
    def root(self) -> str:
        """The server's address without /v1, where vLLM has /health and /metrics."""
        return self.url.removesuffix("/v1")

    async def names(self) -> list[str]:
        """The models it lists; raises Silent."""
        try:
            listed = json.loads(await self.get(f"{self.url}/models"))["data"]
            return [str(row["id"]) for row in listed]
        except (ValueError, KeyError, TypeError) as error:
            raise EndpointError(f"{self.url}/models holds no list of models") from error

    async def load(self) -> Load | None:
        """The server's load, None where its metrics are not vLLM's; raises EndpointError."""
        return read_metrics(await self.get(f"{self.root}/metrics"))

    async def get(self, url: str) -> bytes:
        """The body of an answer with status 200; raises Silent."""
        status, raw = await self._ask("GET", url, None, self.patience)
        if status != 200:
            raise EndpointError(f"{url} answered {status}: {raw[:300].decode('utf-8', 'replace')}")
        return raw

    async def answers(self, name: str, *, seconds: float) -> None:
        """Ask the model for one token; raises Silent where nothing comes in that time.

        A refusal is an answer too: what it means is for the calls that follow.
        """
        body = {"model": name, "messages": [{"role": "user", "content": "a"}], "max_tokens": 1}
        await self._ask("POST", f"{self.url}/chat/completions", body, seconds)

    async def _ask(self, method: str, url: str, body: Any, seconds: float) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        timeout = aiohttp.ClientTimeout(total=seconds)
        try:
            async with (
                self.session() as session,
                session.request(
                    method, url, json=body, headers=headers, timeout=timeout, allow_redirects=False
                ) as answer,
            ):
                raw = await answer.content.read(MAX_ANSWER)
                while part := await answer.content.read(MAX_ANSWER):
                    if len(raw := raw + part) > MAX_ANSWER:
                        raise EndpointError(f"{url} answered with more than {MAX_ANSWER} bytes")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise EndpointError(
                f"{url} did not answer: {str(error) or type(error).__name__}"
            ) from error
        return answer.status, raw
