"""The HTTP client of this process.

verifiers makes a client for every rollout's base URL, and each would read the machine's TLS
certificates again (16 ms of processor time, two thirds of a rollout) to speak plain HTTP.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from typing import Any

import httpx
from httpx._transports import default

# Else the first rollouts of a run would wait for these, and count it as their own time.
IMPORTED_BY_THE_FIRST_CALL = ("anyio._backends._asyncio", "openai.resources.chat.completions")


def client() -> Any:
    """A client without a time limit of its own: a rollout's is the one that counts.

    Made while the environment is loaded: it takes 0.1 s of processor to learn how to speak. From
    then on clients with equal settings share one TLS context.
    """
    for name in IMPORTED_BY_THE_FIRST_CALL:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    default.create_ssl_context = functools.cache(default.create_ssl_context)
    return httpx.AsyncClient(timeout=None)
