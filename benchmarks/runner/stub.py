"""A model server of fixed latency with little overhead: `python -m benchmarks.runner.stub PORT`.

The model's name is its latency: `ms-200` responds 200 ms after it has read the request, in one body
or, if the request streams, in eight chunks without pauses. It implements the HTTP that OpenAI's
clients need, without a framework, so that it never limits a measurement.
"""

from __future__ import annotations

import asyncio
import json
import sys

REPLY = "I add what came last to what I had, and so the sum is 42. " * 4
CHUNKS = 8
LATENCIES_MS = (0, 20, 50, 200, 1000)
USAGE = {"prompt_tokens": 100, "completion_tokens": 60, "total_tokens": 160}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def _chunk(delta: dict[str, str], reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _complete() -> bytes:
    message = {"role": "assistant", "content": REPLY}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    fields = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    raw = json.dumps(fields | {"usage": USAGE}).encode()
    return HEAD % (len(raw), raw)


def _stream() -> list[bytes]:
    """Status line and events, one HTTP chunk each."""
    size = -(-len(REPLY) // CHUNKS)
    parts = [REPLY[at : at + size] for at in range(0, len(REPLY), size)]
    lines = [_chunk({"role": "assistant", "content": part}) for part in parts]
    lines += [_chunk({}, "stop"), {"choices": [], "usage": USAGE}]
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [b"data: " + json.dumps(base | line).encode() + b"\n\n" for line in lines]
    events.append(b"data: [DONE]\n\n")
    return [STREAM_HEAD, *(b"%x\r\n%b\r\n" % (len(event), event) for event in events), b"0\r\n\r\n"]


def _listed() -> bytes:
    names = [{"id": f"ms-{ms}", "object": "model"} for ms in LATENCIES_MS]
    raw = json.dumps({"object": "list", "data": names}).encode()
    return HEAD % (len(raw), raw)


COMPLETE, STREAM, LISTED = _complete(), _stream(), _listed()
UNKNOWN = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


class Connection(asyncio.Protocol):
    """One connection: requests one after the other."""

    def __init__(self) -> None:
        self._read = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        assert isinstance(transport, asyncio.Transport)  # a stream socket's
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """Send nothing more."""
        self._transport = None

    def data_received(self, data: bytes) -> None:
        """Respond to a complete request, after the model's latency."""
        self._read += data
        head, separator, body = self._read.partition(b"\r\n\r\n")
        if not separator:
            return
        size = 0
        for line in head.split(b"\r\n"):
            if line[:15].lower() == b"content-length:":
                size = int(line[15:])
        if len(body) < size:
            return
        self._read.clear()
        if head.startswith(b"GET "):
            self._send([LISTED if b"/models " in head else UNKNOWN])
            return
        request = json.loads(body)
        answer = STREAM if request.get("stream") else [COMPLETE]
        seconds = int(str(request["model"]).removeprefix("ms-")) / 1000
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self._send, answer)
        else:
            self._send(answer)

    def _send(self, parts: list[bytes]) -> None:
        for part in parts:
            if self._transport is not None:
                self._transport.write(part)


async def serve(port: int) -> None:
    """Serve on 127.0.0.1 until killed."""
    server = await asyncio.get_running_loop().create_server(
        Connection, "127.0.0.1", port, backlog=1024
    )
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
