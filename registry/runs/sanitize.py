"""Untrusted values as any database can store them: no NUL, lone surrogate or NaN, bounded size."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from envyard.contract.facts import TaskResult
from envyard.contract.findings import Finding
from envyard.contract.runner_events import RolloutResult
from envyard.contract.values import MAX_NUMBER, plain, text

DETAIL_CHARACTERS = 10_000  # of one text: the end of a traceback names the error
DETAILS_CHARACTERS = 20_000


def seconds(value: float) -> float:
    """The duration within [0, LARGEST]; a value that is not finite counts as 0."""
    return max(0.0, min(value, MAX_NUMBER)) if math.isfinite(value) else 0.0


def reward(result: RolloutResult) -> tuple[float | None, str]:
    """The reward and its text: neither for a failed rollout, whatever it claims, and only the text
    for a number too large for sums."""
    value = result.reward if result.ok else None
    if value is not None and abs(value) > MAX_NUMBER:
        return None, repr(value)
    return value, result.reward_text


def clean_finding(finding: Finding) -> Finding:
    """The finding with texts and details that can be stored and shown."""
    details = plain(finding.details, limit=DETAIL_CHARACTERS)
    if len(json.dumps(details)) > DETAILS_CHARACTERS:
        details = {"cut": f"details were larger than {DETAILS_CHARACTERS} characters"}
    return replace(
        finding,
        code=text(finding.code, 79)[:80],
        message=text(finding.message, 4000),
        hint=text(finding.hint, 1000),
        where=text(finding.where, 290)[:300],
        details=details,
    )


def clean_tasks(tasks: Sequence[TaskResult], indexes: Sequence[int]) -> list[TaskResult]:
    """One report for each of the indexes, in order; the first of an index counts."""
    first: dict[int, TaskResult] = {}
    own = indexes if isinstance(indexes, range) else frozenset(indexes)
    for task in tasks:
        if task.index in own:
            first.setdefault(task.index, task)
    return [first[index] for index in sorted(first)]
