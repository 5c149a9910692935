"""Answers by tables of bands in which a quantity at a limit lies in the other one of both bands.

A formula of the prompt's numbers must give the answers of nearly all other tasks: the value of the
band itself, or that times the quantity, with a surcharge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from envyard_runner.survey.arithmetic import Amount
from envyard_runner.survey.bands import Bands, bands_in, number_of
from envyard_runner.survey.templates import Sample, by_template, numbers_in

ENOUGH, FITTING = 15, 0.95  # tasks off the limits that follow the formula, and their share
FEWEST, AT_LIMITS = 3, 0.8  # tasks at limits with the other band, and their share of all such
MAX_NUMBERS, MAX_TASKS, TRIED, MISSES = 7, 400, 12, 5
TEMPLATES = 2
SCALES = (1.0, 0.1, 0.01, 0.001)
# What says that a limit belongs to the other band than the words of the table say.
OTHERWISE = re.compile(
    r"\b(?:belongs?|counts?|falls?|goes|charged|treated|rated|exactly|equal\w*)\b[^.,;\n]{0,60}"
    r"\b(?:below|beneath|before|lower|previous|preceding|cheaper|smaller|above|next|higher)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Banded:
    """A sample with its table, the numbers beside it, and its answer as a number."""

    sample: Sample
    bands: Bands
    numbers: tuple[float, ...]
    amount: Amount | None


@dataclass(frozen=True, slots=True)
class Formula:
    """Places of the numbers: the quantity is the number at `first`, or the product of those at
    `factors`, or the larger one of both. The answer is the value of its band; with `scale` times
    the quantity, and times 1 + `sign` * the number at `surcharge` / 100."""

    first: int | None
    factors: tuple[int, int] | None = None
    scale: float = 0.0
    surcharge: int | None = None
    sign: int = 1

    def quantity(self, numbers: Sequence[float]) -> float:
        """What is looked up."""
        values = [numbers[self.first]] if self.first is not None else []
        if self.factors:
            values.append(round(numbers[self.factors[0]] * numbers[self.factors[1]], 6))
        return max(values)

    def answer(self, task: Banded, *, otherwise: bool = False) -> str | float | None:
        """The answer: a text where it is the band's value itself."""
        quantity = self.quantity(task.numbers)
        value = task.bands.value(quantity, otherwise=otherwise)
        number = number_of(value)
        if not self.scale and self.surcharge is None and (task.amount is None or number is None):
            return value or None
        if number is None:
            return None
        percent = task.numbers[self.surcharge] if self.surcharge is not None else 0.0
        amount = number * (1 + self.sign * percent / 100)
        return amount * quantity * self.scale if self.scale else amount


def banded(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose answer follows from the table of their prompt, and those whose quantity is a
    limit and whose answer is that of the band to which the limit does not belong, each with the
    right one; none where these are few."""
    read = [(each, rest) for sample in samples[:MAX_TASKS] for each, rest in _read(sample)]
    for tasks in _groups(read):
        for formula in _formulas(len(tasks[0].numbers)):
            if _fits_some(formula, tasks) and (fit := _fit(formula, tasks)):
                return fit
    return [], []


def _read(sample: Sample) -> Iterator[tuple[Banded, str]]:
    read = bands_in(sample.prompt)
    if read and not OTHERWISE.search(read[1]):
        bands, rest = read
        yield Banded(sample, bands, tuple(numbers_in(rest)), Amount.of(sample.answer)), rest


def _groups(read: Sequence[tuple[Banded, str]]) -> Iterator[list[Banded]]:
    """The tasks with as many numbers beside their table as most have; then those of a template."""
    sizes = Counter(len(each.numbers) for each, _ in read)
    size = sizes.most_common(1)[0][0] if sizes else 0
    alike = [(each, rest) for each, rest in read if len(each.numbers) == size]
    rests = [Sample(at, rest, "") for at, (_, rest) in enumerate(alike)]
    groups = [rests, *by_template(rests)[:TEMPLATES]]
    for group in groups if 0 < size <= MAX_NUMBERS else ():
        if len(group) >= ENOUGH + FEWEST:
            yield [alike[each.task][0] for each in group]


def _formulas(size: int) -> Iterator[Formula]:
    """The simple ones first."""
    places, pairs = range(size), [*combinations(range(size), 2)]
    quantities: list[tuple[int | None, tuple[int, int] | None]] = [(n, None) for n in places]
    quantities += [(None, pair) for pair in pairs]
    quantities += [(n, pair) for n in places for pair in pairs if n not in pair]
    for first, factors in quantities:
        yield Formula(first, factors)
        for scale in SCALES:
            yield Formula(first, factors, scale)
    for first, factors in quantities:
        for surcharge in (n for n in places if n != first and n not in (factors or ())):
            for sign in (1, -1):
                for scale in (0.0, *SCALES):
                    yield Formula(first, factors, scale, surcharge, sign)


def _fits_some(formula: Formula, tasks: Sequence[Banded]) -> bool:
    misses = 0
    for task in tasks[:TRIED]:
        misses += not _gives(formula, task) and not _gives(formula, task, otherwise=True)
        if misses > MISSES:
            return False
    return True


def _fit(
    formula: Formula, tasks: Sequence[Banded]
) -> tuple[list[Sample], list[tuple[Sample, str]]] | None:
    agreeing, outliers, off, at, right_at = [], list[tuple[Sample, str]](), 0, 0, 0
    for task in tasks:
        is_right = _gives(formula, task)
        is_limit = formula.quantity(task.numbers) in task.bands.limits
        least = not is_right and task.amount is not None and _is_least(formula, task)
        at += is_limit and not least
        off += not is_limit and not least
        if is_right:
            agreeing.append(task.sample)
            right_at += is_limit
        elif is_limit and _gives(formula, task, otherwise=True):
            outliers.append((task.sample, _shown(formula, task)))
    different = len({sample.prompt for sample, _ in outliers})
    fits = len(agreeing) - right_at >= max(ENOUGH, FITTING * off)
    enough = different >= FEWEST and len(outliers) >= AT_LIMITS * at
    varied = len({sample.answer for sample in agreeing}) >= FEWEST
    return (agreeing, outliers) if fits and enough and varied else None


def _gives(formula: Formula, task: Banded, *, otherwise: bool = False) -> bool:
    value = formula.answer(task, otherwise=otherwise)
    if isinstance(value, float):
        return task.amount is not None and task.amount.is_result(value)
    return value is not None and value.casefold() == task.sample.answer.casefold()


def _is_least(formula: Formula, task: Banded) -> bool:
    """Whether the answer is a number of the prompt and more than the formula gives."""
    value = formula.answer(task)
    return isinstance(value, float) and any(
        value < number and task.amount is not None and task.amount.is_result(number)
        for number in task.numbers
    )


def _shown(formula: Formula, task: Banded) -> str:
    value = formula.answer(task)
    if isinstance(value, float) and task.amount:
        return f"{value:.{task.amount.decimals}f}"
    return str(value)
