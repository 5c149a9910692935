"""The results and samples of a model that was evaluated on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envyard.card.evidence import Evidence, name
from envyard.card.learnability import ModelResults, model_results
from envyard.card.scores import Score, by_policy
from envyard.contract.facts import Facts
from envyard.contract.job import MODEL
from envyard.contract.runner_events import RolloutResult
from envyard.contract.suite import SuiteDefinition
from envyard.contract.values import record


@dataclass(frozen=True, slots=True)
class Subject:
    """What is evaluated: a wheel by its hash, under the names of environment and version."""

    environment: str
    version: str
    wheel_sha256: str


@dataclass(frozen=True)
class LocalEvaluation:
    """One run of a model on this machine; `document` is what `hub-runner try` printed."""

    subject: Subject
    model: str
    suite_name: str
    suite: SuiteDefinition
    document: dict[str, Any]

    @cached_property
    def facts(self) -> Facts:
        """The measurements of the run."""
        return Facts.from_dict(record(self.document.get("facts")))

    @cached_property
    def rollouts(self) -> list[RolloutResult]:
        """The rollouts by task and attempt, those included that do not count."""
        rows = map(RolloutResult.from_dict, self.document["rollouts"])
        return sorted(rows, key=lambda row: (row.task, row.attempt))

    @cached_property
    def score(self) -> Score | None:
        """The mean with its interval; None where no rollout counts."""
        scores = by_policy(self._evidence)
        return next((score for score in scores if score.policy == MODEL), None)

    @cached_property
    def results(self) -> ModelResults | None:
        """What the card has of a model; None where no rollout was rewarded."""
        return next(iter(model_results(self._evidence, suite=self.suite_name)), None)

    @cached_property
    def _evidence(self) -> Evidence:
        left_out = self.facts.not_counted or {}
        return Evidence(
            policies=(MODEL,),
            tasks=self.suite.tasks,
            attempts=self.suite.attempts,
            facts=self.facts,
            rollouts=tuple(row for row in self.rollouts if name(row) not in left_out),
            model=self.model,
        )

    def samples(self) -> list[dict[str, Any]]:
        """The rollouts with the columns of verifiers' `results.jsonl`; one that does not count, or
        failed, has no reward."""
        hashes = {task.index: task.hash for task in self.facts.tasks or ()}
        return [self._sample(row, hashes.get(row.task, "")) for row in self.rollouts]

    def _sample(self, row: RolloutResult, task_hash: str) -> dict[str, Any]:
        prompt, completion = row.transcript.halves
        not_counted = (self.facts.not_counted or {}).get(name(row), "")
        return {
            "example_id": row.task,
            "rollout_number": row.attempt,
            "task": self.subject.environment,
            "prompt": prompt,
            "completion": completion,
            "reward": row.reward if row.ok and not not_counted else None,
            "metrics": {part: row.rewards[part]["score"] for part in row.rewards} | row.metrics,
            "is_completed": row.ok,
            "is_truncated": row.truncated,
            "stop_condition": row.stop,
            "error": row.error,
            "timing": {"total": row.seconds, "model": row.usage.model_seconds},
            "token_usage": {
                "input_tokens": row.usage.prompt_tokens,
                "output_tokens": row.usage.completion_tokens,
            },
            "info": {"task_hash": task_hash, "not_counted": not_counted},
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without the samples."""
        return {
            "environment": self.subject.environment,
            "version": self.subject.version,
            "wheel_sha256": self.subject.wheel_sha256,
            "model": self.model,
            "suite": {
                "name": self.suite_name,
                "digest": self.suite.digest,
                "definition": self.suite.to_dict(),
            },
            "seed": self.document.get("seed"),
            "outcome": self.document["outcome"],
            "findings": self.document["findings"],
            "score": self.score.to_dict() if self.score else None,
            "results": self.results.to_dict() if self.results else None,
        }
