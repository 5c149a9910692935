"""What a run may read of data sets: its endpoints, the lock that it extends, and its needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

import aiohttp

from envyard.contract.data_lock import DataLock, LockedRepository, with_revision
from envyard.contract.data_requests import Refused
from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.data.endpoint import DataEndpoint
from envyard_runner.data.mirror import RunMirror
from envyard_runner.data.store import Store
from envyard_runner.data.upstream import Upstream
from envyard_runner.data.usage import DataUsage, Need
from envyard_runner.hub_api.client import HubRefused, RunHub

# Why a repository was not served, and who can provide it.
NEEDS: dict[Need, str] = {
    "no_mirror": "the runner has no mirror of data sets (RUNNER_DATA_URL)",
    "not_allowed": "the runner's operator does not allow it; RUNNER_DATA_ALLOW can name it",
    "gated": "it is gated; the runner's operator can accept its terms and set RUNNER_DATA_TOKEN",
    "not_found": "it does not exist or is private; its owner can publish it",
    "no_revision": "it has no such branch, tag or commit",
    "private": "it is private, which runs must not read; its owner can publish it",
}
OPTIONAL: tuple[Need, ...] = ("not_found", "no_revision")  # no need where the run succeeded


@dataclass(slots=True)
class DataAccess:
    """One run's access: `endpoint` for the sandbox that plays, `replay_endpoint` for the one after.

    `lock` is what the run has read; every sandbox after the first is frozen to it.
    """

    usage: DataUsage
    endpoint: DataEndpoint
    _frozen: Callable[[DataLock], RunMirror] | None

    @property
    def lock(self) -> DataLock:
        """The lock that the run was given, with what it read."""
        return self.endpoint.mirror.lock if self.endpoint.mirror else DataLock()

    @property
    def opens(self) -> bool:
        """Whether the first sandbox may read what later ones are then frozen to."""
        return self.endpoint.mirror is not None and not self.endpoint.mirror.frozen

    def renew_endpoint(self) -> None:
        """Replace the endpoint by an open one: the sandbox that plays is started again."""
        self.endpoint = DataEndpoint(self.usage, self.endpoint.mirror)

    def replay_endpoint(self) -> DataEndpoint:
        """An endpoint for a later sandbox of the run."""
        mirror = self._frozen(self.lock) if self._frozen else None
        return DataEndpoint(mirror.usage if mirror else replace(self.usage), mirror)


@asynccontextmanager
async def open_data(job: JobSpec, config: Config, hub: RunHub) -> AsyncIterator[DataAccess]:
    """The run's access to data sets; without RUNNER_DATA_URL it only counts what is requested."""
    usage = DataUsage(config.data_run_bytes)
    source = config.data_source
    if source is None:
        yield DataAccess(usage, DataEndpoint(usage, None), None)
        return
    store = Store(config.data, config.data_bytes)
    await asyncio.to_thread(store.clear_up)
    standing = job.data_lock

    async def agree(entry: LockedRepository, revision: str) -> str:
        nonlocal standing
        try:
            standing = await hub.data_lock(job, with_revision(standing, entry, revision))
        except HubRefused as error:  # with what other shards of the version read
            usage.refuse(f"the version's data lock holds no more ({error})")
        return standing.commit(entry.kind, entry.name, revision) or entry.commit

    async with aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), trust_env=True
    ) as session:
        upstream = Upstream(session, source)

        def mirror(lock: DataLock, usage: DataUsage, *, frozen: bool) -> RunMirror:
            return RunMirror(upstream, store, usage, lock=lock, frozen=frozen, agree=agree)

        first = mirror(job.data_lock, usage, frozen=job.data_frozen)
        with suppress(Refused):  # `usage` has the reason, and the run ends by it
            await first.prefetch()
        yield DataAccess(
            usage,
            DataEndpoint(usage, first),
            lambda lock: mirror(lock, DataUsage(config.data_run_bytes), frozen=True),
        )


def data_fault(usage: DataUsage) -> list[Finding]:
    """The platform's fault, if the data set hub failed while the run read from it."""
    return [finding("run.data_unreachable", usage.fault)] if usage.fault else []


def data_needs(usage: DataUsage, *, succeeded: bool) -> list[Finding]:
    """The data sets that the run requested and could not read, as one finding."""
    needs = {name: why for name, why in usage.needs.items() if not (succeeded and why in OPTIONAL)}
    if not needs:
        return []
    sentences = "; ".join(f"{name}: {NEEDS[why]}" for name, why in needs.items())
    message = f"It needs data sets. {sentences}."
    reasons = sorted(set(needs.values()))
    return [finding("needs.data", message, names=list(needs), reasons=reasons)]


def data_refused(usage: DataUsage) -> list[Finding]:
    """What the run requested beyond its limits or a frozen data lock, as one finding."""
    if usage.over_limit:
        return [finding("data.over_limit", f"The runner refused data: {usage.over_limit}.")]
    if not usage.not_locked:
        return []
    names = ", ".join(usage.not_locked)
    message = f"It requested what its data lock does not name: {names}."
    return [finding("data.not_locked", message)]
