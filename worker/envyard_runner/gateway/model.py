"""The way to the operator's model server: key injected, retries where safe, faults named."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import aiohttp

from envyard_runner.gateway import openai
from envyard_runner.gateway.crowd import Crowd
from envyard_runner.gateway.openai import ModelFault, Refusal

MAX_REPLY = 16 << 20
CONNECT_SECONDS = 10.0
RETRY_AFTER = (0.3, 1.5)  # seconds; a server that restarts is given this much
BUSY = (429, 502, 503, 504)
MISCONFIGURED = (401, 403, 404, 405)
TOO_LONG = "maximum context length"  # vLLM's words; clients know OpenAI's code for it


class Model:
    """One OpenAI-compatible server and the model it is asked for.

    `url` is its base (usually ending in /v1), `name` the model, `timeout` seconds for one reply,
    which waits for its place in `crowd` before it is asked for.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        url: str,
        name: str,
        key: str | None,
        timeout: float,
        crowd: Crowd | None = None,
    ) -> None:
        self._session, self._crowd = session, crowd
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=CONNECT_SECONDS)
        self.name, self.key = name, key

    @property
    def peak(self) -> int:
        """The most calls of this run that were ever under way at once."""
        return self._crowd.peak if self._crowd else 0

    async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The whole answer as the server's JSON object; raises Refusal 400 or ModelFault."""
        async with self._open(path, body) as response:
            raw = await read_at_most(response.content, MAX_REPLY)
        answer = _object(raw)
        choices = answer.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise ModelFault(502, "model_error", "the model server's answer holds no choice")
        return answer

    @asynccontextmanager
    async def stream(
        self, path: str, body: dict[str, Any]
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """The answer chunk by chunk, entered when the server has accepted; raises as `ask` does."""
        async with self._open(path, body) as response:
            yield _events(response.content)

    @asynccontextmanager
    async def _open(self, path: str, body: dict[str, Any]) -> AsyncIterator[aiohttp.ClientResponse]:
        place = self._crowd.place() if self._crowd else nullcontext()
        try:
            async with place, await self._accepted(path, body) as response:
                yield response
        except TimeoutError as error:
            raise ModelFault(503, "model_timeout", "the model server took too long") from error
        except aiohttp.ClientError as error:
            reason = f"the model server broke off: {type(error).__name__}"
            raise ModelFault(502, "model_error", reason) from error

    async def _accepted(self, path: str, body: dict[str, Any]) -> aiohttp.ClientResponse:
        for pause in (*RETRY_AFTER, None):
            try:
                response = await self._session.post(
                    f"{self._url}/{path}",
                    data=io.BytesIO(openai.dump(body)),
                    headers=self._headers,
                    timeout=self._timeout,
                    allow_redirects=False,  # into the runner's own network, say
                )
            except aiohttp.ClientConnectorError as error:
                fault = ModelFault(
                    502, "model_unreachable", f"the model server is not reachable: {error.strerror}"
                )
            else:
                if response.status == 200:
                    return response
                async with response:
                    fault = await _refused(response)
            if pause is None or fault.code not in ("model_unreachable", "model_busy"):
                raise fault
            await asyncio.sleep(pause)
        raise AssertionError("the last try either returned or raised")


async def _refused(response: aiohttp.ClientResponse) -> ModelFault:
    """Whose fault an answer other than 200 is; raises Refusal where it is the caller's."""
    said = _said(await read_at_most(response.content, MAX_REPLY))
    status = response.status
    if status in BUSY:
        return ModelFault(503, "model_busy", f"the model server answered {status}: {said}")
    if status >= 500 or status < 400 or status in MISCONFIGURED:
        return ModelFault(502, "model_error", f"the model server answered {status}: {said}")
    code = "context_length_exceeded" if TOO_LONG in said else "refused_by_model"
    raise Refusal(400, code, f"the model server refused the request: {said}")


async def read_at_most(stream: aiohttp.StreamReader, most: int) -> bytes:
    """All bytes of the body; raises ModelFault when there are more than `most`."""
    parts: list[bytes] = []
    size = 0
    async for part in stream.iter_any():
        size += len(part)
        if size > most:
            raise ModelFault(502, "model_error", f"the model server sent more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


async def _events(stream: aiohttp.StreamReader) -> AsyncIterator[dict[str, Any]]:
    """The objects of an event stream up to its [DONE]; raises ModelFault when it breaks off."""
    rest: list[bytes] = []  # of a line whose end has not come: joined once, however many they are
    size = 0
    async for part in stream.iter_any():
        size += len(part)
        if size > MAX_REPLY:
            raise ModelFault(
                502, "model_error", f"the model server sent more than {MAX_REPLY} bytes"
            )
        rest.append(part)
        if b"\n" not in part:
            continue
        *lines, last = b"".join(rest).split(b"\n")
        rest = [last]
        for line in lines:
            data = line.strip().removeprefix(b"data:").strip()
            if data == b"[DONE]":
                return
            if line.startswith(b"data:"):
                chunk = _object(data)
                if "error" in chunk:
                    raise ModelFault(502, "model_error", f"the model server failed: {_said(data)}")
                yield chunk
    raise ModelFault(502, "model_error", "the model server's stream ended early")


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ModelFault(502, "model_error", "the model server did not answer in JSON") from error
    if not isinstance(answer, dict):
        raise ModelFault(502, "model_error", "the model server did not answer with an object")
    return answer


def _said(raw: bytes) -> str:
    """The sentence in an error body, at most 300 characters of it."""
    try:
        error = json.loads(raw)
        error = error.get("error", error)
        return str(error.get("message", error) if isinstance(error, dict) else error)[:300]
    except (ValueError, AttributeError, RecursionError):
        return raw[:300].decode("utf-8", "replace")
