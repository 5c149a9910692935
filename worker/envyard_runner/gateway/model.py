"""Client for the operator's model server: adds the key, retries where safe, and names faults."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import aiohttp

from envyard.contract.values import text
from envyard_runner.gateway import openai
from envyard_runner.gateway.adaptive_limiter import AdaptiveLimiter
from envyard_runner.gateway.reply import ModelFault, Refusal

MAX_REPLY = 16 << 20
INLINE_BYTES = 1 << 20  # bytes of a request; aiohttp requires a stream for more
ERROR_CHARACTERS = 300  # of a server's error message
CONNECT_SECONDS = 10.0
RETRY_AFTER = (0.3, 1.5)  # seconds; a server that restarts is given this much
BUSY_STATUSES = (429, 502, 503, 504)
CONFIGURATION_STATUSES = (401, 403, 404, 405)
TOO_LONG = "maximum context length"  # vLLM's words; clients know OpenAI's code for it

Arrival = tuple[list[dict[str, Any]], bool]


class Model:
    """One OpenAI-compatible server and the model requested there.

    `url` is its base (usually ending in /v1), `name` the model, `timeout` seconds for one reply; a
    call first waits for a slot of `limiter`.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        url: str,
        name: str,
        key: str | None,
        timeout: float,
        limiter: AdaptiveLimiter | None = None,
    ) -> None:
        self._session, self._limiter = session, limiter
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=CONNECT_SECONDS)
        self.name, self.key = name, key

    @property
    def peak(self) -> int:
        """The most calls of this run that were ever under way at once."""
        return self._limiter.peak if self._limiter else 0

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
    ) -> AsyncIterator[AsyncIterator[Arrival]]:
        """The answer's chunks, those together that came together, and whether they are its last;
        entered when the server has accepted. Raises as `ask` does."""
        async with self._open(path, body) as response:
            yield self._events(response.content)

    @asynccontextmanager
    async def _open(self, path: str, body: dict[str, Any]) -> AsyncIterator[aiohttp.ClientResponse]:
        slot = self._limiter.slot() if self._limiter else nullcontext()
        try:
            async with slot, await self._accepted(path, body) as response:
                yield response
        except TimeoutError as error:
            late = f"the model server took longer than {self._timeout.total:g} s"
            raise ModelFault(503, "model_timeout", late) from error
        except aiohttp.ClientError as error:
            reason = f"the model server broke off: {type(error).__name__}"
            raise ModelFault(502, "model_error", reason) from error

    async def _accepted(self, path: str, body: dict[str, Any]) -> aiohttp.ClientResponse:
        raw = openai.encode_json(body)
        for pause in (*RETRY_AFTER, None):
            try:
                response = await self._session.post(
                    f"{self._url}/{path}",
                    data=raw if len(raw) <= INLINE_BYTES else io.BytesIO(raw),
                    headers=self._headers,
                    timeout=self._timeout,
                    allow_redirects=False,  # into the runner's own network, say
                )
            except aiohttp.ClientConnectorError as error:
                fault = ModelFault(
                    502, "model_unreachable", f"the model server is not reachable: {error.strerror}"
                )
                fault.__cause__ = error
            else:
                if response.status == 200:
                    return response
                async with response:
                    fault = await self._refused(response)
            if pause is None or fault.code not in ("model_unreachable", "model_busy"):
                raise fault
            await asyncio.sleep(pause)
        raise AssertionError("the last try either returned or raised")

    async def _refused(self, response: aiohttp.ClientResponse) -> ModelFault:
        """Whose fault an answer other than 200 is; raises Refusal where it is the caller's."""
        message = self._error_message(await read_at_most(response.content, MAX_REPLY))
        status = response.status
        if status in BUSY_STATUSES:
            return ModelFault(503, "model_busy", f"the model server answered {status}: {message}")
        if status >= 500 or status < 400 or status in CONFIGURATION_STATUSES:
            return ModelFault(502, "model_error", f"the model server answered {status}: {message}")
        code = "context_length_exceeded" if TOO_LONG in message else "refused_by_model"
        raise Refusal(400, code, f"the model server refused the request with {status}: {message}")

    async def _events(self, stream: aiohttp.StreamReader) -> AsyncIterator[Arrival]:
        """The objects of an event stream up to its [DONE]; raises ModelFault when it breaks off."""
        rest: list[bytes] = []  # of a line whose end has not come: joined once, however many
        size = 0
        async for part in stream.iter_any():
            size += len(part)
            if size > MAX_REPLY:
                raise _too_large()
            rest.append(part)
            if b"\n" not in part:
                continue
            *lines, last = b"".join(rest).split(b"\n")
            rest = [last]
            came: list[dict[str, Any]] = []
            try:
                done = self._take(lines, came)
            except ModelFault:
                yield came, False
                raise
            yield came, done
            if done:
                return
        raise ModelFault(502, "model_error", "the model server's stream ended early")

    def _take(self, lines: list[bytes], came: list[dict[str, Any]]) -> bool:
        """Add the objects in these lines to `came`; whether that was all of the stream."""
        for line in lines:
            data = line.strip().removeprefix(b"data:").strip()
            if data == b"[DONE]":
                return True
            if line.startswith(b"data:"):
                chunk = _object(data)
                if "error" in chunk:
                    failed = f"the model server failed: {self._error_message(data)}"
                    raise ModelFault(502, "model_error", failed)
                came.append(chunk)
        return False

    def _error_message(self, raw: bytes) -> str:
        """The code and the sentence in an error body, as ERROR_CHARACTERS printable characters
        without the key, whatever server sends them: they are shown to the environment and in
        findings."""
        try:
            message = _error_words(openai.parse_json(raw))
        except (ValueError, AttributeError, RecursionError):
            message = raw.decode("utf-8", "replace")
        if self.key:
            message = message.replace(self.key, "[secret]")
        shown = (c if c.isprintable() else " " for c in message[: 2 * ERROR_CHARACTERS])
        return text("".join(shown), ERROR_CHARACTERS)


async def read_at_most(stream: aiohttp.StreamReader, maximum: int) -> bytes:
    """All bytes of the body; raises ModelFault when there are more than `maximum`."""
    parts: list[bytes] = []
    size = 0
    async for part in stream.iter_any():
        size += len(part)
        if size > maximum:
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        answer = openai.parse_json(raw)
    except (ValueError, RecursionError) as error:
        raise ModelFault(502, "model_error", "the model server did not answer in JSON") from error
    if not isinstance(answer, dict):
        raise ModelFault(502, "model_error", "the model server did not answer with an object")
    return answer


def _error_words(body: Any) -> str:
    """`code: message` of an error body in OpenAI's shape, or the body itself."""
    error = body.get("error", body)
    if not isinstance(error, dict):
        return str(error)
    codes = (error.get("code"), error.get("type"))  # vLLM's code is the HTTP status once more
    named = [f"{code}: " for code in codes if isinstance(code, str)]
    return f"{''.join(named[:1])}{error.get('message', error)}"


def _too_large() -> ModelFault:
    return ModelFault(502, "model_error", f"the model server sent more than {MAX_REPLY} bytes")
