"""The HTTP server on the sandbox's data socket: the read-only part of the Hugging Face Hub API."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

from aiohttp import web

from envyard.contract.data_requests import (
    DataRequest,
    Refused,
    Repository,
    byte_range,
    read,
    read_paths,
)
from envyard_runner.data.mirror import RunMirror
from envyard_runner.data.usage import DataUsage
from envyard_runner.socket_server import SocketServer

log = logging.getLogger(__name__)

MAX_BODY = 1 << 20
MAX_CONNECTIONS = 128
MAX_AT_ONCE = 32  # requests that are answered at once
BODY_SECONDS = 30.0
SEND_SECONDS = 120.0  # for one part, which a stopped reader may never take
PART = 1 << 20


class DataEndpoint:
    """Serves one run. Without a mirror every request is refused, and counted as a need.

    `failure` names an exception of the endpoint's own, which must not be blamed on the environment.
    """

    def __init__(self, usage: DataUsage, mirror: RunMirror | None) -> None:
        self.usage, self.mirror = usage, mirror
        self.failure = ""
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)
        application = web.Application(client_max_size=MAX_BODY)
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._server = SocketServer(application, connections=MAX_CONNECTIONS, name=__name__)

    async def open(self, listening: socket.socket) -> None:
        """Serve on the socket that the sandbox handed out, which is closed with the endpoint."""
        await self._server.open(listening)

    async def close(self) -> None:
        """Close the socket, end every request and let the files go."""
        await self._server.close()
        if self.mirror is not None:
            self.mirror.close()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        try:
            async with self._slots:
                return await self._route(request)
        except Refused as error:
            return self._refused(error)
        except web.HTTPException as error:
            return _refusal(Refused(error.status, error.reason))
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            log.exception("a request at the data endpoint failed")
            self.failure = f"{type(error).__name__}: {error}"
            return _refusal(Refused(500, "the data endpoint failed"))

    async def _route(self, request: web.Request) -> web.StreamResponse:
        parsed = read(request.method, request.raw_path)
        if self.mirror is None:
            self.usage.need(parsed.repository, "no_mirror")
            raise Refused(404, "this runner has no mirror of data sets", "RepoNotFound")
        commit = await self.mirror.commit(parsed.repository, parsed.revision)
        headers = {"X-Repo-Commit": commit}
        try:
            if parsed.operation == "file":
                return await self._file(request, parsed, commit)
            return web.json_response(await self._json(request, parsed, commit), headers=headers)
        except Refused as error:
            return self._refused(error, headers)

    def _refused(self, error: Refused, headers: dict[str, str] | None = None) -> web.Response:
        """The refusal, noted where it is a limit of the mirror's."""
        if error.status == 413:
            self.usage.over_limit = self.usage.over_limit or str(error)
        return _refusal(error, headers)

    async def _json(self, request: web.Request, parsed: DataRequest, commit: str) -> Any:
        assert self.mirror is not None  # noqa: S101  (_route refused already)
        if parsed.operation == "refs":
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": commit}
            return {"branches": [main], "converts": [], "tags": []}
        if parsed.operation == "info":
            return await self.mirror.info(parsed.repository, commit)
        if parsed.operation == "tree":
            return await self.mirror.tree(parsed, commit)
        async with asyncio.timeout(BODY_SECONDS):
            paths = read_paths(await request.read())
        return await self.mirror.entries(parsed.repository, commit, paths)

    async def _file(
        self, request: web.Request, parsed: DataRequest, commit: str
    ) -> web.StreamResponse:
        """The file's headers and, for GET, its verified bytes or one range of them."""
        assert self.mirror is not None  # noqa: S101  (_route refused already)
        file = await self.mirror.metadata(parsed.repository, commit, parsed.path)
        tag = f'"{file.object_id}"'
        headers = {
            "X-Repo-Commit": commit,
            "ETag": tag,
            "X-Linked-Etag": tag,
            "X-Linked-Size": str(file.size),
            "Accept-Ranges": "bytes",
            "Content-Type": "application/octet-stream",
        }
        first, last, status = byte_range(request.headers.get("Range"), file.size)
        if status == 416:
            headers["Content-Range"] = f"bytes */{file.size}"
            return web.Response(status=416, headers=headers)
        if status == 206:
            headers["Content-Range"] = f"bytes {first}-{last}/{file.size}"
        response = web.StreamResponse(status=status, headers=headers)
        response.content_length = last - first + 1
        if request.method == "GET":
            await self._send(request, response, parsed.repository, commit, parsed.path, first, last)
        else:
            await response.prepare(request)
        return response

    async def _send(
        self, request: web.Request, response: web.StreamResponse, repository: Repository,
        commit: str, path: str, first: int, last: int,
    ) -> None:  # fmt: skip
        assert self.mirror is not None  # noqa: S101  (_route refused already)
        _, stored = await self.mirror.open(repository, commit, path)
        await response.prepare(request)
        while first <= last:
            part = await asyncio.to_thread(stored.read, first, min(PART, last - first + 1))
            async with asyncio.timeout(SEND_SECONDS):
                await response.write(part)
            first += len(part)
        await response.write_eof()


def _refusal(error: Refused, headers: dict[str, str] | None = None) -> web.Response:
    named = (
        {"X-Error-Code": error.code, "X-Error-Message": _ascii(str(error))} if error.code else {}
    )
    return web.json_response(
        {"error": str(error)}, status=error.status, headers={**(headers or {}), **named}
    )


def _ascii(message: str) -> str:
    return message.encode("ascii", "replace").decode()
