"""Tasks whose other data differ and change nothing, and those where they are a secret."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from envyard.contract.survey import Survey
from envyard_runner.survey.listing import EVAL, TRAIN, Listed, Listing
from envyard_runner.survey.repeats import numbering, recounted

LISTS = ("ant bee ant", "cat cat dog", "elk fox elk", "gnu hen gnu", "jay kiwi jay", "owl pig owl")


def listing(tasks: list[Listed], evaluation: list[Listed] | None = None) -> Listing:
    result = Listing(1_000)
    result.tasks = {TRAIN: tasks, EVAL: evaluation or []}
    return result


def asked(
    prompt: Callable[[int], str], n: int = 120, answer: str | None = None, start: int = 0
) -> list[Listed]:
    """Tasks with a number of their own as other data."""
    return [Listed(i, prompt(i), answer, "", f"data {start + i}") for i in range(n)]


def lists(i: int) -> str:
    return f"Remove what is repeated: {LISTS[i % 6]}"


def game(_: int) -> str:
    return "Guess the word I think of."


def copies(tasks: list[Listed], played: dict[int, str]) -> int:
    return recounted(listing(tasks), Survey(), played).exact


def test_prompts_decide_where_played_references_agree() -> None:
    played = {i: LISTS[i % 6][:7] for i in range(0, 120, 7)}
    assert copies(asked(lists), played) == 114
    both = listing(asked(lists), asked(lists, 3, start=500))
    survey = recounted(both, Survey(), played)
    assert (survey.shared_exact, survey.shared) == (3, [0, 1, 2])


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (game, lambda i: f"word{i}"),
        (game, lambda i: "done"),
        (lists, lambda i: "done"),
        (lists, lambda i: LISTS[i % 6] if i != 21 else "something else"),
        (lambda i: f"{lists(i)}{'!' * 1_500}", lambda i: LISTS[i % 6]),
        (lambda i: f"Question {i}", lambda i: f"{i % 3}"),
    ],
    ids=["secrets", "one answer", "one answer of many prompts", "a pair", "cut", "other prompts"],
)
def test_nothing_is_concluded_where_answers_differ_or_say_nothing(
    prompt: Callable[[int], str], reply: Callable[[int], str]
) -> None:
    assert copies(asked(prompt), {i: reply(i) for i in range(0, 120, 7)}) == 0


def test_two_answers_that_agree_by_chance_conclude_nothing() -> None:
    secrets = {0: "yes", 6: "yes", 1: "no", 7: "no", 2: "yes", 8: "yes"}
    assert copies(asked(lists), secrets) == 0
    more = dict.fromkeys((3, 9, 15, 21, 27, 33), "no")
    assert copies(asked(lists), {**secrets, **more}) == 114


def test_answers_of_two_references_or_of_fields_change_nothing() -> None:
    assert copies(asked(lists), {0: "ant bee", 6: "ant bee"}) == 0
    answered = asked(lists, answer="yes")
    assert recounted(listing(answered), Survey(exact=3), dict.fromkeys(range(9), "a")).exact == 3


def numbered(
    number: Callable[[int], dict[str, str]], prompt: Callable[[int], str], n: int = 60
) -> list[Listed]:
    """Tasks as the driver lists them: two after another with the same data, less their numbers."""
    rows = []
    for i in range(n):
        numbers = json.dumps(number(i)) if number(i) else ""
        rows.append([i, prompt(i), None, "", "", f"whole {i}", f"rest {i // 2}", numbers])
    random.Random(5).shuffle(rows)
    read = Listing(n)
    read.add({"split": TRAIN, "rows": rows})
    return read.tasks[TRAIN]


def pair(i: int) -> str:
    return f"Question {i // 2}?"


PLAYED = {i: f"answer {i}" for i in range(0, 60, 10)}


@pytest.mark.parametrize(
    "number",
    [
        lambda i: {"number": str(i + 1)},
        lambda i: {"number": str(i)} if i else {},
        lambda i: {"key": f"task-{i:03}"},
        lambda i: {"uid": f"{random.Random(i).getrandbits(124):032x}".replace("0", "a")},
        lambda i: {"info.row": str(i), "level": str(i // 2)},
    ],
    ids=["number", "zero left out", "name", "id", "beside other numbers"],
)
def test_fields_that_number_the_rows_are_no_data(number: Callable[[int], dict[str, str]]) -> None:
    tasks = numbered(number, pair)
    assert copies(tasks, PLAYED) == 30
    assert copies(tasks, {}) == 0  # nothing shows that one reply is all of a rollout
    assert copies(tasks, {**PLAYED, 1: "another answer than task 0"}) == 0


@pytest.mark.parametrize(
    "number",
    [
        lambda i: {"secret": str(random.Random(i).randint(1, 10_000))},
        lambda i: {"level": str(i % 20)},
        lambda i: {"key": f"{'ab'[i % 2]}{i}"},
        lambda i: {"number": str(i)} if i % 9 else {},
    ],
    ids=["random", "repeated", "two frames", "absent in some"],
)
def test_other_numbers_are_data(number: Callable[[int], dict[str, str]]) -> None:
    tasks = numbered(number, pair)
    assert numbering(tasks) == frozenset()
    assert copies(tasks, PLAYED) == 0


def test_cells_of_wrong_shapes_are_no_numbers() -> None:
    for cell in ("[1]", "{", "[" * 3_000, '{"a": "' + "1" * 5_000 + '"}', 7, None, {}):
        read = Listing(9)
        read.add({"split": TRAIN, "rows": [[0, "Why?", None, "", "", "whole", "rest", cell]]})
        (task,) = read.tasks[TRAIN]
        assert (task.numbers, task.rest) == ((), "whole")
