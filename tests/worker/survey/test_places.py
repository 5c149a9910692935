"""Answers that are always the same piece of the prompt, and prompts that merely contain them."""

import pytest

from envyard_runner.survey.places import answer_place

NAMES = ("ada", "bela", "cyra", "dora", "elin", "finn", "gwen", "hugo", "ines", "jan", "kim", "lea")


def test_an_answer_at_one_place_of_every_prompt_is_named() -> None:
    catalog = [(f"Item {n}: 3 boxes of {n + 2}. The total?", str(n)) for n in range(20, 40)]
    assert answer_place(catalog) == (20, "number 1")
    padded = [(f"[item {n:05d}] 3 boxes of {n + 2}. The total?", f"{n}.0") for n in range(20, 40)]
    assert answer_place(padded) == (20, "number 1")
    letters = [(f"Dear {name.title()}, who is this to?", name) for name in NAMES]
    assert answer_place(letters) == (12, "word 2")
    assert answer_place([*catalog[:18], ("Item 1: 2", "9"), ("Item 1: 2", "8")])[0] == 18


@pytest.mark.parametrize(
    "tasks",
    [
        [(f"Which is larger, {n} or {(7 * n) % 20}?", str(max(n, 7 * n % 20))) for n in range(20)],
        [(f"Is {n} even: yes or no?", "yes") for n in range(20)],
        [(f"Add {n} and 5.", str(n + 5)) for n in range(20)],
        [(f"Item {n}: 3 boxes.", str(n)) for n in range(9)],
    ],
)
def test_choices_constants_and_few_tasks_have_no_place(tasks: list[tuple[str, str]]) -> None:
    assert answer_place(tasks) == (0, "")
