"""Tasks that are judged otherwise than others, by wrong changes of their right answers.

An environment may be strict in the tasks that an evaluation plays, or for some kinds of tasks only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envyard.card.evidence import Evidence
from envyard.card.mutants import corrupting, difference
from envyard.contract.findings import Finding, finding
from envyard.contract.mutants import PLAIN, MutantResult

CHANGES = 2  # of different operators in a task, from which on it is lenient or strict
FEWEST, SHARE = 3, 0.1  # lenient tasks that are named, and their share
OTHERS, NEARLY_ALL = 8, 0.8  # tasks beyond the evaluated ones, and the share of lenient ones
CERTAIN = 0.01  # probability that chance alone leaves the evaluated tasks strict
NAMED = 10


@dataclass(frozen=True, slots=True)
class JudgedTask:
    """A task by its wrong changes: `lenient` where all kept the reward, `kept` is one of them."""

    task: int
    lenient: bool
    kept: MutantResult | None


def judged_tasks(results: Sequence[MutantResult]) -> list[JudgedTask]:
    """The tasks in which several plain changes counted, in order."""
    score = corrupting(results)
    survivors, by_task = {*score.survivors}, defaultdict[int, list[MutantResult]](list)
    for result in score.results:
        if result.operator in PLAIN:
            by_task[result.task].append(result)
    return [
        JudgedTask(task, {*changes} <= survivors, changes[0] if changes[0] in survivors else None)
        for task, changes in sorted(by_task.items())
        if len({each.operator for each in changes}) >= CHANGES
    ]


def unlike_tasks(evidence: Evidence) -> Iterator[Finding]:
    """The finding about tasks in which wrong answers are paid although others refuse them: an error
    where the tasks that the run played are the strict ones."""
    survey = evidence.facts.survey
    played = judged_tasks(evidence.facts.mutants or ())
    first = {each.index for each in evidence.facts.tasks or ()}
    surveyed = judged_tasks(survey.mutants if survey else ())
    others = [each for each in surveyed if each.task not in first]
    if _only_played_are_strict(played, others):
        message = (
            f"Wrong changes of right answers lost the reward in the {len(played)} tasks that the "
            f"run played, and kept it in {_lenient(others)} of {len(others)} other tasks, "
            f"{_example(others)}."
        )
        yield finding("card.played_tasks_differ", message, tasks=_named(others))
        return
    tasks = [*played, *surveyed]
    lenient = _lenient(tasks)
    if lenient >= max(FEWEST, SHARE * len(tasks)) and len(tasks) - lenient >= FEWEST:
        message = (
            f"In {lenient} of {len(tasks)} tasks each wrong change of the right answer kept the "
            f"reward, {_example(tasks)}; the other tasks refuse such changes."
        )
        yield finding("card.lenient_tasks", message, tasks=_named(tasks))


def _only_played_are_strict(played: Sequence[JudgedTask], others: Sequence[JudgedTask]) -> bool:
    if len(played) < FEWEST or len(others) < OTHERS or _lenient(played):
        return False
    n, strict = len(played) + len(others), len(played) + len(others) - _lenient(others)
    chance = math.comb(strict, len(played)) / math.comb(n, len(played))
    return _lenient(others) >= NEARLY_ALL * len(others) and chance < CERTAIN


def _lenient(tasks: Sequence[JudgedTask]) -> int:
    return sum(each.lenient for each in tasks)


def _named(tasks: Sequence[JudgedTask]) -> list[int]:
    return [each.task for each in tasks if each.lenient][:NAMED]


def _example(tasks: Sequence[JudgedTask]) -> str:
    first = next(each for each in tasks if each.lenient)
    change = f": {difference(first.kept)}" if first.kept else ""
    return f"such as task {first.task}{change}"
