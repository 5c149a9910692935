"""The HTTP client of this process.

verifiers makes a client for every rollout's base URL, and each would read the machine's TLS
certificates again (16 ms of processor time, two thirds of a rollout) to speak plain HTTP.
"""

from __future__ import annotations

import functools
from typing import Any

import httpx
from httpx._transports import default


def share_tls() -> None:
    """Let clients with equal settings share one TLS context."""
    default.create_ssl_context = functools.cache(default.create_ssl_context)


def client() -> Any:
    """A client without a time limit of its own: a rollout's is the one that counts."""
    return httpx.AsyncClient(timeout=None)
