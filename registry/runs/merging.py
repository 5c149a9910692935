"""Merge what the runners of a run's shards measured once each, and find where they contradict.

Rules: docs/decisions/0076.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from envyard.contract.connections import MAX_CONNECTIONS, Connection
from envyard.contract.facts import Facts, TaskResult, digest_of
from envyard.contract.findings import Finding, finding
from envyard.contract.judge import JudgeFacts
from envyard.contract.training import TrainingFacts

PROMPT_CHARACTERS = 1_000_000  # of all tasks together, as a runner has it for a run that is whole


@dataclass(frozen=True, slots=True)
class Part:
    """The facts of one shard, the indexes of its tasks, ascending, and its runner."""

    tasks: Sequence[int]
    runner: str
    facts: Facts

    def __str__(self) -> str:
        return f"tasks {self.tasks[0]} to {self.tasks[-1]} on {self.runner or 'no runner'}"


def merge(parts: Sequence[Part]) -> Facts:
    """The facts of the whole run; `parts` are in the order of their tasks.

    Durations and memory are those of the largest part, lists follow each other, counts are sums.
    Values that must be equal come from the first part: `contradictions` compares them.
    """
    facts = [part.facts for part in parts if part.facts.tasks]
    if not facts:
        return Facts()
    first = facts[0]
    return replace(
        first,
        install_seconds=_largest(each.install_seconds for each in facts),
        load_seconds=_largest(each.load_seconds for each in facts),
        packages=_largest(each.packages for each in facts),
        peak_memory_bytes=_largest(each.peak_memory_bytes for each in facts),
        sandbox=", ".join(sorted({each.sandbox for each in facts if each.sandbox})),
        tasks=_tasks(facts),
        hashes_again=_joined(each.hashes_again for each in facts),
        not_counted={k: v for each in facts for k, v in (each.not_counted or {}).items()} or None,
        right_replies=_joined(each.right_replies for each in facts),
        connections=_connections(facts),
        judge=_judge(facts),
        judge_checks=_joined(each.judge_checks for each in facts),
        mutants=_joined(each.mutants for each in facts),
        training=_training([each.training for each in facts if each.training]),
        loaded_tasks=_largest(each.loaded_tasks for each in facts),
        earlier_tasks="",
    )


def _training(parts: Sequence[TrainingFacts]) -> TrainingFacts | None:
    """The sums; with the first reason where no shard could compare a rollout."""
    if not parts:
        return None
    rollouts = sum(part.rollouts for part in parts)
    reason = "" if rollouts else parts[0].reason
    return TrainingFacts(rollouts, sum(part.differing for part in parts), reason)


def contradictions(parts: Sequence[Part]) -> list[Finding]:
    """An error for each value that is not the same in all shards, with the shards that differ."""
    loaded = [part for part in parts if part.facts.tasks]
    return [
        *_different(loaded, "framework_version", "run.runner_error"),
        *_different(loaded, "seed_entry", "run.shards_differ"),
        *_different(loaded, "seed_options", "run.shards_differ"),
        *_other_tasks(parts),
    ]


def _different(parts: Sequence[Part], name: str, code: str) -> Iterator[Finding]:
    """The first part whose value is another than that of the first."""
    for part in parts[1:]:
        values = getattr(parts[0].facts, name), getattr(part.facts, name)
        if values[0] != values[1]:
            message = f"{name} is {values[0]!r} in {parts[0]} and {values[1]!r} in {part}."
            yield finding(code, message, where=name)
            return


def _other_tasks(parts: Sequence[Part]) -> Iterator[Finding]:
    """A part that loaded other tasks before its own than those that other parts played."""
    hashes = [task.hash for part in parts for task in part.facts.tasks or ()]
    indexes = [task.index for part in parts for task in part.facts.tasks or ()]
    count = max((part.facts.loaded_tasks or 0 for part in parts), default=0)
    planned = [index for part in parts for index in part.tasks]
    if indexes != planned[: bisect_left(planned, count)]:
        message = f"The shards reported {len(indexes)} of the {count} tasks that were loaded."
        yield finding("run.runner_error", message)
        return
    for part in parts:
        loaded, earlier = part.facts.loaded_tasks, part.facts.earlier_tasks
        first, last = part.tasks[0], min(part.tasks[-1], indexes[-1] if indexes else 0)
        before = bisect_left(planned, first if loaded is None else min(first, loaded))
        ends_early = loaded is not None and loaded <= last
        if ends_early or (earlier and earlier != digest_of(hashes[:before])):
            message = (
                f"The environment loaded other tasks in {part} than in the shards before it, with "
                "the same wheel and the same seed."
            )
            yield finding("run.shards_differ", message, where="tasks")
            return


def _tasks(facts: Sequence[Facts]) -> list[TaskResult]:
    """All tasks; prompts are cut as they are in a run that is not split."""
    rows = [task for each in facts for task in each.tasks or ()]
    longest = PROMPT_CHARACTERS // max(1, len(rows))
    return [replace(task, prompt=task.prompt[:longest]) for task in rows]


def _largest(values: Iterable[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)


def _joined(lists: Iterable[list[Any] | None]) -> list[Any] | None:
    known = [rows for rows in lists if rows is not None]
    return [row for rows in known for row in rows] if known else None


def _connections(facts: Sequence[Facts]) -> list[Connection] | None:
    """Similar connections of several shards are one row."""
    merged: dict[tuple[str, int, str, str], Connection] = {}
    rows = [row for each in facts for row in each.connections or ()]
    for row in rows:
        key = (row.host, row.port, row.route, row.reason)
        before = merged.get(key)
        merged[key] = row if before is None else _sum(before, row)
    return list(merged.values())[:MAX_CONNECTIONS] or None


def _sum(one: Connection, other: Connection) -> Connection:
    return replace(
        one,
        sent=one.sent + other.sent,
        received=one.received + other.received,
        seconds=one.seconds + other.seconds,
        at=min(one.at, other.at),
        count=one.count + other.count,
    )


def _judge(facts: Sequence[Facts]) -> JudgeFacts | None:
    rows = [each.judge for each in facts if each.judge is not None]
    if not rows:
        return None
    asked: dict[str, int] = {}
    for row in rows:
        for name, calls in row.asked_models.items():
            asked[name] = asked.get(name, 0) + calls
    return replace(
        rows[0],
        calls=sum(row.calls for row in rows),
        unnamed=sum(row.unnamed for row in rows),
        tokens=sum(row.tokens for row in rows),
        seconds=sum(row.seconds for row in rows),
        over_budget=sum(row.over_budget for row in rows),
        asked_models=asked,
    )
