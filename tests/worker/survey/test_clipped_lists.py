"""Lists of lines that a limit cuts, and those of free, fixed, equal or padded lengths."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from envyard_runner.survey.clipped_lists import clipped_lists, length
from envyard_runner.survey.listing import Listed

LIMIT = 800
Make = Callable[[random.Random], list[int]]


def free(rng: random.Random) -> list[int]:
    return [rng.randint(50, 90) for _ in range(rng.randint(6, 20))]


def cut(rng: random.Random) -> list[int]:
    lines = free(rng)
    while length(lines) > LIMIT:
        lines.pop()
    return lines


def capped(rng: random.Random) -> list[int]:
    return free(rng)[:12]


def filled(rng: random.Random) -> list[int]:
    lines: list[int] = []
    while length([*lines, 90]) <= LIMIT:
        lines.append(rng.randint(50, 90))
    return lines


def shared_out(rng: random.Random) -> list[int]:
    places = sorted(rng.sample(range(1, 60), rng.randint(5, 12)))
    return [6 * (end - begin) for begin, end in zip([0, *places], [*places, 60], strict=True)]


def prompts(make: Make, tasks: int = 120) -> list[list[int]]:
    rng = random.Random(3)
    return [[30, 0, *make(rng), 0, 60, 20] for _ in range(tasks)]


def test_lists_without_room_for_a_line_below_one_limit_are_clipped() -> None:
    lists = prompts(cut)
    clipped, limit = clipped_lists(lists)
    assert limit == LIMIT
    assert len(clipped) > 60
    assert all(length(lists[at][2:-3]) > LIMIT - 80 for at in clipped)


@pytest.mark.parametrize("make", [free, capped, filled, shared_out])
def test_other_lists_are_not(make: Make) -> None:
    assert clipped_lists(prompts(make)) == ([], 0)


def test_few_tasks_and_unknown_lines_are_not_judged() -> None:
    assert clipped_lists(prompts(cut, tasks=30)) == ([], 0)
    assert clipped_lists([*prompts(cut), []]) == ([], 0)
    assert clipped_lists([]) == ([], 0)


def test_the_lines_of_a_long_prompt_are_those_of_its_row() -> None:
    assert Listed(0, "one\n\nthree", None, "", "").line_lengths == (3, 0, 5)
    assert Listed(0, "x" * 1500, None, "", "", lines=(1400, 300)).line_lengths == (1400, 300)
    assert Listed(0, "x" * 1500, None, "", "").line_lengths == ()


def test_many_long_lists_take_no_time() -> None:
    rng = random.Random(7)
    lists = [[30, 0, *([1] * rng.randint(300, 390)), 0, 5] for _ in range(2_000)]
    began = time.process_time()
    clipped_lists(lists)
    assert time.process_time() - began < 2.0
