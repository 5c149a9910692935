"""The field that holds the answer, where no task has an `answer` or an oracle()."""

from __future__ import annotations

from typing import Any

import pytest

from envyard_runner.guest.adapter import Task
from envyard_runner.guest.answer_fields import infer_answers

TASKS = 8


class Adapter:
    """An environment whose rows a function gives by index."""

    compares = False

    def fields(self, task: Task) -> dict[str, Any]:
        return dict(task.source)


def infer(row: Any, *, answer: str | None = None, adapter: Any = None) -> tuple[str, list[Any]]:
    tasks = []
    for index in range(TASKS):
        source = row(index)
        known = dict.fromkeys(Task.__dataclass_fields__)
        known |= {"index": index, "hash": f"{index}", "prompt": source.get("prompt", "Go.")}
        tasks.append(Task(**{**known, "source": source, "answer": answer, "hook": False}))
    return infer_answers(adapter or Adapter(), tasks), [task.answer for task in tasks]


@pytest.mark.parametrize(
    ("row", "path", "first"),
    [
        (lambda i: {"target": f"word{i}"}, "target", "word0"),
        (lambda i: {"info": {"expected": 3 * i + 1, "difficulty": i}}, "info.expected", "1"),
        (lambda i: {"info": f'{{"level_cm": {i + 100}}}'}, "info.level_cm", "100"),
        (lambda i: {"info": {"goldAnswer": f"g{i}", "rows": i}}, "info.goldAnswer", "g0"),
        (lambda i: {"info": {"accepted": [f"a{i}", "other"]}}, "info.accepted", "a0"),
        (lambda i: {"info": {"expected_order": [i, 2]}}, "info.expected_order", "[0, 2]"),
        (lambda i: {"info": {"is_correct": i % 2 == 0, "lines": i}}, "info.is_correct", "True"),
        (
            lambda i: {"prompt": "Use <order>.", "info": {"order": [f"B{i}"], "dish": f"d{i}"}},
            "info.order",
            '["B0"]',
        ),
        (
            lambda i: {
                "prompt": f"End with 'Amount: 1.5'. {(i + 1) * (i % 2)}.00",
                "info": {"amount": f"{i + 1}.00", "paper": f"p{i}"},
            },
            "info.amount",
            "1.00",
        ),
        (lambda i: {"data": {"solution": "x" * i + "y", "result": i}}, "data.solution", "y"),
    ],
)
def test_the_field_whose_name_means_the_answer_or_the_only_one_is_taken(
    row: Any, path: str, first: str
) -> None:
    known, answers = infer(row)
    assert (known, answers[0]) == (path, first)
    assert all(answers)


@pytest.mark.parametrize(
    "row",
    [
        lambda i: {"info": {"difficulty": i, "seed": i}},  # about the task
        lambda i: {"info": {"width": i, "height": 2 * i}},  # two, and no name tells which
        lambda i: {"info": {"expected": "same"}},
        lambda i: {"info": {"expected": f"no{i}"} if i < 4 else {}},  # half of the tasks
        lambda i: {"prompt": f"Sort delta{i} now", "target": f"delta{i}"},  # the question's data
        lambda i: {"info": {"target": "x" * 3000 + str(i)}},
        lambda i: {"info": {"edges": [[i, 2]]}},  # data of the question, unless the name tells
        lambda i: {"info": '{"half'},
        lambda i: {"info": [[[i]]]},
    ],
)
def test_no_field_is_taken_where_none_or_more_than_one_could_be_the_answer(row: Any) -> None:
    known, answers = infer(row)
    assert known == ""
    assert answers == [None] * TASKS


def test_fields_that_have_no_text_end_no_run() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    for value in (10**9000, deep, {1: deep}):
        known, answers = infer(lambda i, value=value: {"expected": value})  # type: ignore[misc]
        assert (known, answers) == ("", [None] * TASKS)


def test_tasks_with_an_answer_and_attempts_scored_together_are_left_alone() -> None:
    assert infer(lambda i: {"target": f"word{i}"}, answer="7") == ("", ["7"] * TASKS)
    together = Adapter()
    together.compares = True
    assert infer(lambda i: {"target": f"word{i}"}, adapter=together)[0] == ""
