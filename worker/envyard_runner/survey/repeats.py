"""Copies among tasks without answer fields whose other data differ and change nothing.

Of tasks that are answered in one reply without tools, played references show whether the prompt
decides the answer; a field that numbers the rows decides nothing. docs/decisions/0078 gives the
reasons.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES
from envyard_runner.survey.listing import (
    EVAL,
    TRAIN,
    WHOLE,
    Listed,
    Listing,
    overlap,
    plain,
    repeated_tasks,
)

PLAYED = 3  # references of one reply
PAIRS = 3  # of tasks with one prompt and one answer, from which on prompts decide
CHANCE = 0.01  # that tasks with other secrets have one answer in all of these pairs
FEWEST, DISTINCT = 20, 0.9  # tasks, and the share of different prompts, from which on these decide
NUMBERED = re.compile(r"(\D*)(\d+)(\D*)")


def recounted(listing: Listing, survey: Survey, played: Mapping[int, str]) -> Survey:
    """The survey with those repeats and that overlap which the answers of the references `played`
    show: of training tasks, each in one reply that was paid."""
    train, evaluation = listing.tasks[TRAIN], listing.tasks[EVAL]
    known = {task.index: task.answer for task in train if task.answer is not None} | {**played}
    groups = _groups(train, known)
    same = all(len(set(group)) == 1 for group in groups)
    if len(played) < PLAYED or not same or all(task.answer is not None for task in train):
        return survey
    names = numbering(train)
    decided = prompts_decide(groups) or _are_distinct(train)
    if not names and not decided:
        return survey
    train, evaluation = (
        [_reduced(task, names, decided=decided) for task in each] for each in (train, evaluation)
    )
    exact, near = repeated_tasks(train)
    shared_exact, shared_near = overlap(train, evaluation)
    return replace(
        survey,
        exact=exact,
        near=near,
        shared_exact=len(shared_exact),
        shared_near=len(shared_near),
        shared=sorted([*shared_exact, *shared_near])[:MAX_INDICES],
    )


def numbering(tasks: Sequence[Listed]) -> frozenset[str]:
    """The fields that number the tasks or name each with a random id, in whatever order.

    Numbers follow one another without a gap; one task may lack its number, a zero that is left out.
    """
    values: defaultdict[str, list[str]] = defaultdict(list)
    unanswered = [task for task in tasks if task.answer is None]
    for task in unanswered:
        for name, value in task.numbers:
            values[name].append(value)
    return frozenset(
        name
        for name, each in values.items()
        if len(unanswered) - 1 <= len(each) == len(set(each)) and len(each) > 2 and _numbers(each)
    )


def _numbers(values: Sequence[str]) -> bool:
    """Whether different values are ids, or numbers without a gap in one frame."""
    numbered = [match for value in values if (match := NUMBERED.fullmatch(value))]
    if not numbered:
        return True  # guest/listing.py sends no other texts than numbers and ids
    numbers = {int(match[2]) for match in numbered}
    frames = {(match[1], match[3]) for match in numbered}
    return len(frames) == 1 and max(numbers) - min(numbers) + 1 == len(numbers) == len(values)


def _groups(tasks: Sequence[Listed], known: Mapping[int, str]) -> list[list[str]]:
    """The known answers of the tasks that show a policy the same, for each such text."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for task in tasks:
        if task.index in known and task.prompt.strip() and len(task.prompt) < WHOLE:
            groups[task.key].append(plain(known[task.index]))
    return [*groups.values()]


def prompts_decide(groups: Sequence[Sequence[str]]) -> bool:
    """Whether tasks with one prompt have one answer more often than chance explains: where all
    tasks have the same answer, equal ones show nothing."""
    pairs = sum(len(group) - 1 for group in groups)
    counts = Counter(answer for group in groups for answer in group)
    equal = sum((count / counts.total()) ** 2 for count in counts.values())
    return pairs >= PAIRS and equal**pairs <= CHANCE


def _are_distinct(tasks: Sequence[Listed]) -> bool:
    """Whether nearly every task has a prompt of its own: no secret then decides its answer."""
    prompts = {task.key for task in tasks if len(task.prompt) < WHOLE}
    return len(tasks) >= FEWEST and len(prompts) >= DISTINCT * len(tasks)


def _reduced(task: Listed, names: frozenset[str], *, decided: bool) -> Listed:
    """The task without those of its other data that change nothing."""
    if task.answer is not None or len(task.prompt) >= WHOLE:
        return task
    others = [f"{name}={value}" for name, value in task.numbers if name not in names]
    return replace(task, hidden="" if decided else "\n".join([task.rest, *sorted(others)]))
