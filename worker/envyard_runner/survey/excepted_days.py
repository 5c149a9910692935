"""Days of a period without certain weekdays and holidays, from which a holiday on such a weekday
is taken twice.

A formula of the days and the prompt's numbers (days beyond those allowed, at a rate) must give
nearly all answers where no listed holiday is on such a weekday.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import permutations

from envyard_runner.survey.calendar_rules import DATE, dates_in
from envyard_runner.survey.templates import Sample, numbers_in

ENOUGH, FITTING = 15, 0.95  # tasks without such a holiday that follow the formula, and their share
FEWEST, TWICE = 3, 0.8  # tasks with such a holiday that take it twice, and their share of these
MAX_TASKS, MAX_NUMBERS, LONGEST_PERIOD, TRIED, MISSES = 400, 10, 400, 12, 5
SATURDAY, SUNDAY = 5, 6
HOLIDAY = re.compile(r"\bholidays?\b", re.IGNORECASE)
LISTED_DAY = re.compile(rf"\s*(?:[-*\u2022]\s*)?(?:\w{{6,9}},? )?(?:{DATE.pattern})", re.IGNORECASE)
SATURDAYS = re.compile(r"\bsaturdays\b|\bweekends?\b|\bmondays? to fridays?\b", re.IGNORECASE)
SUNDAYS = re.compile(r"\bsundays\b", re.IGNORECASE)
SATURDAYS_COUNT = re.compile(r"\bsaturdays? (?:do |also )*(?:counts?|included)\b", re.IGNORECASE)
# What gives a holiday on a Sunday another day, or is calculated with other weekdays.
OTHERWISE = re.compile(
    r"\bsubstitut\w*|\bobserved\b|\bmove[sd]? to\b|\bin lieu\b"
    r"|\b(?:following|next) (?:working |week)?(?:day|monday)\b"
    r"|\bboth\b(?! (?:included|inclusive|days|dates|ends))"
    r"|\b(?:twice|double|in addition|additional\w*|separately|half[- ]days?|falls? on)\b"
    r"|\bfridays? (?:and|or) saturdays?\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Counted:
    """A sample with the days that count with both ends, those with the last one alone, how many
    holidays are on an excepted weekday in each, the numbers beside dates, and the answer."""

    sample: Sample
    days: tuple[int, int]
    shared: tuple[int, int]
    numbers: tuple[float, ...]
    answer: float


@dataclass(frozen=True, slots=True)
class Formula:
    """The answer by the days: of both ends or of the last alone, those beyond the number at
    `allowed`, or short of it, times the number at `rate`, of which a `half` counts below."""

    end: int
    allowed: int | None = None
    rate: int | None = None
    half: bool = False

    def gives(self, task: Counted, *, twice: bool = False) -> bool:
        """Whether it gives the answer; `twice` takes holidays on an excepted weekday twice."""
        return abs(self.value(task, twice=twice) - abs(task.answer)) < 0.005

    def value(self, task: Counted, *, twice: bool = False) -> float:
        """What it gives, without its sign."""
        days = float(task.days[self.end] - (task.shared[self.end] if twice else 0))
        if self.allowed is not None:
            days -= task.numbers[self.allowed]
        rate = task.numbers[self.rate] if self.rate is not None else 1.0
        return abs(days) * (rate / 2 if self.half and days < 0 else rate)


def excepted_days(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose answer follows from the days without excepted weekdays and holidays, and
    those that take a holiday on such a weekday twice, with the right answer; none where these are
    few."""
    tasks = [task for sample in samples[:MAX_TASKS] if (task := _read(sample))]
    sizes = Counter(len(task.numbers) for task in tasks)
    size = sizes.most_common(1)[0][0] if sizes else 0
    alike = [task for task in tasks if len(task.numbers) == size]
    if len(alike) < ENOUGH + FEWEST or size > MAX_NUMBERS:
        return [], []
    for formula in _formulas(size):
        some = alike[:TRIED]
        missed = sum(not each.shared[0] and not formula.gives(each) for each in some)
        if missed <= MISSES and (fit := _fit(formula, alike)):
            return fit
    return [], []


def _formulas(size: int) -> Iterator[Formula]:
    """The simple ones first."""
    for end in (0, 1):
        yield Formula(end)
        yield from (Formula(end, allowed=place) for place in range(size))
        yield from (Formula(end, rate=place) for place in range(size))
        for allowed, rate in permutations(range(size), 2):
            yield from (Formula(end, allowed, rate, half) for half in (False, True))


def _fit(
    formula: Formula, tasks: Sequence[Counted]
) -> tuple[list[Sample], list[tuple[Sample, str]]] | None:
    shared = [task for task in tasks if task.shared[formula.end]]
    alone = [task for task in tasks if not task.shared[formula.end]]
    agreeing = [task.sample for task in tasks if formula.gives(task)]
    right = sum(formula.gives(task) for task in alone)
    outliers = [
        (task.sample, f"{formula.value(task):.10g}")
        for task in shared
        if formula.gives(task, twice=True) and not formula.gives(task)
    ]
    different = len({sample.prompt for sample, _ in outliers})
    varied = len({sample.answer for sample in agreeing}) >= FEWEST
    if right < max(ENOUGH, FITTING * len(alone)) or not varied:
        return None
    return (agreeing, outliers) if different >= max(FEWEST, TWICE * len(shared)) else None


def _read(sample: Sample) -> Counted | None:
    """None where the prompt has no period, no holidays, or more of both than is read."""
    prompt = sample.prompt
    excepted = _excepted(prompt)
    amounts = AMOUNT.findall(DATE.sub(" ", sample.answer))
    if not excepted or OTHERWISE.search(prompt) or len(amounts) != 1:
        return None
    holidays, period = _dates(prompt)
    first, last = (min(period), max(period)) if len(period) == 2 else (date.min, date.min)
    if not holidays or not 1 < (last - first).days <= LONGEST_PERIOD:
        return None
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    counted = [each.weekday() not in excepted and each not in holidays for each in days]
    shared = [each.weekday() in excepted and each in holidays for each in days]
    return Counted(
        sample, (sum(counted), sum(counted[1:])), (sum(shared), sum(shared[1:])),
        tuple(numbers_in(DATE.sub(" ", prompt))), float(amounts[0].replace(",", "")),
    )  # fmt: skip


def _excepted(prompt: str) -> set[int]:
    """The weekdays that do not count."""
    if SATURDAYS.search(prompt) and not SATURDAYS_COUNT.search(prompt):
        return {SATURDAY, SUNDAY}
    return {SUNDAY} if SUNDAYS.search(prompt) else set()


def _dates(prompt: str) -> tuple[set[date], set[date]]:
    """The dates of sentences and lists of holidays, and all others."""
    holidays, others, listing = set[date](), set[date](), False
    for sentence in re.split(r"(?<=[.?!])\s+|\n+", prompt):
        names = bool(HOLIDAY.search(sentence))
        listing = names or (listing and LISTED_DAY.match(sentence) is not None)
        (holidays if listing else others).update(dates_in(sentence))
    return holidays, others
