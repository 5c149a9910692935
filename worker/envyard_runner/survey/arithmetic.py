"""Which calculation with the numbers of a prompt gives the answer, in most tasks of a template?

A calculation is a small tree of + - * / and the like over two to four of the numbers, by their
place in the prompt. It is tried on a few tasks first, so thousands of them cost little.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from envyard_runner.survey.templates import Sample, numbers_in

Value = float | None
Calculation = Callable[[Sequence[float]], Value]

MOST_NUMBERS = 5  # of a prompt whose calculations are tried
TRIED, FITTING = 16, 0.7  # tasks on which each is tried, and the share that it must give
LISTED = re.compile(r"\d\s*[,;]\s*(?:and )?-?\d[\d.]*\s*[,;]?\s*(?:and )?-?\d")  # three in a row
MOST_DECIMALS = 20  # of an answer; a float has fewer
LARGEST = 1e12  # beyond it a float is not exact
AMOUNT = re.compile(
    r"[^\w\n.-]{0,3}(-?)[^\w\n.-]{0,2}(\d[\d,]*)(?:\.(\d+))?(?:\s*[%°]|\s?[^\W\d_]{1,12}\.?)?"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An answer that is one number, perhaps with a unit."""

    value: float
    decimals: int

    @classmethod
    def of(cls, answer: str) -> Amount | None:
        """Read it; None where the answer is something else."""
        match = AMOUNT.fullmatch(answer.strip())
        if match is None or len(match[2]) > 15 or len(match[3] or "") > MOST_DECIMALS:
            return None
        fraction = match[3] or ""
        value = float(f"{match[1]}{match[2].replace(',', '')}.{fraction or 0}")
        return cls(value, len(fraction))

    def is_result(self, value: Value) -> bool:
        """Whether the number is this value, rounded or cut in whichever way."""
        if value is None or not math.isfinite(value) or abs(value) > LARGEST:
            return False
        unit: float = 10.0**-self.decimals
        exact = abs(value / unit - round(value / unit)) < 1e-6
        return abs(self.value - value) < (0.01 * unit if exact else unit * (1 - 1e-9))


@dataclass(frozen=True, slots=True)
class Rule:
    """One calculation in words, and what it makes of a prompt's numbers."""

    text: str
    of: Calculation


def fitting_rules(samples: Sequence[Sample], amounts: Sequence[Amount]) -> Iterator[Rule]:
    """The calculations that give most answers of the first tasks; the prompts have a template.

    None for numbers of a list, which text rules read: equal ones may count once.
    """
    if any(LISTED.search(sample.prompt) for sample in samples[:TRIED]):
        return
    rows = [numbers_in(sample.prompt) for sample in samples]
    size = min(map(len, rows))
    if size == max(map(len, rows)) == 1:
        yield from _lines([row[0] for row in rows], amounts)
    if not 2 <= size <= MOST_NUMBERS or size != max(map(len, rows)):
        return
    tried = [*zip(rows, amounts, strict=True)][:TRIED]
    misses = len(tried) - math.ceil(FITTING * len(tried))
    for rule in rules(size):
        missed = 0
        for row, amount in tried:
            missed += not amount.is_result(rule.of(row))
            if missed > misses:
                break
        else:
            yield rule


def _lines(numbers: Sequence[float], amounts: Sequence[Amount]) -> Iterator[Rule]:
    """The line through most pairs of number and answer, as of a conversion of units; none where one
    number is the answer."""
    pairs = sorted(zip(numbers, (amount.value for amount in amounts), strict=True))
    half = len(pairs) // 2
    slopes = [
        (y2 - y1) / (x2 - x1)
        for (x1, y1), (x2, y2) in zip(pairs[:half], pairs[-half:], strict=True)
        if x2 > x1
    ]
    if not slopes:
        return
    slope = statistics.median(slopes)
    intercept = statistics.median(y - slope * x for x, y in pairs)
    if slope and (slope, intercept) != (1, 0):
        text = f"about {slope:.4g} * number 1 + {intercept:.4g}"
        yield Rule(text, lambda row: slope * row[0] + intercept)


def simple_rules(size: int) -> Iterator[Rule]:
    """The calculations with two of `size` numbers."""
    for i, j in permutations(range(size), 2):
        for name, of in PAIRS.items():
            if i < j or name not in SYMMETRIC:
                yield Rule(name.format(_named(i), _named(j)), _pair(of, i, j))


def rules(size: int) -> Iterator[Rule]:
    """All calculations over `size` numbers, the simplest first."""
    yield from simple_rules(size)
    for i, j, k in permutations(range(size), 3):
        for name, of in PAIRS.items():
            if i < j or name not in SYMMETRIC:
                inner = name.format(_named(i), _named(j))
                yield from _extended(inner, _pair(of, i, j), k)
    if size >= 4:
        yield from _quadruples(size)


def _extended(inner: str, first: Calculation, k: int) -> Iterator[Rule]:
    for name, of in BASIC.items():
        yield Rule(name.format(f"({inner})", _named(k)), _then(of, first, k))
        if name not in SYMMETRIC:
            text = name.format(_named(k), f"({inner})")
            yield Rule(text, _then(_turned(of), first, k))


def _quadruples(size: int) -> Iterator[Rule]:
    for i, j, k, m in permutations(range(size), 4):
        if i > j or k > m or i > k:
            continue
        for left, first in BASIC.items():
            for right, second in BASIC.items():
                for name, of in BASIC.items():
                    text = name.format(
                        f"({left.format(_named(i), _named(j))})",
                        f"({right.format(_named(k), _named(m))})",
                    )
                    calculation = _both(of, _pair(first, i, j), _pair(second, k, m))
                    yield Rule(text, calculation)


def _named(place: int) -> str:
    return f"number {place + 1}"


def _pair(of: Callable[[float, float], Value], i: int, j: int) -> Calculation:
    return lambda row: of(row[i], row[j])


def _then(of: Callable[[float, float], Value], first: Calculation, k: int) -> Calculation:
    def calculate(row: Sequence[float]) -> Value:
        value = first(row)
        return None if value is None else of(value, row[k])

    return calculate


def _both(
    of: Callable[[float, float], Value], first: Calculation, second: Calculation
) -> Calculation:
    def calculate(row: Sequence[float]) -> Value:
        one, other = first(row), second(row)
        return None if one is None or other is None else of(one, other)

    return calculate


def _turned(of: Callable[[float, float], Value]) -> Callable[[float, float], Value]:
    return lambda one, other: of(other, one)


def _divided(one: float, other: float) -> Value:
    return one / other if other else None


def _whole(one: float, other: float) -> bool:
    return one.is_integer() and other.is_integer() and other != 0  # which no infinite one is


BASIC: dict[str, Callable[[float, float], Value]] = {
    "{} + {}": lambda a, b: a + b,
    "{} - {}": lambda a, b: a - b,
    "{} * {}": lambda a, b: a * b,
    "{} / {}": _divided,
}
PAIRS: dict[str, Callable[[float, float], Value]] = {
    **BASIC,
    "the remainder of {} / {}": lambda a, b: a % b if _whole(a, b) else None,
    "{} percent of {}": lambda a, b: a * b / 100,
    "{} less {} percent": lambda a, b: a * (1 - b / 100),
    "{} plus {} percent": lambda a, b: a * (1 + b / 100),
    "{} to the power of {}": lambda a, b: a**b if 0 < a < 1000 and 0 <= b <= 12 else None,
    "the difference of {} and {}": lambda a, b: abs(a - b),
    "the greatest common divisor of {} and {}": lambda a, b: (
        math.gcd(int(a), int(b)) if _whole(a, b) else None
    ),
    "the least common multiple of {} and {}": lambda a, b: (
        math.lcm(int(a), int(b)) if _whole(a, b) else None
    ),
    "the larger of {} and {}": max,
    "the smaller of {} and {}": min,
}
SYMMETRIC = frozenset(
    {"{} + {}", "{} * {}", "{} percent of {}", "the difference of {} and {}"}
    | {"the greatest common divisor of {} and {}", "the least common multiple of {} and {}"}
    | {"the larger of {} and {}", "the smaller of {} and {}"}
)
