"""List the tasks of a loaded environment by their texts, bounded in time, number and size.

Source of the events `tasks` and `listed`, of which the runner computes duplicates and overlap.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .adapter import FrameworkAdapter, Task
from .events import Events
from .job import GuestJob

ROWS = 300  # of one event
ROW_CHARACTERS = 1_500  # of a prompt
LINES = 400  # of a longer prompt, whose lengths are listed
ANSWER_CHARACTERS = 200
EVENT_CHARACTERS = 120_000
ALL_CHARACTERS = 40_000_000  # four bytes each stay below what a sandbox may report
KEPT = 300  # tasks whose references may be played
ENDLESS_TASKS = 2_000  # of an environment whose tasks never end
NAMES = frozenset({"idx", "index", "id", "name", "example_id", "prompt", "answer", "question"})
NUMBERS, NAME = 6, 40  # fields that may number a task, and characters of a name or a value
NUMBER = re.compile(
    r"[^\W\d]{0,20}[ _.:/#-]?\d{1,15}|"
    r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}", re.ASCII
)  # fmt: skip
SEED = re.compile("seed", re.IGNORECASE)  # such a number decides what a task is
TRAIN, EVAL = "train", "eval"


class ListingTimeout(BaseException):
    """The time for listing is over. Not an Exception, so that no environment handles it."""


@dataclass(slots=True)
class Spread:
    """The first tasks and, behind them, one of each block of tasks, drawn by chance; with the last
    at most KEPT and one more. No code can know which: a task's index decides nothing.
    """

    first: int
    block: int = 1
    kept: list[Task] = field(default_factory=list)  # behind the first ones, one of each block
    last: Task | None = None
    _first: list[Task] = field(default_factory=list)
    _dice: random.Random = field(default_factory=random.SystemRandom)

    def add(self, task: Task) -> None:
        """Keep the task, or not; of two blocks one task stays where there are too many."""
        if task.index < self.first:
            self._first.append(task)
            return
        self.last = task
        place = (task.index - self.first) % self.block
        if place == 0:
            self.kept.append(task)
        elif self._dice.randrange(place + 1) == 0:
            self.kept[-1] = task
        if len(self.kept) > KEPT - self.first:
            pairs = zip(self.kept[::2], self.kept[1::2], strict=False)
            odd = self.kept[len(self.kept) // 2 * 2 :]
            self.kept, self.block = [*map(self._dice.choice, pairs), *odd], 2 * self.block

    @property
    def tasks(self) -> list[Task]:
        """The kept ones in order."""
        behind = self.last is not None and (not self.kept or self.kept[-1] is not self.last)
        return [*self._first, *self.kept, *([self.last] if behind and self.last else [])]


def list_tasks(
    job: GuestJob, adapter: FrameworkAdapter, loaded: Sequence[Task], events: Events
) -> list[Task]:
    """Emit the texts of up to `job.listed_tasks` tasks; the `loaded` ones and others spread over
    all of them."""
    if job.listed_tasks <= len(loaded):
        return [*loaded]
    spread = Spread(len(loaded))
    listing = Listing(job, adapter, events, ends=time.monotonic() + job.listing_seconds)
    listing.emit(TRAIN, adapter.every_task(job.listed_tasks), spread.add)
    listing.emit(EVAL, adapter.evaluation_tasks(job.listed_tasks), lambda _: None)
    return [*loaded, *(task for task in spread.tasks if task.index >= len(loaded))]


class Listing:
    """The events of one environment's tasks; `ends` is when the time is over (monotonic)."""

    def __init__(
        self, job: GuestJob, adapter: FrameworkAdapter, events: Events, *, ends: float
    ) -> None:
        self._job, self._adapter, self._events, self._ends = job, adapter, events, ends

    def emit(self, split: str, tasks: Iterable[Task] | None, keep: Callable[[Task], None]) -> None:
        """Emit the rows of these tasks, and how the listing of this split ended.

        Nothing where there is no such split. An exception of the environment's ends it too.
        """
        if tasks is None:
            return
        endless = split == TRAIN and not self._adapter.bounded
        limit = min(self._job.listed_tasks, ENDLESS_TASKS if endless else self._job.listed_tasks)
        count, complete, error = 0, False, ""
        rows = Rows(self._events, split)
        try:
            with interrupted(self._ends):
                for task in tasks:
                    rows.add(row_of(task, self._adapter.fields(task)))
                    keep(task)
                    count += 1
                    full = count >= limit or rows.size > ALL_CHARACTERS
                    if full or time.monotonic() > self._ends:
                        break
                else:
                    complete = True
        except ListingTimeout:
            pass
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"[:500]
        rows.flush()
        self._events.emit(
            "listed", split=split, count=count, complete=complete, endless=endless, error=error
        )


class Rows:
    """Rows that are emitted many at once; `size` counts the characters of all."""

    def __init__(self, events: Events, split: str) -> None:
        self._events, self._split = events, split
        self._rows: list[list[Any]] = []
        self._pending = self.size = 0

    def add(self, row: list[Any]) -> None:
        """Add one row."""
        self._rows.append(row)
        characters = sum(len(cell) for cell in row if isinstance(cell, str))
        self._pending += characters
        self.size += characters
        if len(self._rows) >= ROWS or self._pending >= EVENT_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Emit what was added since."""
        if self._rows:
            self._events.emit("tasks", split=self._split, rows=self._rows)
        self._rows, self._pending = [], 0


def row_of(task: Task, fields: dict[str, Any]) -> list[Any]:
    """A task's index, prompt, answer (None without one), split, and two digests: of what a policy
    is shown beyond text, and of all other data but names. Empty where there is none.

    Without an answer also a digest of the other data less what may only number the task, and this
    as a JSON object. Last the lengths of the lines of a prompt that is too long for its row."""
    prompt = fields.get("prompt")
    shown = [part for part in _parts(prompt) if part.get("type") not in ("text", None)]
    answer = task.answer if task.answer is not None else fields.get("answer")
    text = answer if isinstance(answer, str | None) else json.dumps(answer, default=str)
    others = {key: value for key, value in fields.items() if key not in NAMES and value}
    hidden = _without_answer(others, text or None)
    numbers: dict[str, str] = {}
    rest = {} if text and text.strip() else _without_numbers(others, numbers)
    return [
        task.index,
        task.prompt[:ROW_CHARACTERS] if prompt else "",  # not what only names the task
        None if text is None else _bounded(text),
        task.split or "",
        _digest(shown),
        _digest(hidden),
        _digest(rest),
        json.dumps(numbers) if numbers else "",
        _line_lengths(task.prompt) if prompt else "",
    ]


def _line_lengths(prompt: str) -> str:
    """The lengths of a long prompt's lines; empty where it has too many."""
    if len(prompt) < ROW_CHARACTERS or prompt.count("\n") >= LINES:
        return ""
    return ",".join(str(len(line)) for line in prompt.split("\n"))


def _parts(prompt: Any) -> Iterator[dict[str, Any]]:
    """The parts of all messages."""
    for message in prompt if isinstance(prompt, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict):
                yield part


def _without_answer(value: Any, answer: str | None, depth: int = 6) -> Any:
    """The value with a mark for each text that is the answer, also in JSON."""
    if answer is None or depth == 0:
        return value
    if isinstance(value, dict):
        return {key: _without_answer(each, answer, depth - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_answer(each, answer, depth - 1) for each in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return _without_answer(json.loads(value), answer, depth - 1)
        except ValueError:
            return value
    return None if isinstance(value, str | int | float) and str(value) == answer else value


def _without_numbers(data: dict[str, Any], numbers: dict[str, str], at: str = "") -> dict[str, Any]:
    """The data without up to NUMBERS numbers and ids, which are added to `numbers` by their names;
    also those one level below, in a mapping or in JSON."""
    rest: dict[str, Any] = {}
    for key, value in sorted(data.items(), key=lambda item: str(item[0])):
        name = f"{at}{key}"
        inner = None if at else _opened(value)
        if inner is not None:
            rest[name] = _without_numbers(inner, numbers, f"{name}.")
        elif len(numbers) < NUMBERS and _may_number(name, value):
            numbers[name] = str(value)
        else:
            rest[name] = value
    return rest


def _opened(value: Any) -> dict[str, Any] | None:
    """The mapping that the value is, or is as JSON; None where it is another."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _may_number(name: str, value: Any) -> bool:
    if isinstance(value, int):  # one of thousands of digits cannot be written as text
        known = not isinstance(value, bool) and 0 <= value < 10**15
    else:
        known = isinstance(value, str) and NUMBER.fullmatch(value[: NAME + 1]) is not None
    return known and len(name) <= NAME and not SEED.search(name)


def _bounded(text: str) -> str:
    """The text; of a long one the beginning and its digest."""
    if len(text) <= ANSWER_CHARACTERS:
        return text
    return f"{text[:ANSWER_CHARACTERS]} {_digest(text)}"


def _digest(value: Any) -> str:
    if not value:
        return ""
    canonical = json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()[:16]


class interrupted:  # noqa: N801 - a context manager, read as a verb
    """Raise ListingTimeout in the block at `ends` (monotonic), whatever it executes."""

    def __init__(self, ends: float) -> None:
        self._ends = ends

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, _raise)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, self._ends - time.monotonic()))

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise(_signal: int, _frame: object) -> None:
    raise ListingTimeout("the time for listing tasks is over")
