"""Counts of values at least or at most a bound that leave out, or take in, the bound itself."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from envyard_runner.survey.templates import Sample, numbers_in

FEWEST, LISTED = 5, 3  # tasks that tell both counts apart, and values of a prompt
OFTEN = 0.2  # of the tasks with such a question: a number beside the list is the bound by chance
FITTING = 0.9  # of the tasks with such a question whose answer is one of both counts
SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\d))+")
# What says otherwise whether the bound counts.
DEFINED = re.compile(
    r"\b(?:inclusive\w*|including|included|equal|exclusive\w*|excluding|counts? as|strictly)\b",
    re.IGNORECASE,
)
ASKS = re.compile(r"\bhow many\b", re.IGNORECASE)
BOUND = re.compile(
    r"\b(?P<words>no more than|no less than|no fewer than|at least|at most|more than|less than"
    r"|fewer than|over|under|above|below|exceed(?:s|ing)?)"
    r" [$\u20ac\u00a3]?(?P<bound>-?\d[\d,]*(?:\.\d+)?)(?![\w.]*\d)",
    re.IGNORECASE,
)
AT_LEAST, MORE, AT_MOST, LESS = operator.ge, operator.gt, operator.le, operator.lt
BY_WORDS: dict[str, tuple[Callable[[float, float], bool], Callable[[float, float], bool]]] = {
    **dict.fromkeys(("at least", "no less than", "no fewer than"), (AT_LEAST, MORE)),
    **dict.fromkeys(("at most", "no more than"), (AT_MOST, LESS)),
    **dict.fromkeys(
        ("more than", "over", "above", "exceed", "exceeds", "exceeding"), (MORE, AT_LEAST)
    ),
    **dict.fromkeys(("less than", "fewer than", "under", "below"), (LESS, AT_MOST)),
}


def thresholds(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose answer is the count of the values of their prompt that the question means,
    and those that count the bound otherwise, with the right count; none where these are few, or
    where many answers are neither."""
    agreeing, outliers = [], []
    counted = [(each, counts) for each in samples if (counts := _counts(each.prompt))]
    for sample, (right, other) in counted:
        if sample.answer == right:
            agreeing.append(sample)
        elif sample.answer == other:
            outliers.append((sample, right))
    fitting = len(agreeing) + len(outliers) >= FITTING * len(counted)
    enough = len(outliers) >= max(FEWEST, OFTEN * len(counted))
    return (agreeing, outliers) if fitting and enough else ([], [])


def _counts(prompt: str) -> tuple[str, str] | None:
    """How many values the question means, and how many with the bound counted otherwise; None
    without such a question, or where several have a bound, or few values stand beside it."""
    questions = [each for each in SENTENCE.finditer(prompt) if ASKS.search(each[0])]
    bounds = [match for each in questions for match in BOUND.finditer(each[0])]
    if len(bounds) != 1 or DEFINED.search(prompt):
        return None
    rest = prompt
    for each in questions:
        rest = rest.replace(each[0], " ", 1)
    values, bound = numbers_in(rest), numbers_in(bounds[0]["bound"])[0]
    if len(values) < LISTED:
        return None
    right, other = (
        str(sum(holds(value, bound) for value in values))
        for holds in BY_WORDS[bounds[0]["words"].casefold()]
    )
    return right, other
