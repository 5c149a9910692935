"""Copies of tasks that differ in a number that only names them, such as `Ticket 30127`, or in the
names and numbers of a frame, such as who took a note and on which day.

What names a task decides nothing: tasks that are equal without it then have one answer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES
from envyard_runner.survey.listing import Listed, overlap, plain, repeated_tasks
from envyard_runner.survey.places import IDENTIFIER
from envyard_runner.survey.repeats import prompts_decide

FEWEST, NEARLY_ALL = 20, 0.9  # tasks, and the share of them that have such a number
DIFFERENT = 0.9  # of the numbers
VARIED = 10  # different answers
# A heading such as `Desk 12.` or `#12:`.
HEADING = re.compile(r"\W{0,3}(?:[^\W\d_]{1,20} ){0,2}#?(\d{1,9})(?=[ \t]?(?:[:)\]\n]|[.-]\s))")
# A number, or a word with a capital that begins no sentence.
DETAIL = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w.]*\d)|(?<=[a-z\d,;(] )[A-Z][a-z]+")
Mask = Callable[[str], tuple[str, str]]


def without_numbers(
    train: Sequence[Listed], evaluation: Sequence[Listed], survey: Survey
) -> Survey:
    """The survey with the repeats and the overlap that a naming number hid, as near ones."""
    masks = (_identifier, _heading, _details)
    mask = next((mask for mask in masks if _names(mask, train, evaluation)), None)
    if mask is None:
        return survey
    train, evaluation = ([_masked(task, mask) for task in each] for each in (train, evaluation))
    exact, near = repeated_tasks(train)
    shared_exact, shared_near = overlap(train, evaluation)
    shared = sorted([*shared_exact, *shared_near])
    return replace(
        survey,
        near=max(survey.near, exact + near - survey.exact),
        shared_near=max(survey.shared_near, len(shared) - survey.shared_exact),
        shared=shared[:MAX_INDICES] or survey.shared,
    )


def _names(mask: Mask, train: Sequence[Listed], evaluation: Sequence[Listed]) -> bool:
    """Whether nearly all tasks have such a number, of their own, and it decides no answer."""
    numbers = [number for task in train if (number := mask(task.prompt)[1])]
    usual = len(numbers) >= max(FEWEST, NEARLY_ALL * len(train))
    if not usual or len({*numbers}) < DIFFERENT * len(numbers):
        return False
    groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for task in (*train, *evaluation):
        if task.answer is not None:
            rest = f"{mask(task.prompt)[0]}\0{task.shown}"
            groups[rest].setdefault(task.prompt, plain(task.answer))
    answers = [[*group.values()] for group in groups.values()]
    if mask is _details and len({each for group in answers for each in group}) < VARIED:
        return False  # with few labels, such as `unknown`, what is masked may decide
    return prompts_decide(answers) and all(len({*each}) == 1 for each in answers)


def _masked(task: Listed, mask: Mask) -> Listed:
    return replace(task, prompt=mask(task.prompt)[0])


def _identifier(prompt: str) -> tuple[str, str]:
    """The prompt without its first identifier, and that; both as they are where it has none."""
    match = IDENTIFIER.search(prompt.casefold())
    if match is None or len(prompt.casefold()) != len(prompt):
        return prompt, ""
    return prompt[: match.start()] + prompt[match.end() :], match["digits"]


def _heading(prompt: str) -> tuple[str, str]:
    """The prompt without the heading that it begins with, and its number."""
    match = HEADING.match(prompt)
    return (prompt[match.end() :], match[1]) if match else (prompt, "")


def _details(prompt: str) -> tuple[str, str]:
    """The prompt without its names and numbers, and those."""
    return DETAIL.sub("", prompt), " ".join(DETAIL.findall(prompt))
