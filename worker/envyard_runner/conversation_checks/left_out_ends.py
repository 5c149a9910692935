"""Does a tool leave out the last of the days that it is asked for, though that is included?

A range that ends one too early gives honest policies other sums than the reference in the tasks
whose last day has entries. Pure functions of the references' calls.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from envyard.contract.probes import ORACLE
from envyard.contract.transcript import Transcript
from envyard_runner.conversation_checks.capped_lists import NAMES_MORE
from envyard_runner.gateway.courses.replies_in_turn import first_prompts, written
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of
from envyard_runner.probing.tool_schemas import name_of

KEPT, SEARCHED = 200, 20_000  # rollouts, characters of a result
REACHED, ENDS = 8, 3  # calls whose results reach the day before, and different last days of these
BEGINNING = re.compile(r"(?:^|_)(?:first|start|from|begin|since|min|low)(?:_|$)", re.IGNORECASE)
END = re.compile(r"(?:^|_)(?:last|end|to|until|till|max|high)(?:_|$)", re.IGNORECASE)
INCLUDED = re.compile(r"\binclu(?:ded|des|ding|sive(?:ly)?)\b", re.IGNORECASE)
EXCLUDED = re.compile(
    r"\bexclu(?:d\w*|siv\w*)\b|\bnot includ\w*|\bhalf-open\b|\bup to but\b|\bbut not\b",
    re.IGNORECASE,
)
DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
NUMBER = re.compile(r"(?<![\w.,/-])\d{1,6}(?!\w|[.,:/-]\d)")


@dataclass(frozen=True, slots=True)
class Period:
    """A call for a period: the tool, the call in words, first and last step, those that its result
    has, and the result."""

    tool: str
    call: str
    last: int
    steps: frozenset[int]
    is_day: bool
    result: str

    def kind(self, step: int) -> int:
        """What recurs in other periods: the day of the week, or the number itself."""
        return step % 7 if self.is_day else step


@dataclass(slots=True)
class LeftOutEnds:
    """The calls for periods that the references make, by rollout."""

    periods: dict[str, list[Period]] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        if record.policy == ORACLE and len(self.periods) < KEPT:
            self.periods[record.rollout] = [*_periods(record.recorder.transcript)]

    @property
    def left_out(self) -> dict[str, Period]:
        """By rollout, a call of a tool whose results reach the step before the last one in many
        calls and the last one in none, although others have entries of its kind."""
        by_tool: defaultdict[str, list[tuple[str, Period]]] = defaultdict(list)
        for rollout, periods in self.periods.items():
            for period in periods:
                by_tool[period.tool].append((rollout, period))
        for calls in by_tool.values():
            known = {each.kind(step) for _, each in calls for step in each.steps}
            reaching = [
                (rollout, each)
                for rollout, each in calls
                if each.last - 1 in each.steps and each.kind(each.last) in known
            ]
            ends = {each.kind(each.last) for _, each in reaching}
            has_last = any(each.last in each.steps for _, each in calls)
            if len(reaching) >= REACHED and len(ends) >= ENDS and not has_last:
                return dict(reversed(reaching))
        return {}


def _periods(transcript: Transcript) -> Iterator[Period]:
    results = results_of(transcript.messages)
    for call in calls_of(transcript.messages):
        given, result = arguments_of(call), results.get(str(call.get("id")), "")[:SEARCHED]
        bounds = _bounds(given)
        if bounds is None or NAMES_MORE.search(result):
            continue
        texts = f"{first_prompts(transcript)} {_described(transcript, call)}"
        if not INCLUDED.search(texts) or EXCLUDED.search(texts):
            continue
        first, last, is_day = bounds
        steps = _steps(result, is_day=is_day)
        if steps and first <= min(steps) and max(steps) <= last:
            tool = str(call["function"].get("name"))
            yield Period(tool, written(call), last, frozenset(steps), is_day, result)


def _bounds(given: dict[str, Any]) -> tuple[int, int, bool] | None:
    """First and last step of the one period that the arguments name, and whether these are days;
    None where they name none, or a single step."""
    firsts = [value for name, value in given.items() if BEGINNING.search(name)]
    lasts = [value for name, value in given.items() if END.search(name)]
    if len(firsts) != 1 or len(lasts) != 1:
        return None
    first, last = firsts[0], lasts[0]
    if isinstance(first, str) and isinstance(last, str):
        first, last, is_day = _ordinal(first), _ordinal(last), True
    else:
        is_day = False
    if not _is_step(first) or not _is_step(last) or first >= last:
        return None
    return first, last, is_day


def _steps(result: str, *, is_day: bool) -> set[int]:
    """The first day or number of each entry of a result; empty where an entry has none."""
    read: Callable[[str], int | None] = _first_day if is_day else _first_number
    steps = [read(entry) for entry in _entries(result)]
    known = {each for each in steps if each is not None}
    return known if len(known) and None not in steps else set()


def _first_day(text: str) -> int | None:
    match = DAY.search(text)
    return _ordinal(match[0]) if match else None


def _first_number(text: str) -> int | None:
    match = NUMBER.search(text)
    return int(match[0]) if match else None


def _entries(result: str) -> Sequence[str]:
    """The objects of a list in JSON, else the lines."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        return [json.dumps(each) for each in value]
    return [line for line in result.splitlines() if line.strip()]


def _ordinal(text: str) -> int | None:
    try:
        return date.fromisoformat(text.strip()).toordinal()
    except ValueError:
        return None


def _is_step(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _described(transcript: Transcript, call: dict[str, Any]) -> str:
    """What the tool of a call says of itself and of its parameters."""
    name = str(call["function"].get("name"))
    place = transcript.calls[0].tools
    offered = transcript.tools[place] if place >= 0 else []
    tools = (tool["function"] for tool in offered if name_of(tool) == name)
    return " ".join(json.dumps(tool, default=str) for tool in tools)
