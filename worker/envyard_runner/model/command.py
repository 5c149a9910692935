"""The command line and the environment of `vllm serve`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOCKET_PATH_BYTES = 107  # the kernel's limit for a unix socket's name
# These are the watcher's: a server that others can reach, or that answers to another name or
# key, is not the one in the state file that runners read.
RESERVED_OPTIONS = (
    "--host", "--port", "--uds", "--api-key", "--served-model-name", "--model", "--config",
    "--headless", "--grpc", "--root-path", "--ssl-keyfile", "--ssl-certfile",
)  # fmt: skip
SECRET_PREFIXES = ("HUB_", "RUNNER_", "VLLM_API_KEY", "VLLM_SERVER_DEV_MODE")


class ServeError(Exception):
    """The model cannot be served with these options; the message names what to change."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The operator's options. `port` 0 means a unix socket; `extra` goes to vLLM as it is."""

    model: str
    name: str
    gpus: tuple[str, ...] = ()
    port: int = 0
    extra: tuple[str, ...] = ()


def find_vllm(environ: Mapping[str, str]) -> str:
    """The `vllm` program: RUNNER_VLLM, else beside this Python, else on the PATH."""
    named = environ.get("RUNNER_VLLM")
    beside = Path(sys.executable).with_name("vllm")
    program = named or (str(beside) if beside.exists() else shutil.which("vllm"))
    if not program or not os.access(program, os.X_OK):
        problem = f"RUNNER_VLLM={named} is not a program" if named else "vllm is not installed"
        raise ServeError(
            f"{problem}: `uv venv vllm && uv pip install --python vllm vllm` makes a virtual "
            "environment of its own for it; then set RUNNER_VLLM=vllm/bin/vllm"
        )
    return program


def arguments(options: ServeOptions, program: str, socket: Path) -> list[str]:
    """The whole command line; raises Unusable for an option that is the watcher's own."""
    for word in options.extra:
        option = word.partition("=")[0].replace("_", "-")
        if len(option) > 3 and any(own.startswith(option) for own in RESERVED_OPTIONS):
            raise ServeError(
                f"{word} cannot be given to vLLM: hub-runner keeps it on this machine's loopback "
                "or unix socket, under a key and name of its own (--name, --port)"
            )
    if options.port:
        where = ["--host", "127.0.0.1", "--port", str(options.port)]
    elif len(os.fsencode(socket)) > SOCKET_PATH_BYTES:
        raise ServeError(
            f"{socket} is longer than the {SOCKET_PATH_BYTES} bytes of a socket's name: "
            "set RUNNER_HOME to a shorter folder, or give --port"
        )
    else:
        where = ["--uds", str(socket)]
    shared = ["--tensor-parallel-size", str(len(options.gpus))] if len(options.gpus) > 1 else []
    return [
        program, "serve", options.model, "--served-model-name", options.name, *where,
        "--disable-uvicorn-access-log", *shared, *options.extra,
    ]  # fmt: skip


def environment(options: ServeOptions, key: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The server's environment: this one without the runner's secrets, with the server's key.

    The key is not on the command line, which every user of the machine can read.
    """
    kept = {k: v for k, v in environ.items() if not k.startswith(SECRET_PREFIXES)}
    chosen = {"CUDA_VISIBLE_DEVICES": ",".join(options.gpus)} if options.gpus else {}
    quiet = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}
    return kept | quiet | chosen | {"VLLM_API_KEY": key}
