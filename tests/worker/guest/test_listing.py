"""Tasks are listed by their texts, bounded in time, number and size."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from envyard_runner.guest.adapter import Task
from envyard_runner.guest.events import Events, encode
from envyard_runner.guest.job import GuestJob
from envyard_runner.guest.listing import ENDLESS_TASKS, KEPT, list_tasks, row_of


def task(index: int, **fields: Any) -> Task:
    known = {"prompt": f"What is {index}?", "answer": str(index)} | fields
    others = {name: None for name in Task.__dataclass_fields__ if name not in known}
    return Task(**{**others, "index": index, "hash": f"{index}", "source": None, **known})


class Adapter:
    """An environment whose tasks a function yields."""

    bounded = True

    def __init__(self, tasks: Callable[[], Iterator[Task]], evaluation: list[Task] | None) -> None:
        self._tasks, self._evaluation = tasks, evaluation

    def every_task(self, limit: int) -> Iterator[Task]:
        return itertools.islice(self._tasks(), limit)

    def evaluation_tasks(self, limit: int) -> Iterator[Task] | None:
        return iter(self._evaluation[:limit]) if self._evaluation is not None else None

    def fields(self, task: Task) -> dict[str, Any]:
        return {"prompt": task.prompt, "answer": task.answer}


class Recorder(Events):
    """Keeps each event as its line would be read."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def emit(self, event: str, **fields: Any) -> None:
        self.events.append(json.loads(encode({"event": event, **fields})))


class Listed:
    """The events of one listing, and the tasks that it returned."""

    def __init__(
        self,
        tasks: Callable[[], Iterator[Task]],
        *,
        limit: int = 100_000,
        seconds: float = 60.0,
        bounded: bool = True,
        evaluation: list[Task] | None = None,
    ) -> None:
        adapter: Any = Adapter(tasks, evaluation)
        adapter.bounded = bounded
        recorder = Recorder()
        job = GuestJob("f", "a:b", "m", 5, listed_tasks=limit, listing_seconds=seconds)
        self.kept = list_tasks(job, adapter, [*adapter.every_task(5)], recorder)
        of_kind = {"tasks": [], "listed": []}
        for event in recorder.events:
            of_kind[event["event"]].append(event)
        self.rows = [row for event in of_kind["tasks"] for row in event["rows"]]
        self.ends = of_kind["listed"]


def finite(n: int) -> Callable[[], Iterator[Task]]:
    return lambda: map(task, range(n))


def test_every_task_is_listed_once_and_those_that_are_kept_are_spread() -> None:
    listed = Listed(finite(7_001))
    assert [row[0] for row in listed.rows] == list(range(7_001))
    kept = [each.index for each in listed.kept]
    assert kept[:5] == [0, 1, 2, 3, 4]
    assert kept[-1] == 7_000
    assert len(kept) <= KEPT + 1
    blocks = [(index - 5) // 32 for index in kept[5:-1]]
    assert blocks == [*range(219)] or blocks == [*range(218)]
    (end,) = listed.ends
    assert (end["count"], end["complete"], end["endless"], end["error"]) == (7001, True, False, "")


def test_tasks_are_kept_by_chance_so_that_no_index_tells_them() -> None:
    sets = [{each.index for each in Listed(finite(3_000)).kept} for _ in range(3)]
    assert len(sets[0] & sets[1] & sets[2]) < 30
    odd = [sum(index % 2 for index in each) / len(each) for each in sets]
    assert all(0.35 < share < 0.65 for share in odd)


def test_a_job_that_lists_nothing_keeps_the_loaded_tasks() -> None:
    listed = Listed(finite(9), limit=0)
    assert (len(listed.kept), listed.rows, listed.ends) == (5, [], [])


def test_endless_tasks_and_the_limit_end_a_listing() -> None:
    endless = Listed(lambda: map(task, itertools.count()), bounded=False)
    assert (endless.ends[0]["count"], endless.ends[0]["endless"]) == (ENDLESS_TASKS, True)
    many = Listed(finite(900), limit=700)
    assert (many.ends[0]["count"], many.ends[0]["complete"]) == (700, False)


def test_tasks_that_never_come_are_interrupted() -> None:
    def slow() -> Iterator[Task]:
        yield from map(task, range(6))
        time.sleep(3600)

    listed = Listed(slow, seconds=0.5)
    assert (listed.ends[0]["count"], listed.ends[0]["complete"]) == (6, False)
    assert listed.ends[0]["error"] == ""


def test_an_error_ends_the_listing_with_its_place_and_the_next_split_follows() -> None:
    def broken() -> Iterator[Task]:
        yield from map(task, range(40))
        raise KeyError("question")

    listed = Listed(broken, evaluation=[task(0)])
    train, evaluation = listed.ends
    assert (train["count"], train["error"]) == (40, "KeyError: 'question'")
    assert (evaluation["split"], evaluation["count"]) == ("eval", 1)
    assert [each.index for each in listed.kept] == list(range(40))


def test_long_texts_are_cut_and_fit_into_events() -> None:
    listed = Listed(
        lambda: (task(n, prompt="\u2603" * 9_000, answer="y" * 5000) for n in range(400))
    )
    assert len(listed.rows) == 400
    assert {len(row[1]) for row in listed.rows} == {1_500}
    assert {len(row[2]) for row in listed.rows} == {217}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"state": "a"}, {"state": "b"}, False),
        ({"target": "7"}, {"target": "8"}, True),
        ({"info": '{"row": "7"}'}, {"info": '{"row": "8"}'}, True),
        ({"id": "x"}, {"id": "y"}, True),
        ({}, {}, True),
    ],
    ids=["state", "the answer", "the answer in JSON", "a name", "nothing"],
)
def test_other_data_are_compared_without_names_and_the_answer(
    first: dict[str, Any], second: dict[str, Any], same: bool
) -> None:
    rows = [
        row_of(task(0, answer=answer), {"prompt": "p", "answer": answer, **fields})
        for answer, fields in (("7", first), ("8", second))
    ]
    assert (rows[0][5] == rows[1][5]) == same


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        ({"number": 7, "items": ["a"]}, {"number": "7"}),
        ({"info": {"row": 7}, "key": "task-7"}, {"info.row": "7", "key": "task-7"}),
        ({"info": '{"row": 7}'}, {"info.row": "7"}),
        (
            {"uid": "0b8f2f9e-94a2-4c1e-9d60-0f3e5a1b2c3d"},
            {"uid": "0b8f2f9e-94a2-4c1e-9d60-0f3e5a1b2c3d"},
        ),
        ({"seed": 7, "word": "otter", "done": True, "size": 1.5, "list": [7]}, {}),
        ({f"n{at}": at for at in range(1, 9)}, {f"n{at}": str(at) for at in range(1, 7)}),
    ],
    ids=["a number", "a name with a number", "JSON", "an id", "other data", "many numbers"],
)
def test_what_may_only_number_a_task_stands_apart(
    fields: dict[str, Any], numbers: dict[str, str]
) -> None:
    row = row_of(task(0, answer=None), fields)
    assert (json.loads(row[7]) if row[7] else {}) == numbers
    longer = row_of(task(0, answer=None), fields | {"word": "heron"})
    assert longer[6] != row[6]
    assert row_of(task(0, answer="yes"), fields)[6:] == ["", "", ""]


def test_rows_that_differ_in_a_number_have_one_rest() -> None:
    first, second, other = (
        row_of(task(0, answer=None), {"number": n, "items": items})
        for n, items in ((1, "ab"), (2, "ab"), (3, "bc"))
    )
    assert first[6] == second[6] != other[6]


def test_images_are_compared_and_tasks_without_a_prompt_have_no_text() -> None:
    def shown(url: str) -> list[Any]:
        parts = [
            {"type": "text", "text": "What?"},
            {"type": "image_url", "image_url": {"url": url}},
        ]
        return row_of(task(0), {"prompt": [{"role": "user", "content": parts}]})

    assert shown("data:image/png;base64,AA")[4] != shown("data:image/png;base64,AB")[4]
    assert shown("data:image/png;base64,AA") == shown("data:image/png;base64,AA")
    assert row_of(task(0, prompt='{"seed": 3}'), {"seed": 3})[1] == ""


def test_the_lengths_of_lines_stand_in_for_those_of_a_long_prompt() -> None:
    lines = ["x" * 900, "", "y" * 700]
    assert row_of(task(0, prompt="\n".join(lines)), {"prompt": "p"})[8] == "900,0,700"
    assert row_of(task(0, prompt="short\nlines"), {"prompt": "p"})[8] == ""
    assert row_of(task(0, prompt="many lines\n" * 900), {"prompt": "p"})[8] == ""
