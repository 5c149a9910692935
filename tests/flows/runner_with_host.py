"""A runner that polls its hub and reaches one host of a test's own: real venvs and sandboxes.

HOST_NAME is the host, HOST_PORT its TLS server on loopback, which stands for a public address.
"""

from __future__ import annotations

import asyncio
import logging
import os

from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.messaging.poll import poll
from tests.worker.proxy.hosts import PUBLIC, Resolver

if __name__ == "__main__":
    logging.basicConfig(level="INFO")
    resolver = Resolver(
        {os.environ["HOST_NAME"]: [[PUBLIC]]}, {PUBLIC: int(os.environ["HOST_PORT"])}
    )
    asyncio.run(poll(RunnerContext(Config.from_environment(), outside=resolver.outside)))
