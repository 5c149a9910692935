"""The listed tasks of an environment, read from untrusted events, and what their texts show.

Imports nothing of the runner's execution.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from envyard.contract.survey import MAX_CONTRADICTIONS, Contradiction, Split, Survey
from envyard.contract.task_texts import MAX_INDICES
from envyard.contract.values import count, text
from envyard_runner.survey.near_duplicates import TextIndex, common_grams
from envyard_runner.survey.places import answer_place

ROWS = 400  # of one event
CHARACTERS = 60_000_000  # of all prompts together
# Of a row: without and with what may only number the task, and with the lengths of its lines.
COLUMNS = (6, 8, 9)
PROMPT, ANSWER, DIGEST = 2_000, 400, 64
WHOLE = 1_500  # characters; guest/listing.py cuts longer prompts
LINE, LINES = 100_000, 400  # characters of a line, and lines of a prompt
CELL = 4_000  # characters of what may number a task
TRAIN, EVAL = "train", "eval"
MOSTLY = 0.5  # of the tasks that have a prompt or an answer, from which on a lack is a flaw
TAIL = 3  # tasks without an answer behind all that have one
SCRAMBLED, ANSWERS = 4, 10  # letters of an answer, and different answers
TRIES = 50  # places of a prompt that are compared with its answer letter by letter
WORD = re.compile(r"[^\W\d_]+")
SECRETS = 0.2  # of the tasks that share a prompt with others, from which on prompts name no task


@dataclass(frozen=True, slots=True)
class Listed:
    """One task: its prompt, its answer (None without one), and digests of what a policy is shown
    beyond text and of its other data. Of a task without an answer, `numbers` are those of its other
    data that may only number or name it, and `rest` is a digest of what is left. `lines` are the
    lengths of the lines of a prompt that is longer than what is listed of it."""

    index: int
    prompt: str
    answer: str | None
    shown: str
    hidden: str
    rest: str = ""
    numbers: tuple[tuple[str, str], ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def line_lengths(self) -> tuple[int, ...]:
        """The lengths of the lines of its prompt; empty where they are unknown."""
        if len(self.prompt) >= WHOLE:
            return self.lines
        return tuple(map(len, self.prompt.split("\n")))

    @property
    def key(self) -> str:
        """What a policy is shown."""
        return f"{self.prompt}\0{self.shown}"

    def same_data(self, other: Listed) -> bool:
        """Whether nothing shows that another reply would be right."""
        if self.answer is None or other.answer is None:
            return self.hidden == other.hidden
        return plain(self.answer) == plain(other.answer)


class Listing:
    """The tasks of both splits, built from events; `ends` states how the listing of each ended."""

    def __init__(self, limit: int) -> None:
        self._limit, self._left = limit, CHARACTERS
        self.tasks: dict[str, list[Listed]] = {TRAIN: [], EVAL: []}
        self.ends: dict[str, Split] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Add the rows of a `tasks` event; others are dropped, and so are those beyond a limit."""
        tasks = self.tasks.get(text(event.get("split"), 10))
        rows = event.get("rows")
        for row in rows[:ROWS] if tasks is not None and isinstance(rows, list) else []:
            if isinstance(row, list) and len(row) in COLUMNS and len(tasks or ()) < self._limit:
                listed = _listed(row)
                self._left -= len(listed.prompt)
                if tasks is not None and self._left > 0:
                    tasks.append(listed)

    def end(self, event: dict[str, Any]) -> None:
        """Note a `listed` event."""
        split = text(event.get("split"), 10)
        if split in self.tasks:
            self.ends.setdefault(
                split,
                Split(
                    tasks=len(self.tasks[split]),
                    complete=event.get("complete") is True,
                    endless=event.get("endless") is True,
                    error=text(event.get("error"), 500),
                ),
            )


def _listed(row: Sequence[Any]) -> Listed:
    index, prompt, answer, _, shown, hidden = row[:6]
    whole = len(row) > 6 and isinstance(row[7], str)
    numbers = _numbers(row[7]) if whole else ()
    rest = row[6] if numbers or (whole and not row[7]) else hidden
    known = text(answer, ANSWER) if isinstance(answer, str) and answer.strip() else None
    return Listed(
        count(index), text(prompt, PROMPT), known, text(shown, DIGEST), text(hidden, DIGEST),
        text(rest, DIGEST), numbers, _lengths(row[8] if len(row) > 8 else None),
    )  # fmt: skip


def _lengths(field: Any) -> tuple[int, ...]:
    """The numbers of a text such as `80,0,75`; none where it holds anything else."""
    known = isinstance(field, str) and len(field) <= CELL
    parts = field.split(",")[:LINES] if known and field else []
    if not all(part.isdecimal() and part.isascii() and len(part) < 7 for part in parts):
        return ()
    return tuple(min(int(part), LINE) for part in parts)


def _numbers(field: Any) -> tuple[tuple[str, str], ...]:
    """The names and values of a JSON object of a few short texts; nothing of any other."""
    try:
        read = json.loads(field) if isinstance(field, str) and len(field) <= CELL else {}
    except (ValueError, RecursionError):
        return ()
    pairs = [*read.items()] if isinstance(read, dict) else []
    return tuple((text(name, CELL), text(value, CELL)) for name, value in pairs)


def prompted(tasks: Sequence[Listed]) -> list[Listed]:
    """Those that show a policy something."""
    return [task for task in tasks if task.prompt.strip() or task.shown]


def repeated_tasks(tasks: Sequence[Listed]) -> tuple[int, int]:
    """How many tasks equal an earlier one, and how many more nearly do.

    Tasks with other answers, or with other data where one has no answer, are no copies: games
    begin every task with the same words. Neither are tasks with other images.
    """
    first: defaultdict[str, list[Listed]] = defaultdict(list)
    index, distinct = TextIndex(common_grams(sorted({t.prompt for t in tasks}))), list[Listed]()
    exact = near = 0
    for task in prompted(tasks):
        if any(task.same_data(other) for other in first[task.key]):
            exact += 1
            continue
        alike = bool(first[task.key])
        first[task.key].append(task)
        if alike:
            continue

        def is_copy(place: int, task: Listed = task) -> bool:
            other = distinct[place]
            return other.shown == task.shown and (
                task.answer is None or other.answer is None or task.same_data(other)
            )

        if index.near(task.prompt, accept=is_copy) is None:
            index.add(task.prompt)
            distinct.append(task)
        else:
            near += 1
    return exact, near


def contradictions(tasks: Sequence[Listed]) -> list[tuple[Listed, Listed]]:
    """Pairs of tasks that show a policy the same and have different answers.

    None where many tasks share a prompt, because a secret or a state then decides; where other data
    differ, they may decide too.
    """
    groups: defaultdict[str, list[Listed]] = defaultdict(list)
    for task in tasks:
        if task.prompt.strip():
            groups[" ".join(task.key.split()).casefold()].append(task)
    shared = [group for group in groups.values() if len(group) > 1]
    if sum(map(len, shared)) > SECRETS * len(tasks):
        return []
    return [pair for group in shared for pair in _contradicting(group)]


def _contradicting(group: Sequence[Listed]) -> Iterator[tuple[Listed, Listed]]:
    first = group[0]
    for other in group[1:]:
        known = first.answer is not None and other.answer is not None
        if known and first.hidden == other.hidden and not first.same_data(other):
            yield first, other


def without_prompt(tasks: Sequence[Listed]) -> list[int]:
    """The tasks without a prompt, where most have one."""
    empty = [task.index for task in tasks if not (task.prompt.strip() or task.shown)]
    return empty[:MAX_INDICES] if len(tasks) - len(empty) > MOSTLY * len(tasks) else []


def without_answer(tasks: Sequence[Listed]) -> list[int]:
    """The tasks without an answer, where nine of ten have one, or where all before them have one
    and none after them."""
    empty = [task.index for task in tasks if task.answer is None]
    last = tasks[-max(len(empty), 1) :]
    tail = TAIL <= len(empty) <= len(tasks) / 2 and all(task.answer is None for task in last)
    return empty[:MAX_INDICES] if 10 * len(empty) < len(tasks) or tail else []


def overlap(train: Sequence[Listed], evaluation: Sequence[Listed]) -> tuple[list[int], list[int]]:
    """The evaluation tasks that equal a training task, and those that nearly do."""
    exact_keys: defaultdict[str, list[Listed]] = defaultdict(list)
    index, distinct = TextIndex(common_grams(sorted({t.prompt for t in train}))), list[Listed]()
    for task in prompted(train):
        if not exact_keys[task.key] and task.prompt.strip():
            index.add(task.prompt)
            distinct.append(task)
        exact_keys[task.key].append(task)
    scrambled = _scrambles(train)
    exact, near = [], []
    for task in prompted(evaluation):
        if any(task.same_data(other) for other in exact_keys.get(task.key, ())):
            exact.append(task.index)
        elif task.prompt.strip() and task.key not in exact_keys:

            def is_copy(place: int, task: Listed = task) -> bool:
                other = distinct[place]
                known = task.answer is not None and other.answer is not None
                return other.shown == task.shown and known and task.same_data(other)

            again = scrambled and _scramble(task) in scrambled
            if again or index.near(task.prompt, accept=is_copy) is not None:
                near.append(task.index)
    return exact, near


def _scrambles(tasks: Sequence[Listed]) -> set[tuple[str, str]]:
    """The tasks whose prompts scramble their answer, as `_scramble` has them: the same letters in
    another order are the same task. Few different answers may be labels."""
    known = {each for task in tasks if (each := _scramble(task)) is not None}
    return known if len({answer for _, answer in known}) >= ANSWERS else set()


def _scramble(task: Listed) -> tuple[str, str] | None:
    """The prompt without the letters of the answer, which stand in it together and in another
    order, and the answer; None where they do not stand so."""
    answer, prompt = plain(task.answer or ""), task.prompt.casefold()
    letters = sorted(filter(str.isalpha, answer))
    if len(letters) < SCRAMBLED or answer in prompt:
        return None
    words = list(WORD.finditer(prompt))
    ends = list(accumulate(len(word[0]) for word in words))
    sums = [0, *accumulate(sum(map(ord, word[0])) for word in words)]
    places, total = {end: place for place, end in enumerate(ends)}, sum(map(ord, letters))
    left = TRIES
    for first, word in enumerate(words):
        last = places.get(ends[first] - len(word[0]) + len(letters))
        if last is None or sums[last + 1] - sums[first] != total or left <= 0:
            continue
        left -= 1
        start, end = word.start(), words[last].end()
        if sorted(filter(str.isalpha, prompt[start:end])) == letters:
            return f"{prompt[:start]}\0{prompt[end:]}", answer
    return None


def compare_tasks(listing: Listing, survey: Survey) -> Survey:
    """The survey with what the listed tasks show."""
    train, evaluation = listing.tasks[TRAIN], listing.tasks[EVAL]
    exact, near = repeated_tasks(train)
    shared_exact, shared_near = overlap(train, evaluation)
    copied, place = answer_place([(task.prompt, task.answer) for task in train if task.answer])
    return replace(
        with_contradictions(survey, contradictions(train)),
        tasks=len(train),
        prompts=len(prompted(train)),
        exact=exact,
        near=near,
        empty=without_prompt(train),
        unanswered=without_answer(train),
        copied=copied,
        copied_place=place,
        train=listing.ends.get(TRAIN),
        evaluation=listing.ends.get(EVAL),
        shared_exact=len(shared_exact),
        shared_near=len(shared_near),
        shared=sorted([*shared_exact, *shared_near])[:MAX_INDICES],
    )


def with_contradictions(survey: Survey, pairs: Sequence[tuple[Listed, Listed]]) -> Survey:
    """The survey with these pairs of tasks that contradict one another."""
    shown = [_contradiction(*pair) for pair in pairs[:MAX_CONTRADICTIONS]]
    return replace(survey, contradicting=len(pairs), contradictions=shown)


def _contradiction(one: Listed, other: Listed) -> Contradiction:
    answers = [(each.answer or "")[:100] for each in (one, other)]
    return Contradiction([one.index, other.index], one.prompt[:200], answers)


def plain(answer: str) -> str:
    """The answer without case and with single spaces."""
    return " ".join(answer.split()).casefold()
