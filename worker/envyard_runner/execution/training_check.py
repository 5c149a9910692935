"""Play a sample of a run's rollouts the way a trainer does, and compare the rewards.

The sandbox holds the framework and a minimal host: no worker and no reference. An
environment that pays otherwise there is honest only where it is evaluated. Source: docs/card.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard.contract.training import TrainingFacts
from envyard.contract.values import finite, text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.event_lines import parse_event
from envyard_runner.execution.first_names import first_names
from envyard_runner.execution.guest_programs import GuestProgram, host_config, trainers_host
from envyard_runner.execution.sandboxes import Endpoints, RunAccess, SandboxFactory, serving
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.judge.recorded import RUN
from envyard_runner.gateway.replays import LATE
from envyard_runner.gateway.training_replays import MANY, TrainingReplays
from envyard_runner.gateway.training_rollouts import TrainingRollout
from envyard_runner.guest.host_config import PlannedRollout
from envyard_runner.guest.job import GuestJob
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.sandbox.command import GATEWAY

MAX_SECONDS = 180.0
NEEDED_SHARE = 0.1  # of the run's time that must be left for the check to begin
CERTAIN = 0.01  # the probability of chance below which changed conversations are an error
ONLY_THE_RUN = (
    "that none of three later plays with the same replies did, which agree with one another"
)
ANY_PLAY = "else in some later plays with the same replies, which differ from one another"
# Sampling of a trainer that is not the run's: what pays otherwise by either is not honest in both.
OTHER_TEMPERATURES, OTHER_TOP_P = (0.8, 1.0), 0.95
TRAINED_MODEL = "Qwen/Qwen3-4B"  # as a trainer names its model: no run has this name


class TrainingCheck:
    """The check of one run; `judged`: it called a judge."""

    def __init__(
        self,
        job: JobSpec,
        guest_job: GuestJob,
        collector: EventCollector,
        access: RunAccess,
        *,
        judged: bool,
    ) -> None:
        self.replays = TrainingReplays(collector.plan.replays, judged=judged)
        self._hashes = {task.index: task.hash for task in collector.tasks or ()}
        self._job, self._guest, self._access = job, guest_job, access
        self._why_none = ""

    async def play(
        self,
        factory: SandboxFactory,
        *,
        keys: Mapping[str, str],
        wall_seconds: float,
    ) -> None:
        """Play the sample in the factory's next sandbox, beside the ordinary replays or after them.

        Nothing is played where no rollout can be compared, or where the run's time of
        `wall_seconds` is nearly over.
        """
        left = factory.limits.wall_seconds
        late = LATE if left < NEEDED_SHARE * wall_seconds else ""
        if reason := self.replays.why_none or late:
            self._why_none = reason
            return
        gateway = Gateway(self._job, None, replays=self.replays, model_name=TRAINED_MODEL)
        data = self._access.data.replay_endpoint()
        endpoints = Endpoints(gateway, data, self._access.hosts.endpoint(gateway.judge))
        program = self._program()
        prepared = factory.lasting(min(left, MAX_SECONDS)).make(program, keys)
        async with prepared as sandbox, serving(sandbox, program, endpoints):
            async for line in sandbox.lines():
                self.add_line(line)
            await sandbox.wait()
        self.replays.finish({each.host for each in gateway.records.judge.exchanges(RUN)})

    async def finish(
        self,
        factory: SandboxFactory,
        outbox: EventOutbox,
        *,
        keys: Mapping[str, str],
        wall_seconds: float,
    ) -> list[Finding]:
        """The finding, if any, once the sample and the ordinary replays have been played; what may
        be chance is played once more."""
        if not self._why_none and self.replays.settle():
            await self.play(factory, keys=keys, wall_seconds=wall_seconds)
        self._why_none = self._why_none or self.replays.why_none
        self._log(outbox)
        outbox.add_facts(training=self.facts)
        return [*([] if self._why_none else self._findings()), *self._changed()]

    @property
    def facts(self) -> TrainingFacts:
        """How many rollouts were compared, or why none could be."""
        compared = len(self.replays.compared)
        first = next((r for r in self.replays.rollouts if not r.compared), None)
        reason = f"{first.name}: {first.why_not_compared}" if first and not compared else ""
        if self._why_none:
            return TrainingFacts(0, reason=self._why_none)
        return TrainingFacts(compared, len(self.replays.differing), reason)

    def _log(self, outbox: EventOutbox) -> None:
        """Log how many rollouts were compared, and why each of the others was not."""
        if self._why_none:
            outbox.log_line(f"no rollout was played the way a trainer does: {self._why_none}")
            return
        compared, sample = len(self.replays.compared), len(self.replays.rollouts)
        outbox.log_line(
            f"{compared} of {sample} chosen rollouts were played again the way a trainer does"
        )
        for rollout in self.replays.rollouts:
            if not rollout.compared:
                outbox.log_line(f"{rollout.name} is not compared: {rollout.why_not_compared}")

    def add_line(self, line: bytes) -> None:
        """Process one line of the host."""
        row = parse_event(line)
        alias = text(row.get("rollout"), 100)
        name = self.replays.name(alias)
        if name is None:
            return
        task = int(name.split("/")[1])
        reward = finite(row.get("reward"))
        if row.get("hash") != self._hashes.get(task):
            reward, row["error"] = None, "its task was loaded otherwise"
        self.replays.ended(alias, reward=reward, error=text(row.get("error"), 300))

    def _program(self) -> GuestProgram:
        groups = tuple(
            tuple(PlannedRollout(alias, task, f"{GATEWAY}/{alias}/v1") for alias, task in group)
            for group in self.replays.plan()
        )
        concurrency = 1 if self.replays.judged else self._guest.concurrency
        config = host_config(self._guest, groups=groups)
        config = replace(config, model=TRAINED_MODEL, concurrency=concurrency)
        config = replace(config, temperature=self._temperature, top_p=OTHER_TOP_P)
        return trainers_host(self._guest, config)

    @property
    def _temperature(self) -> float:
        """A temperature that trainers choose and the run did not."""
        return next(value for value in OTHER_TEMPERATURES if value != self._guest.temperature)

    def _changed(self) -> Iterator[Finding]:
        """The finding about conversations that other plays with the same replies did not have: an
        error where chance does not explain those of the run alone."""
        changed, unlike = self.replays.changed, self.replays.unlike
        certain = bool(changed) and self.replays.changed_by_chance < CERTAIN
        rollouts = changed or unlike
        if not changed and len(unlike) < MANY:
            return
        names = first_names([rollout.name for rollout in rollouts])
        yield finding(
            "run.inconsistent" if certain else "run.conversation_changed",
            f"{len(rollouts)} of {self.replays.chosen} rollouts showed the policy something "
            f"{ONLY_THE_RUN if changed else ANY_PLAY}: {names}.{self._first_change(rollouts)}",
            where=rollouts[0].name,
            n=len(rollouts),
        )

    def _first_change(self, rollouts: Sequence[TrainingRollout]) -> str:
        """What the first rollout whose ordinary replay differed showed there."""
        for rollout in rollouts:
            replay = self.replays.replay(rollout.name)
            if replay.diverged:
                return f" Call {replay.diverged} of {rollout.name} was then {replay.asked!r}."
        return ""

    def _findings(self) -> Iterator[Finding]:
        differing, compared = self.replays.differing, len(self.replays.compared)
        if not differing:
            return
        first = differing[0]
        names = first_names([rollout.name for rollout in differing])
        pairs: dict[str, Any] = {r.name: [r.reward, r.rewards[0]] for r in differing}
        yield finding(
            "card.evaluation_aware",
            f"{len(differing)} of {compared} rollouts got another reward when they were played "
            f"again the way a trainer does, with the recorded replies: {names}. {first.name} got "
            f"{first.reward:g} in the run and in its replay, and {first.rewards[0]:g} there.",
            where=first.name,
            n=len(differing),
            rewards=pairs,
        )
