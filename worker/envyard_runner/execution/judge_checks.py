"""Check in a third sandbox what the rewards of a run make of their judge's verdicts.

It is bounded in time and in rollouts, and whatever happens in it changes nothing of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envyard.contract.job import JobSpec
from envyard.contract.judge import JudgeCheck
from envyard.contract.values import finite, record, text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.event_lines import parse_event, read_tasks
from envyard_runner.execution.sandboxes import Endpoints, RunAccess, SandboxFactory, serving
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.judge.checks import LIVE, JudgeChecks
from envyard_runner.gateway.judge.live import LiveVerdicts
from envyard_runner.hub_api.event_outbox import EventOutbox

MAX_SECONDS = 180.0
NEEDED_SHARE = 0.1  # of the run's time that must be left for the checks to begin


class JudgeCheckRun:
    """The checks of one run, built from the event lines of their sandbox.

    `gateway` answers them. The judge itself is called for replies that it has not judged, within
    what is left of the run's budgets.
    """

    def __init__(
        self, job: JobSpec, collector: EventCollector, access: RunAccess, first: Gateway
    ) -> None:
        model = access.judge_model
        self._usage = first.judge.usage.continued()
        live = LiveVerdicts(model, self._usage) if model else None
        self.checks = JudgeChecks(collector.plan.replays.bases, first.records.judge, live)
        self.gateway = Gateway(job, None, replays=self.checks)
        self._job, self._collector, self._access = job, collector, access
        self._loaded = False

    async def run(
        self,
        factory: SandboxFactory,
        outbox: EventOutbox,
        *,
        keys: Mapping[str, str],
        wall_seconds: float,
    ) -> None:
        """Play the checks in the factory's next sandbox and queue their results for the hub.

        Nothing is played where no rollout called the judge, or where the run's time of
        `wall_seconds` is nearly over.
        """
        left = factory.limits.wall_seconds
        if not self._collector.plan.replays.bases.best or left < NEEDED_SHARE * wall_seconds:
            return
        data, proxy = (
            self._access.data.replay_endpoint(),
            self._access.hosts.endpoint(self.gateway.judge),
        )
        endpoints = Endpoints(self.gateway, data, proxy)
        program = factory.worker
        prepared = factory.lasting(min(left, MAX_SECONDS)).make(program, keys)
        async with prepared as sandbox, serving(sandbox, program, endpoints):
            async for line in factory.drive(sandbox, self.gateway).lines():
                self.add_line(line)
            await sandbox.wait()
        results = self._results()
        outbox.add_facts(judge_checks=results)
        outbox.log_line(f"{len(results)} times a rollout was scored under another verdict or reply")

    def _results(self) -> list[JudgeCheck]:
        """The results; without those under the judge itself where it refused or failed a call: a
        reward without a verdict says nothing of the judge."""
        results = self.checks.results
        if self._usage.fault or self._usage.over_budget:
            return [result for result in results if result.check not in LIVE]
        return results

    def add_line(self, line: bytes) -> None:
        """Process one line."""
        event = parse_event(line)
        match event.get("event"):
            case "loaded" if not self._loaded:
                self._loaded = True
                self.checks.start(alike=self._alike(event))
            case "rollout":
                self._ended(event)

    def _alike(self, event: dict[str, Any]) -> set[int]:
        """The tasks that were loaded as in the first sandbox."""
        first = {(task.index, task.hash) for task in self._collector.tasks or ()}
        tasks = read_tasks(event, self._job)
        return {task.index for task in tasks if (task.index, task.hash) in first}

    def _ended(self, event: dict[str, Any]) -> None:
        reward = finite(event.get("reward")) if event.get("ok") is True else None
        error = record(event.get("error"))
        message = f"{text(error.get('type'), 100)}: {text(error.get('message'), 300)}"
        error_text = "" if reward is not None else message
        self.checks.ended(text(event.get("rollout"), 100), reward=reward, error=error_text)
