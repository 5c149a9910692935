"""Untrusted values made fit for any database: no NUL, no lone surrogate, no NaN, bounded size."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from envyard.contract.findings import Finding
from envyard.contract.runner_events import RolloutResult, TaskResult
from envyard.contract.values import LARGEST, plain, text

DETAIL_CHARACTERS = 10_000  # of one text: the end of a traceback names the error
DETAILS_CHARACTERS = 20_000


def seconds(value: float) -> float:
    """The duration within [0, LARGEST]; what is not finite counts as 0."""
    return max(0.0, min(value, LARGEST)) if math.isfinite(value) else 0.0


def reward(one: RolloutResult) -> tuple[float | None, str]:
    """The reward and its text: none for a failed rollout, whatever it claims, and the text alone
    for a number too large for sums."""
    value = one.reward if one.ok else None
    if value is not None and abs(value) > LARGEST:
        return None, repr(value)
    return value, one.reward_text


def clean_finding(one: Finding) -> Finding:
    """The finding with texts and details that can be stored and shown."""
    details = plain(one.details, limit=DETAIL_CHARACTERS)
    if len(json.dumps(details)) > DETAILS_CHARACTERS:
        details = {"cut": f"details were larger than {DETAILS_CHARACTERS} characters"}
    return replace(
        one,
        code=text(one.code, 79)[:80],
        message=text(one.message, 4000),
        hint=text(one.hint, 1000),
        where=text(one.where, 290)[:300],
        details=details,
    )


def clean_tasks(tasks: Sequence[TaskResult], most: int) -> list[TaskResult]:
    """One report for each index below `most`, in order; the first of an index counts."""
    first: dict[int, TaskResult] = {}
    for task in tasks:
        if 0 <= task.index < most:
            first.setdefault(task.index, task)
    return [first[index] for index in sorted(first)]
