"""What the references that a survey plays show: rewards, answers, leaks, tool results, changes."""

from __future__ import annotations

import contextlib
from typing import Any

from envyard.contract.findings import Finding
from envyard.contract.survey import PlayedReference
from envyard.contract.values import finite, record, text
from envyard_runner.conversation_checks.contrary_results import ToolResults
from envyard_runner.conversation_checks.failed_calls import FailedCalls
from envyard_runner.conversation_checks.left_out_ends import LeftOutEnds
from envyard_runner.execution.collector import TIMEOUT
from envyard_runner.execution.contrary_results import (
    contrary_findings,
    failed_call_findings,
    left_out_findings,
)
from envyard_runner.execution.first_calls import FirstCalls
from envyard_runner.execution.replay import EXCUSED
from envyard_runner.execution.survey_mutants import SurveyMutants
from envyard_runner.gateway import Gateway
from envyard_runner.survey.known_answers import KnownAnswers

LONGEST_MESSAGE = 200


class SurveyedReferences:
    """The plays of references in one survey's sandbox, by its event lines.

    `played` has one entry per task; plays that a judge, the model or the time limit ended are not
    among them. `answers` are those of all tasks, of the first calls and fields too.
    """

    def __init__(self, gateway: Gateway, *, concurrency: int) -> None:
        self._plan, self._records = gateway.plan, gateway.records
        self.answers = KnownAnswers()
        self.played: list[PlayedReference] = []
        self.calls = FirstCalls(self.answers)
        self.mutants = SurveyMutants(gateway, concurrency=concurrency)
        self._failed, self._results = FailedCalls(), ToolResults()
        self._ends = LeftOutEnds()

    def begin(self, event: dict[str, Any]) -> None:
        """Process the line by which a rollout begins."""
        self.mutants.begin(text(event.get("rollout"), 100))

    def end(self, event: dict[str, Any]) -> None:
        """Process the line of an ended rollout: of a reference, or of a change of one."""
        alias = text(event.get("rollout"), 100)
        name = self._plan.name(alias)
        if name is None:
            self.mutants.end(alias, event)
            return
        task = int(name.split("/")[1])
        if task in {each.task for each in self.played}:
            return
        rollout = self._records.take(name)
        error = record(event.get("error"))
        if not rollout.replies or error.get("type") == TIMEOUT or error.get("fault") in EXCUSED:
            return  # not by the environment's doing, or not shown to be
        reward = finite(event.get("reward")) if event.get("ok") is True else None
        why = "" if reward is not None else described(error)
        self.played.append(PlayedReference(task, reward, why, rollout.replies))
        if reward is not None:
            self.mutants.keep(alias, rollout, reward)
        self._failed.add(task, rollout)
        self._results.add(rollout)
        self._ends.add(rollout)
        with contextlib.suppress(IndexError):
            self.calls.add(task, rollout)

    def changed(self) -> list[list[dict[str, Any]]]:
        """The changes of what was played, in groups of rollouts to be played."""
        return self.mutants.groups(self.played)

    @property
    def findings(self) -> list[Finding]:
        """What the conversations show; the hub makes the others of the survey."""
        return [
            *failed_call_findings(self._failed.late),
            *contrary_findings(self._results.contrary),
            *left_out_findings(self._ends.left_out),
        ]

    @property
    def is_paid(self) -> bool:
        """Whether some reference earned a reward."""
        return any(each.reward for each in self.played)

    def right_replies(self) -> dict[int, str]:
        """The references that were paid, where each play is one reply to what all tasks begin with,
        and those that were not played where all others were; none where tools, several turns or
        other instructions may decide."""
        single = all(each.turns == 1 for each in self.played)
        if not single or not self.answers.prompts_decide:
            return {}
        paid = {each.task for each in self.played if each.reward and each.reward > 0}
        unplayed = self.answers.unplayed.keys() if len(paid) == len(self.played) else set()
        known = self.answers.all
        return {task: known[task] for task in (paid | unplayed) & known.keys()}


def described(error: dict[str, Any]) -> str:
    """The error of a rollout or a load in one line."""
    return f"{text(error.get('type'), 100)}: {text(error.get('message'), LONGEST_MESSAGE)}"
