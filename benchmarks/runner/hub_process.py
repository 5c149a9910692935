"""The tests' small hub as a process: `python -m benchmarks.runner.hub_process PORT WHEEL`.

It has the runner API only; every attempt starts with an empty list of batches.
"""

from __future__ import annotations

import sys
from pathlib import Path

from aiohttp import web

from tests.worker.stub_hub import StubHub


class HubWithoutHistory(StubHub):
    """Deletes the batches of the run before at the first batch of the next one."""

    async def _events(self, request: web.Request) -> web.Response:
        if (await request.json())["seq"] == 1:
            self.batches.clear()
        return await super()._events(request)


if __name__ == "__main__":
    app = HubWithoutHistory(wheel=Path(sys.argv[2]).read_bytes()).application()
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None)
