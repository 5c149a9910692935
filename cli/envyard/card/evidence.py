"""The input of a card: the plan of a run, its facts and its rollouts. Pure values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from envyard.contract.facts import Facts
from envyard.contract.job import MODEL
from envyard.contract.probes import played_tasks, reference_of
from envyard.contract.runner_events import RolloutResult

EXCUSED = ("model", "platform")  # faults that are no evidence about the environment


@dataclass(frozen=True, slots=True)
class Evidence:
    """One run as measures see it; `rollouts` are in the order policy, task, attempt, `model` is the
    name of the model behind the policy `model`.

    Those that the facts name as not counted are not among them, and were not planned either.
    """

    policies: tuple[str, ...]
    tasks: int
    attempts: int
    facts: Facts
    rollouts: tuple[RolloutResult, ...]
    model: str = ""

    def only(self, policies: Sequence[str]) -> Evidence:
        """The same run as if it had planned these policies alone."""
        return replace(
            self,
            policies=tuple(p for p in self.policies if p in policies),
            rollouts=tuple(r for r in self.rollouts if r.policy in policies),
        )

    def of(self, policy: str) -> tuple[RolloutResult, ...]:
        """The rollouts of one policy."""
        return tuple(r for r in self.rollouts if r.policy == policy)

    def planned(self, policy: str) -> int:
        """How many rollouts the policy was to make, once the tasks are known.

        A probe that replies with the task's own reference answer plays the tasks that have one.
        A probe with another task's answer plays where some other answer differs, which only the
        environment's side can compute: the rollouts that it made were planned.
        """
        if reference_of(policy) == "other":
            return len(self.of(policy))
        return max(0, self._tasks(policy) - self.left_out(policy))

    def left_out(self, policy: str) -> int:
        """How many of the policy's rollouts do not count."""
        return sum(name.startswith(f"{policy}/") for name in self.facts.not_counted or ())

    def _tasks(self, policy: str) -> int:
        tasks = self.facts.tasks
        count = self.tasks if tasks is None else min(self.tasks, len(tasks))
        if reference_of(policy) == "own":
            count = sum(task.reference for task in tasks or ())
        return played_tasks(policy, count) * (self.attempts if policy == MODEL else 1)


def rewards(rollouts: Sequence[RolloutResult]) -> list[float]:
    """The rewards there are; a failed rollout has none and never counts as zero."""
    return [r.reward for r in rollouts if r.ok and r.reward is not None]


def excused(rollout: RolloutResult) -> bool:
    """Whether the rollout failed for a reason that is not the environment's."""
    return not rollout.ok and (rollout.error or {}).get("fault") in EXCUSED


def name(rollout: RolloutResult) -> str:
    """`policy/task/attempt`, as pages and logs call it."""
    return f"{rollout.policy}/{rollout.task}/{rollout.attempt}"
