"""HTTP client for the hub: leases jobs, downloads wheels, sends events and the ending. Holds the
runner's token."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urljoin

import aiohttp

from envyard.contract.data_lock import DataLock
from envyard.contract.job import JobSpec, WheelRef

log = logging.getLogger(__name__)

CALL_SECONDS = 20.0
RETRY_SECONDS = 30.0
FIRST_PAUSE, MAX_PAUSE = 0.3, 5.0
CHUNK = 1 << 16
COMPRESS_FROM = 1 << 10  # bytes; a shorter body is sent as it is

GZIP = b"\x1f\x8b"  # no JSON begins so

T = TypeVar("T")


class Superseded(Exception):
    """This attempt no longer owns the run: stop at once and send nothing."""


class HubUnreachable(Exception):
    """The hub did not answer within the time for retries."""


class HubRefused(Exception):
    """The hub refused the request; trying again changes nothing."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class WheelChanged(Exception):
    """The downloaded file is not the one that the hub checked."""


@dataclass(frozen=True, slots=True)
class RunnerIdentity:
    """The runner that the hub has for the token; a `drained` one is leased no new run."""

    name: str
    drained: bool


class RunHub(Protocol):
    """What one run needs of the hub: the wheel, the version's lock, and the API calls of its
    events."""

    async def download(self, wheel: WheelRef, token: str, target: Path) -> None:
        """Write the wheel to `target`."""
        ...

    async def lock(self, job: JobSpec, platform: str, offered: str | None) -> str | None:
        """The lock that the job's version has on that platform, `offered` where it had none."""
        ...

    async def data_lock(self, job: JobSpec, offered: DataLock) -> DataLock:
        """The data lock that the job's version has, extended by `offered` unless it is frozen."""
        ...

    async def secret_values(self, job: JobSpec) -> dict[str, str]:
        """The value of each of the job's secrets, by its name."""
        ...

    async def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        token: str = "",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """One API call as JSON, {} where the answer is empty."""
        ...


class HubClient:
    """Calls of one runner to the hub, each bounded in time and retried while that may help.

    `patience` is how many seconds a call is tried for before HubUnreachable. Calls raise Superseded
    on 409 and HubRefused on any other 4xx.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        url: str,
        token: str,
        patience: float = RETRY_SECONDS,
    ) -> None:
        self._session = session
        self._url = url.rstrip("/") + "/"
        self._token = token
        self._patience = patience

    async def whoami(self, *, patience: float | None = None) -> RunnerIdentity:
        """The runner that the hub has for this token."""
        return _identity(await self.call("GET", "api/v1/runner/whoami/", patience=patience))

    async def send_heartbeat(self, capabilities: dict[str, Any]) -> RunnerIdentity:
        """Send the runner's capabilities. Tried once: the next heartbeat replaces it."""
        body = {"capabilities": capabilities}
        return _identity(await self.call("POST", "api/v1/runner/present/", body, patience=0.0))

    async def poll(
        self, capabilities: dict[str, Any], *, patience: float | None = 0.0
    ) -> JobSpec | None:
        """Lease the next queued run that these capabilities fit; None without one."""
        body = {"capabilities": capabilities}
        answer = await self.call("POST", "api/v1/runner/poll/", body, patience=patience)
        return _job(answer) if answer else None

    async def download(self, wheel: WheelRef, token: str, target: Path) -> None:
        """Write the wheel to `target`; raises WheelChanged unless size and sha256 are the hub's."""
        await self._retry(lambda: self._fetch(wheel, token, target), self._patience)

    async def lock(self, job: JobSpec, platform: str, offered: str | None) -> str | None:
        """The lock that the job's version has on that platform, `offered` where it had none."""
        body = {"attempt": job.attempt, "platform": platform, "lock": offered}
        path = f"api/v1/runner/runs/{job.run}/lock/"
        answer = await self.call("POST", path, body, token=job.run_token)
        lock = answer["lock"]
        return None if lock is None else str(lock)

    async def data_lock(self, job: JobSpec, offered: DataLock) -> DataLock:
        """The data lock that the job's version has, extended by `offered` unless it is frozen."""
        body = {"attempt": job.attempt, "lock": offered.to_dict()}
        path = f"api/v1/runner/runs/{job.run}/data-lock/"
        answer = await self.call("POST", path, body, token=job.run_token)
        return DataLock.from_dict(answer["lock"])

    async def secret_values(self, job: JobSpec) -> dict[str, str]:
        """The value of each of the job's secrets, by its name."""
        body = {"attempt": job.attempt}
        path = f"api/v1/runner/runs/{job.run}/secrets/"
        answer = await self.call("POST", path, body, token=job.run_token)
        return {str(name): str(value) for name, value in answer["secrets"].items()}

    async def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        token: str = "",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """One API call as JSON, {} where the answer is empty; tried again while nobody answers."""
        patience = self._patience if patience is None else patience
        # Transcripts are large: the gateway answers its calls meanwhile.
        data = None if body is None else await asyncio.to_thread(_encode, body)
        return await self._retry(
            lambda: self._once(method, path, data, token or self._token), patience
        )

    async def _retry(self, attempt: Callable[[], Awaitable[T]], patience: float) -> T:
        """Try until it works, is refused, or `patience` seconds are over."""
        until = time.monotonic() + patience
        pause = FIRST_PAUSE
        while True:
            try:
                return await attempt()
            except HubUnreachable as error:
                if time.monotonic() + pause > until:
                    raise
                log.warning("%s; trying again in %.1f s", error, pause)
            await asyncio.sleep(pause * random.uniform(0.7, 1.3))  # noqa: S311  (spreads load)
            pause = min(2 * pause, MAX_PAUSE)

    async def _fetch(self, wheel: WheelRef, token: str, target: Path) -> None:
        digest, size = hashlib.sha256(), 0
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=CALL_SECONDS, sock_read=CALL_SECONDS
        )
        headers = {"Authorization": f"Bearer {token}"}
        url = urljoin(self._url, wheel.url)
        try:
            async with self._session.get(url, headers=headers, timeout=timeout) as response:
                if response.status != 200:
                    raise await _response_error(response)
                with target.open("wb") as file:
                    async for part in response.content.iter_chunked(CHUNK):
                        size += len(part)
                        if size > wheel.size:
                            break
                        digest.update(part)
                        file.write(part)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise HubUnreachable(
                f"{wheel.filename} did not arrive: {_error_text(error)}"
            ) from error
        if size != wheel.size or digest.hexdigest() != wheel.sha256:
            received = f"sha256 {digest.hexdigest()} and at least {size} bytes"
            raise WheelChanged(
                f"{wheel.filename} came with {received}, not {wheel.sha256} and {wheel.size}"
            )

    async def _once(self, method: str, path: str, data: bytes | None, token: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        if data is not None and data.startswith(GZIP):
            headers["Content-Encoding"] = "gzip"
        timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
        url = urljoin(self._url, path)
        try:
            async with self._session.request(
                method, url, data=data and io.BytesIO(data), headers=headers, timeout=timeout
            ) as response:
                if response.status >= 400:
                    raise await _response_error(response)
                raw = await response.read()
                return json.loads(raw) if raw else {}
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise HubUnreachable(f"{method} {url}: {_error_text(error)}") from error


def _encode(body: dict[str, Any]) -> bytes:
    """The body as JSON, compressed where that saves anything."""
    raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return gzip.compress(raw, compresslevel=1, mtime=0) if len(raw) >= COMPRESS_FROM else raw


def _identity(answer: dict[str, Any]) -> RunnerIdentity:
    return RunnerIdentity(str(answer["runner"]), drained=answer.get("draining") is True)


def _job(data: dict[str, Any]) -> JobSpec:
    try:
        return JobSpec.from_dict(data)
    except (KeyError, TypeError, ValueError) as error:
        message = f"the job cannot be read ({error!r}); install the hub's version of the runner"
        raise HubRefused(200, "runner.version", message) from error


async def _response_error(response: aiohttp.ClientResponse) -> Exception:
    """The exception for an error status."""
    raw = await response.read()
    try:
        error = json.loads(raw)["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        code, message = "", raw[:300].decode("utf-8", "replace")
    if response.status == 409:
        return Superseded(message)
    if response.status >= 500 or response.status in (408, 429):
        return HubUnreachable(f"the hub answered {response.status}: {message}")
    return HubRefused(response.status, code, f"the hub answered {response.status}: {message}")


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__
