"""Problems that both splits pose under other names or numbers, which decide no answer.

The names may come from a small pool, so that none belongs to one task. What is left out must change
no answer: training tasks that are equal without it have equal answers, and there are too many of
them for chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES
from envyard_runner.survey.few_problems import (
    CHANCE,
    FEWEST,
    LABELS,
    MASKS,
    MAX_TASKS,
    MOST_COMMON,
    decides,
    log_chance,
)
from envyard_runner.survey.listing import Listed, plain

SHARE = 0.1  # of the evaluation tasks, from which on chance does not explain the problems


def with_shared_problems(
    survey: Survey, train: Sequence[Listed], evaluation: Sequence[Listed]
) -> Survey:
    """The survey with the evaluation tasks whose problem a training task poses under other names or
    numbers, as near ones. Only tasks with an answer show what decides it."""
    known = [task for task in train if task.prompt and task.answer is not None][:MAX_TASKS]
    each = (_shared(mask, known, evaluation[:MAX_TASKS]) for mask in MASKS)
    shared = max(each, key=len) if len(known) >= FEWEST else []
    near = len(shared) - survey.shared_exact
    if near <= survey.shared_near or len(shared) < SHARE * len(evaluation):
        return survey
    return replace(survey, shared_near=near, shared=shared[:MAX_INDICES])


def _shared(
    mask: Callable[[str], str], train: Sequence[Listed], evaluation: Sequence[Listed]
) -> list[int]:
    """The evaluation tasks that equal a training task behind the mask; none where that may hide
    what decides."""
    different = {task.key: task for task in train}.values()
    rows = [((mask(task.prompt), task.shown), plain(task.answer or "")) for task in different]
    answers = Counter(answer for _, answer in rows)
    varied = len(answers) >= LABELS and max(answers.values()) <= MOST_COMMON * len(rows)
    if not varied or not decides(rows) or log_chance(rows, answers) >= CHANCE:
        return []
    right = dict(rows)
    keys = ((task, (mask(task.prompt), task.shown)) for task in evaluation if task.prompt.strip())
    return [
        task.index
        for task, key in keys
        if key in right and (task.answer is None or plain(task.answer) == right[key])
    ]
