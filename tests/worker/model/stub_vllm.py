"""A stub of `vllm` for the watcher: its options, its routes and its failures.

`STUB_VLLM` is its failure: `unloadable`, `silent` (never answers), `loud`, or empty. Like vLLM it
has an engine in a process of its own, which outlives a front end that is killed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web

from tests.worker.stub_model import StubModel

METRICS = """# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="stub"} %d
vllm:num_requests_waiting{engine="0",model_name="stub"} %d
vllm:num_requests_waiting_by_reason{engine="0",model_name="stub",reason="capacity"} 9.0
vllm:kv_cache_usage_perc{engine="0",model_name="stub"} %.3f
vllm:prompt_tokens_total{engine="0",model_name="stub"} 7.0
vllm:generation_tokens_total{engine="0",model_name="stub"} 1.2e+01
"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("model")
    parser.add_argument("--served-model-name")
    parser.add_argument("--uds")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    return parser.parse_known_args()[0]


def application(name: str) -> web.Application:
    key = f"Bearer {os.environ['VLLM_API_KEY']}"

    @web.middleware
    async def keyed(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.path.startswith("/v1") and request.headers.get("Authorization") != key:
            return web.json_response({"error": "Unauthorized"}, status=401)
        return await handler(request)

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name}]})

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text=METRICS % (0, 0, 0.0))

    async def health(_: web.Request) -> web.Response:
        return web.Response()

    stub = StubModel()
    app = web.Application(middlewares=[keyed])
    app.add_routes(
        [
            web.get("/health", health),
            web.get("/metrics", metrics),
            web.get("/v1/models", models),
            web.post("/v1/chat/completions", stub.chat),
            web.post("/v1/completions", stub.complete),
        ]
    )
    return app


# The real one names the cause in its worker's lines, long before the front end gives up.
BURIED = "\n".join(
    [
        (
            "(Worker pid=7) ERROR 11-22 06:12:01 [executor.py:953] ValueError: Memory on device "
            "(9.83/11.59 GiB) is less than desired GPU memory utilization (0.92, 10.66 GiB)."
        ),
        *(f'(Engine pid=6) ERROR   File "core.py", line {n}, in start' for n in range(40)),
        "RuntimeError: Engine core initialization failed. See root cause above.",
    ]
)


if __name__ == "__main__":
    arguments = options()
    failure = os.environ.get("STUB_VLLM", "")
    sys.stdout.write(f"loading {arguments.model} with {os.environ['VLLM_API_KEY']}\n")
    sys.stdout.flush()
    if failure == "unloadable":
        sys.exit(BURIED)
    if failure == "loud":
        sys.stdout.write("blah blah\n" * 10_000 + "x" * 900_000 + "\nthe last words\n")
        sys.stdout.flush()
    Path(os.environ["VLLM_RPC_BASE_PATH"], "a-socket").touch()
    engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(os.environ["STUB_ENGINE"]).write_text(str(engine.pid))
    if failure == "silent":
        engine.wait()
    where = (
        {"path": arguments.uds}
        if arguments.uds
        else {"host": arguments.host, "port": arguments.port}
    )
    web.run_app(application(arguments.served_model_name), **where, print=None)
    engine.kill()
