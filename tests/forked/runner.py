"""A runner that polls and forks its sandboxes: `python -m tests.forked.runner`.

All else is real: hub client, installation, gateway. It imports the framework once, where a runner
does so for each sandbox, several times a run.
"""

from __future__ import annotations

import asyncio
import logging
import os

from envyard_runner import open_files
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.messaging.poll import poll
from tests.forked.sandbox import ForkedSandbox

if __name__ == "__main__":
    os.umask(0o022)
    open_files.raise_limit()
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    asyncio.run(poll(RunnerContext(Config.from_environment(), prepare=ForkedSandbox.prepare)))
