"""The state file of a run in progress, which `hub-runner status` reads."""

from __future__ import annotations

import asyncio
import logging
import time

from envyard.contract.job import JobSpec
from envyard_runner.execution.verdict import Ending
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.state.process_state import WriteState

log = logging.getLogger(__name__)

STATE_SECONDS = 1.0


async def keep_state(job: JobSpec, outbox: EventOutbox, write: WriteState) -> Ending:
    """Write the run's state file for `hub-runner status` every second; never ends by itself.

    A file that cannot be written, as on a full disk, does not affect the run.
    """
    identity = {"run": job.run, "attempt": job.attempt, "since": time.time()}
    identity |= {"environment": job.environment, "version": job.version}
    while True:
        progress = {"phase": outbox.phase, "done": outbox.done, "total": outbox.total}
        # A disk may be slow, and the gateway's calls must not wait for it.
        writing = asyncio.create_task(asyncio.to_thread(write, identity | progress))
        try:
            await asyncio.shield(writing)
        except OSError as error:
            log.debug("no state file of run %s: %s", job.run, error)
        finally:  # nothing may be written once the state file is removed
            await asyncio.wait([writing])
        await asyncio.sleep(STATE_SECONDS)
