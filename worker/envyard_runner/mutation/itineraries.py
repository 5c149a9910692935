"""Other itineraries of a timetable in a prompt: one that arrives as early as the reference, and one
with a change that is shorter than the prompt allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from envyard_runner.mutation.journeys import Journey, Rules, read_journey
from envyard_runner.mutation.routes import ANY_RIGHT, places_of
from envyard_runner.mutation.timetables import Leg

MOST_LEGS = 8
STEPS = 20_000  # legs that a search tries
# Words that choose one of several itineraries with the same arrival.
CHOICE = re.compile(
    r"\bties?\b|\b(?:if|where) (?:several|more than one|two|there (?:is|are)|multiple|both)\b"
    r"|\bsame (?:arrival|time)|\bequal",
    re.IGNORECASE,
)
PREFERRED = re.compile(
    r"\balphabet|\blexico|\blowest\b|\bhighest\b|\bsmallest\b|\bminimi|\bfew\b|\bless\b|\bmore\b"
    r"|\b(?<!at )least\b|\bmost\b|\bbest\b|\boptim|\bcomes first\b|\bearliest depart|\bthe one\b"
    r"|\blast\b(?! line)|\brather\b|\bthen (?:the|by)\b|\bleav\w+ (?:as )?late",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """The itinerary of an answer, which is one of the earliest, and what writes others so."""

    journey: Journey
    legs: tuple[Leg, ...]
    written: Callable[[Sequence[Leg]], str]

    @property
    def arrives(self) -> int:
        """When it reaches the target, in minutes after midnight."""
        return self.legs[-1].arrives


def other_itinerary(answer: str, prompt: str) -> str | None:
    """Another itinerary with the same arrival and no more legs, where the prompt chooses none."""
    reference = _reference(answer, prompt)
    if reference is None:
        return None
    text = reference.journey.text
    if PREFERRED.search(text) or (CHOICE.search(text) and not ANY_RIGHT.search(text)):
        return None
    rules, most = reference.journey.strict, len(reference.legs)
    for legs, short in _itineraries(reference, rules, most, shorts=0):
        if not short and legs[-1].arrives == reference.arrives and legs != reference.legs:
            return reference.written(legs)
    return None


def short_change(answer: str, prompt: str) -> str | None:
    """An itinerary that arrives no later, with one change shorter than the minimum."""
    reference = _reference(answer, prompt)
    if reference is None or not reference.journey.has_minimum:
        return None
    strict, usual = reference.journey.strict, reference.journey.usual
    rules, most = Rules(strict.ready, usual.change), len(reference.legs) + 1
    for legs, short in _itineraries(reference, rules, most, shorts=1):
        if short:
            return reference.written(legs)
    return None


def _reference(answer: str, prompt: str) -> Reference | None:
    """The itinerary of an answer; None where its codes are none that arrives earliest."""
    journey = read_journey(prompt)
    read = places_of(answer.strip(), fewest=1)
    if journey is None or read is None or not all(leg.code for leg in journey.legs):
        return None
    (codes, write), by_code = read, {leg.code: leg for leg in journey.legs}
    shown = {code: code for code in by_code}
    if not by_code.keys() >= {*codes}:  # `12` for `Train 12`
        shown = {code: code.rpartition(" ")[2] for code in by_code}
        by_code = {shown[code]: leg for code, leg in by_code.items()}
    if len(by_code) < len(journey.legs) or not by_code.keys() >= {*codes}:
        return None
    legs = (*(by_code[code] for code in codes),)
    if not is_possible(legs, journey, journey.usual) or len(legs) > MOST_LEGS:
        return None
    if legs[-1].arrives != journey.earliest(journey.usual):
        return None
    return Reference(journey, legs, lambda others: write([shown[leg.code] for leg in others]))


def is_possible(legs: Sequence[Leg], journey: Journey, rules: Rules) -> bool:
    """Whether these legs lead from start to target by these rules."""
    ends = (legs[0].start, legs[-1].end) == (journey.start, journey.target)
    joined = all(leg.end == after.start for leg, after in pairwise(legs))
    waits = all(after.leaves - leg.arrives >= rules.change for leg, after in pairwise(legs))
    return ends and joined and waits and legs[0].leaves >= rules.ready


def _itineraries(
    reference: Reference, rules: Rules, most: int, shorts: int
) -> Iterator[tuple[tuple[Leg, ...], int]]:
    """Itineraries of up to `most` legs that arrive no later and pass no place twice, each with the
    number of its changes that are shorter than the minimum, up to `shorts`."""
    journey, steps = reference.journey, 0
    leaving: dict[str, list[Leg]] = {}
    for leg in sorted(journey.legs, key=lambda leg: (leg.leaves, leg.code)):
        if leg.arrives <= reference.arrives:
            leaving.setdefault(leg.start, []).append(leg)
    stack: list[tuple[tuple[Leg, ...], int]] = [((), 0)]
    while stack and steps < STEPS:
        legs, short = stack.pop()
        here = legs[-1].end if legs else journey.start
        if here == journey.target:
            yield legs, short
            continue
        passed = {journey.start, *(leg.end for leg in legs)}
        for leg in leaving.get(here, []) if len(legs) < most else []:
            steps += 1
            gap = leg.leaves - legs[-1].arrives if legs else rules.change
            is_short = gap < rules.change
            early = leg.leaves < rules.ready if not legs else gap < 0
            if not early and leg.end not in passed and short + is_short <= shorts:
                stack.append(((*legs, leg), short + is_short))
