"""The rollouts of a run, each under a random alias that does not reveal which policy answers it.

An environment that could recognise its policy could pay the reference answer alone and pass for an
honest one. So inside the sandbox a rollout is a random word, and rollouts are handed out in mixed
order; only the runner can resolve the aliases.
"""

from __future__ import annotations

import asyncio
import random
import re
import secrets
from collections.abc import Collection, Sequence
from typing import Any

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.facts import TaskResult
from envyard.contract.job import MODEL, JobSpec
from envyard.contract.probes import PROBES, played_tasks, reference_of
from envyard_runner.gateway.form_trial import FormTrial
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.prompts import Prompts
from envyard_runner.gateway.references import References
from envyard_runner.gateway.replays import Replays
from envyard_runner.mutation.forms import Form

WORD = re.compile(r"\b[0-9a-f]{16}\b")
_shuffle = random.SystemRandom().shuffle


class Plan:
    """The rollouts of one run: none until its tasks are known, then fixed.

    `expected` are the rollouts that must come back, as `policy/task/attempt`, and `replays` those
    of them that are then played again, with the verdicts of `judge`. `prompts` are what the first
    calls must show, `references` what some probes repeat or change. `forms` finds the form of
    answer fields first, unless one is given. `constants` are those of the scoring code.
    """

    def __init__(
        self,
        job: JobSpec,
        judge: JudgeRecords,
        form: Form | None = None,
        constants: ScoringConstants = NO_CONSTANTS,
    ) -> None:
        self.expected: set[str] = set()
        self.replays = Replays(job, judge, constants)
        self.prompts = Prompts({})
        self.forms = FormTrial(job, form, constants)
        self.references = References.of(job)
        self._job = job
        self._names: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        self._groups: list[list[dict[str, Any]]] = []
        self._made = asyncio.Event()

    def make(
        self,
        tasks: Sequence[TaskResult],
        *,
        swapped: Collection[int],
        compares: bool,
        prompted: Collection[int] = (),
        answered: Collection[int] = (),
        tries_forms: bool = True,
    ) -> None:
        """Plan the job for these tasks; `swapped` are those with another task's reference to reply
        with, `prompted` those whose prompt is shown first, `answered` those whose reference is an
        answer field.

        Where rewards compare attempts, those of one policy at one task are played as a group. The
        size of a group must not reveal a probe either, so a probe then plays as often as the model
        does, and only its first attempt is expected.
        """
        self.prompts = Prompts(
            {task.index: task.prompt for task in tasks if task.index in prompted}
        )
        groups = []
        for policy in self._job.policies:
            attempts = self._job.attempts if policy == MODEL else 1
            reference = reference_of(policy)
            played = max(attempts, self._job.attempts) if compares else attempts
            eligible = [
                task
                for task in tasks
                if (reference != "own" or task.reference)
                and (reference != "other" or task.index in swapped)
            ]
            for task in eligible[: played_tasks(policy, len(eligible))]:
                rollouts = [f"{policy}/{task.index}/{n}" for n in range(played)]
                self.expected.update(rollouts[:attempts])
                groups += [rollouts] if compares else [[rollout] for rollout in rollouts]
        self.replays.choose(groups, self.expected)
        self._groups = [[self._assign_alias(name) for name in group] for group in groups]
        _shuffle(self._groups)
        self._groups.sort(key=self._plays_last)
        trial = [
            [self._assign_alias(name)]
            for name in self.forms.plan(answered, tried=tries_forms and not compares)
        ]
        _shuffle(trial)
        self._groups = trial + self._groups
        self._made.set()

    async def groups(self) -> list[list[dict[str, Any]]]:
        """The groups of rollout aliases and their tasks, once there is a plan."""
        await self._made.wait()
        return self._groups

    def name(self, rollout: str) -> str | None:
        """The rollout behind an alias as `policy/task/attempt`, None where there is none."""
        return self._names.get(rollout)

    def reveal(self, message: str) -> str:
        """The message with aliases replaced by the rollouts that they stand for."""
        return WORD.sub(
            lambda match: self.name(match[0]) or self.replays.name(match[0]) or match[0], message
        )

    def alias(self, name: str) -> str:
        """The alias of a planned rollout; raises KeyError."""
        return self._aliases[name]

    def _plays_last(self, group: list[dict[str, Any]]) -> bool:
        probe = PROBES.get(self._names[group[0]["rollout"]].partition("/")[0])
        return probe is not None and probe.plays_last

    def _assign_alias(self, name: str) -> dict[str, Any]:
        alias = secrets.token_hex(8)
        self._names[alias], self._aliases[name] = name, alias
        return {"rollout": alias, "task": int(name.split("/")[1])}
