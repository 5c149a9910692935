"""Find the model that answers a run's calls, wait for it, and limit its concurrent calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from envyard.contract.job import MODEL, JobSpec
from envyard_runner.config import Config
from envyard_runner.gateway import AdaptiveLimiter, Model
from envyard_runner.model.endpoint import Endpoint, EndpointError

# A model that just failed is being restarted. If that takes longer, the run fails and the next
# attempt waits in the queue: no runner takes it before its model is ready.
START_SECONDS = 300.0


@asynccontextmanager
async def open_model(
    job: JobSpec, config: Config, *, log_line: Callable[[str], None]
) -> AsyncIterator[tuple[JobSpec, Model | None]]:
    """The job as this machine can play it, and its model, None for a job of probes only.

    Raises NoModel. If the server has capacity, rollouts are played side by side up to the runner's
    own maximum, and `job.concurrency` is the minimum number of concurrent calls.
    """
    if MODEL not in job.policies:
        yield job, None
        return
    endpoint = await config.models().find(job.model, seconds=START_SECONDS, log_line=log_line)
    minimum = job.concurrency
    if await _has_capacity(endpoint):
        job = replace(job, concurrency=max(minimum, config.concurrency))
    limiter = AdaptiveLimiter(minimum=minimum, maximum=job.concurrency)
    async with endpoint.session() as session:
        following = asyncio.create_task(limiter.follow(endpoint))
        try:
            yield (
                job,
                Model(
                    session,
                    url=endpoint.url,
                    name=job.model,
                    key=endpoint.key,
                    # Lateness must show as the model's fault before the rollout's time ends.
                    timeout=0.9 * job.limits.rollout_seconds,
                    limiter=limiter,
                ),
            )
        finally:
            following.cancel()
    log_line(f"up to {limiter.peak} concurrent calls to {job.model}")


async def _has_capacity(endpoint: Endpoint) -> bool:
    """Whether the server publishes its load and has no waiting requests."""
    try:
        load = await endpoint.load()
    except EndpointError:
        return False
    return load is not None and not load.saturated
