"""The earliest arrival by the timetable of a prompt, as `mutation.journeys` reads it."""

from __future__ import annotations

import re

from envyard_runner.mutation.journeys import ANY_MINUTES, EARLIEST, MORE_WANTED, read_journey
from envyard_runner.mutation.timetables import TIMES, clock, minutes_of
from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has

LONGEST = 1_450  # characters of a prompt; a survey cuts longer ones, perhaps inside the timetable
ASKS = has(r"\barriv\w*|\breach\w*|\bbe (?:in|at|on)\b|\bget to\b")
HALVES = re.compile(r"\d ?[ap]\.?m\b", re.IGNORECASE)


def arrival(prompt: str) -> Solved | None:
    """The earliest arrivals in all readings of a prompt."""
    if len(prompt) > LONGEST or not ASKS(prompt) or (journey := read_journey(prompt)) is None:
        return None
    times = [journey.earliest(rules) for rules in (journey.usual, *journey.readings)]
    if times[0] is None:
        return None
    return Solved((*dict.fromkeys(clock(time) for time in times if time is not None),))


def normal_time(answer: str) -> str:
    """The only time of an answer as `09:05`; empty for others."""
    times = {match[0] for match in TIMES.finditer(answer)}
    return clock(minutes_of(times.pop())) if len(times) == 1 and not HALVES.search(answer) else ""


def is_ruled(text: str) -> bool:
    """Whether instructions speak of changes or wishes that a solver of prompts does not see."""
    more = ANY_MINUTES.search(text) or MORE_WANTED.search(text)
    return more is not None and read_journey(text) is None


RULES = (
    KnownRule("the earliest arrival by its timetable", EARLIEST, arrival, normal_time, is_ruled),
)
