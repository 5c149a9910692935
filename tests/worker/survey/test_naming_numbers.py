"""Numbers that only name a task, and numbers that decide its answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES
from envyard_runner.survey.listing import Listed
from envyard_runner.survey.naming_numbers import without_numbers

Prompt = Callable[[int, int], str]


def listing(
    prompt: Prompt, answer: Callable[[int, int], str], *, shared: int
) -> tuple[list[Listed], list[Listed]]:
    """40 tasks in each split, of which the first of the second repeat those of the first."""
    train = [
        Listed(n, prompt(1000 + 37 * n, n), answer(1000 + 37 * n, n), "", "") for n in range(40)
    ]
    numbers = [n if n < shared else 100 + n for n in range(40)]
    evaluation = [
        Listed(at, prompt(9000 + 41 * at, n), answer(9000 + 41 * at, n), "", "")
        for at, n in enumerate(numbers)
    ]
    return train, evaluation


def ticket(number: int, n: int) -> str:
    return f"Ticket {number}: {n} boxes of {n + 30} screws arrive. How many screws are that?"


def screws(_: int, n: int) -> str:
    return str(n * (n + 30))


@pytest.mark.parametrize(
    "prompt", [ticket, lambda number, n: f"{number}. How many screws have {n} boxes of {n + 30}?"]
)
def test_tasks_that_differ_in_their_number_alone_are_near_copies(prompt: Prompt) -> None:
    survey = without_numbers(*listing(prompt, screws, shared=30), Survey())
    assert (survey.shared_exact, survey.shared_near) == (0, 30)
    assert survey.shared == [*range(MAX_INDICES)]


def test_copies_within_a_split_are_near_ones_too() -> None:
    tasks, _ = listing(ticket, screws, shared=0)
    again = [Listed(40 + n, ticket(5000 + n, n), screws(0, n), "", "") for n in range(10)]
    assert without_numbers([*tasks, *again], [], Survey()).near == 10


def test_a_number_of_the_question_names_no_task() -> None:
    def unknown(number: int, n: int) -> str:
        return f"Add {number} and my {('shoe size', 'age')[n % 2]}."

    tasks, _ = listing(unknown, lambda number, n: ("unknown", "secret")[n % 2], shared=0)
    assert without_numbers(tasks, [], Survey()).near == 0


def test_a_number_that_decides_or_that_many_tasks_share_names_none() -> None:
    decides = listing(ticket, lambda number, n: str(number * n), shared=30)
    assert without_numbers(*decides, Survey()).shared_near == 0
    few = listing(lambda number, n: ticket(number % 3, n), screws, shared=30)
    assert without_numbers(*few, Survey()).shared_near == 0
    assert without_numbers(*listing(ticket, screws, shared=0), Survey()).shared_near == 0
    same = listing(ticket, lambda number, n: "yes", shared=30)  # equal answers show nothing
    assert without_numbers(*same, Survey()).shared_near == 0


SENTENCES = [f"{a} {b} {c}" for a in ("vaku", "misi", "dor") for b in ("tal", "ber") for c in "xyz"]
NAMES, PLACES = ("Ueno", "Halla", "Brandt", "Costa", "Ilves"), ("Upper Sel", "Kharu", "Ost Ridge")


def note(n: int, sentence: str) -> str:
    who, where = NAMES[n % 5], PLACES[n // 5 % 3]
    return f"Field note by {who}, {where}, day {n + 3}.\n\nSentence: {sentence}\n\nTranslate it."


def test_tasks_that_differ_in_the_names_of_their_frame_are_near_copies() -> None:
    tasks = [
        Listed(n, note(n, SENTENCES[n % 18]), SENTENCES[n % 18][::-1], "", "") for n in range(60)
    ]
    other = [
        Listed(n, note(n + 60, SENTENCES[n % 18]), SENTENCES[n % 18][::-1], "", "")
        for n in range(20)
    ]
    survey = without_numbers(tasks, other, Survey())
    assert (survey.near, survey.shared_near) == (42, 20)


def test_names_and_numbers_that_decide_are_no_frame() -> None:
    prompts = [
        f"A ticket for {who} costs {n % 7 + 3}. How much are {n % 5 + 2}, bought by {who}?"
        for n in range(60)
        for who in [NAMES[n % 3]]
    ]
    tasks = [
        Listed(n, prompt, str((n % 7 + 3) * (n % 5 + 2)), "", "")
        for n, prompt in enumerate(prompts)
    ]
    assert without_numbers(tasks, [], Survey()).near == 0
