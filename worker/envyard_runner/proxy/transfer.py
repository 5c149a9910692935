"""Copy bytes between the sandbox and one other end, within the run's bytes and the time limits."""

from __future__ import annotations

import asyncio
import contextlib

from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.outside import Stream
from envyard_runner.proxy.refused import Refused
from envyard_runner.proxy.usage import HostUsage, Transfer

PART = 1 << 16


async def copy_both_ways(
    client: Stream, far: Stream, transfer: Transfer, usage: HostUsage, limits: ProxyLimits
) -> None:
    """Copy until both ends are done; raises Refused at a limit. Closes neither."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + limits.connection_seconds
    limit = asyncio.timeout(limits.idle_seconds)

    async def copy(source: Stream, target: Stream, outgoing: bool) -> None:
        reader, writer = source[0], target[1]
        while part := await reader.read(PART):
            limit.reschedule(min(ends_at, loop.time() + limits.idle_seconds))
            count = usage.send if outgoing else usage.receive
            allowed = count(transfer, len(part))
            writer.write(part[:allowed])
            await writer.drain()
            if allowed < len(part):
                raise Refused("bytes")
        if writer.can_write_eof():
            writer.write_eof()

    copies = [
        asyncio.create_task(copy(client, far, True)),
        asyncio.create_task(copy(far, client, False)),
    ]
    try:
        async with limit:
            await asyncio.wait(copies, return_when=asyncio.FIRST_EXCEPTION)
    except TimeoutError:
        raise Refused("time" if loop.time() >= ends_at else "idle") from None
    finally:
        for task in copies:
            task.cancel()
        results = await asyncio.gather(*copies, return_exceptions=True)
    for result in results:
        if isinstance(result, Refused):
            raise result


async def close(stream: Stream) -> None:
    """Close a stream at once; what it had not sent yet is lost."""
    stream[1].transport.abort()
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await stream[1].wait_closed()
