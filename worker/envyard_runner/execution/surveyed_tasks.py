"""Which tasks of a survey are played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from envyard.contract.facts import TaskResult
from envyard_runner.execution.guest_programs import REFERENCED_TASKS
from envyard_runner.mutation.kinds import form_of

PLAYED = 20  # references, spread over all tasks
OTHER_FORMS = 6  # of them, with forms of answers that the others lack


def spread(tasks: Sequence[TaskResult], answers: Mapping[int, str]) -> list[TaskResult]:
    """At most PLAYED tasks that have a reference, from the first to the last at equal distances,
    and among them those of OTHER_FORMS; `answers` are the known ones by index.

    The process that calls oracle() loads the first REFERENCED_TASKS.
    """
    able = [
        task
        for task in tasks
        if task.reference and not (task.hook and task.index >= REFERENCED_TASKS)
    ]
    forms = {each.index: form_of(answers[each.index]) for each in able if each.index in answers}
    usual = {forms.get(task.index, "") for task in _even(able, PLAYED)}
    common = Counter(form for form in forms.values() if form not in usual).most_common(OTHER_FORMS)
    wanted = {form for form, count in common if count > 1}
    other = {forms[task.index]: task for task in able[::-1] if forms.get(task.index) in wanted}
    chosen = {task.index: task for task in (*other.values(), *_even(able, PLAYED - len(other)))}
    return [chosen[index] for index in sorted(chosen)]


def _even(tasks: Sequence[TaskResult], number: int) -> list[TaskResult]:
    if len(tasks) <= number:
        return [*tasks]
    return [tasks[round(at * (len(tasks) - 1) / (number - 1))] for at in range(number)]
