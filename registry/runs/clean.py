"""Untrusted values made fit for any database: no NUL, no lone surrogate, no NaN, bounded size."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.codes import Finding
from envyard.contract.report import TaskReport, text
from registry.runs import limits

DETAILS_CHARACTERS = 20_000
DEPTH = 6


def seconds(value: float) -> float:
    """The duration within [0, LARGEST]; what is not finite counts as 0."""
    return max(0.0, min(value, limits.LARGEST)) if math.isfinite(value) else 0.0


def plain(value: Any, depth: int = DEPTH) -> Any:
    """The value as JSON that every database takes; what nests deeper becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) and abs(value) <= limits.LARGEST else text(value, 60)
    if depth and isinstance(value, dict):
        return {text(k, 80): plain(v, depth - 1) for k, v in list(value.items())[:100]}
    if depth and isinstance(value, list):
        return [plain(v, depth - 1) for v in value[:100]]
    return text(value, 4000)


def clean_finding(one: Finding) -> Finding:
    """The finding with texts and details that can be stored and shown."""
    details = plain(one.details)
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


def clean_messages(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first messages that fit MESSAGE_CHARACTERS, then one that says where it was cut."""
    kept: list[dict[str, Any]] = []
    room = limits.MESSAGE_CHARACTERS
    for message in messages:
        room -= len(json.dumps(message, ensure_ascii=False))
        if room < 0:
            cut = f"[hub] {len(messages) - len(kept)} of {len(messages)} messages cut here"
            return [*kept, {"role": "note", "content": cut}]
        kept.append(message)
    return kept


def clean_tasks(tasks: Sequence[TaskReport], most: int) -> list[TaskReport]:
    """One report for each index below `most`, in order; the first of an index counts."""
    first: dict[int, TaskReport] = {}
    for task in tasks:
        if 0 <= task.index < most:
            first.setdefault(task.index, task)
    return [first[index] for index in sorted(first)]
