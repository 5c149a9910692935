"""Changes of the references that a survey played, in the same sandbox."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.mutants import MutantResult
from envyard.contract.survey import MAX_SURVEY_MUTANTS, PlayedReference
from envyard_runner.execution.replay import is_excused, read_replay
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.replays import why_unrepeatable
from envyard_runner.gateway.rollout_records import Record

SECONDS = 3.0  # that all may take together


class SurveyMutants:
    """They spread over all tasks, while those of the run change its first few.

    The gateway answers them as it does those of a run.
    """

    def __init__(self, gateway: Gateway, *, concurrency: int) -> None:
        self._plan, self._concurrency = gateway.plan, concurrency
        self._began: dict[str, float] = {}

    def begin(self, alias: str) -> None:
        """Note when a rollout was requested: its process's word for the seconds counts nothing."""
        self._began[alias] = time.monotonic()

    def keep(self, alias: str, played: Record, reward: float) -> None:
        """Keep a reference that earned a reward."""
        now = time.monotonic()
        seconds = now - self._began.pop(alias, now)
        repeatable = not why_unrepeatable(played)
        mutants = self._plan.replays.mutants
        mutants.keep(played, reward=reward, seconds=seconds, repeatable=repeatable)

    def groups(self, references: Sequence[PlayedReference]) -> list[list[dict[str, Any]]]:
        """The groups of rollouts to be played, by their aliases."""
        return self._plan.replays.mutants.plan(
            alike={each.task for each in references},
            concurrency=self._concurrency,
            seconds=SECONDS,
            most=MAX_SURVEY_MUTANTS,
            every_task=True,
        )

    def end(self, alias: str, event: dict[str, Any]) -> None:
        """Store what a mutant got, by the event of its end; other rollouts are ignored."""
        replay = read_replay(event, self._plan.reveal)
        self._plan.replays.ended(alias, replay, excused=is_excused(event))

    @property
    def results(self) -> list[MutantResult]:
        """What each got, under names that are no rollouts of the run."""
        results = self._plan.replays.mutants.results
        return [replace(each, rollout=f"survey/{each.task}/0") for each in results]
