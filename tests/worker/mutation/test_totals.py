"""Other numbers with the same total."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

STAMPS = "Stamps of 4, 9, 14 and 19 cents, as many as you like. Which add up to exactly 37 cents?"


def changed(prompt: str, answer: str) -> str | None:
    mutant = mutate(f"Stamps: {answer}", "same_total", prompt=prompt)
    return mutant[2] if mutant else None


def test_two_numbers_are_replaced_by_two_others_of_the_prompt() -> None:
    assert changed(STAMPS, "19, 14, 4") == "14, 14, 9"
    once = "Which three of 2, 3, 5, 6 and 8 have the sum 16?"
    assert changed(once, "3, 5, 8") == "2, 6, 8"
    repeating = "Which of 3, 4, 5, 8 add up to 8 without repeating one? In all 2, 6 are left."
    assert changed(repeating, "3, 5") is None  # not 4, 4


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Which three of 2, 3, 5 and 8 have the sum 16?", "3, 5, 8"),  # no other is left
        (STAMPS.replace("37", "40"), "19, 14, 4"),  # not its total
        (STAMPS.replace("exactly", "a product of 1064 and exactly"), "19, 14, 4"),
        (STAMPS, "19, 18"),  # not a number of the prompt
        ("Which of 36, 41 and 42 add up to 83? End with `1 + 2`, at most 81.", "42 + 41"),
        ("The numbers 4, 9, 14, 19 and 37: which are odd?", "9, 19"),
        (STAMPS, "37"),
    ],
)
def test_other_prompts_and_answers_have_none(prompt: str, answer: str) -> None:
    assert changed(prompt, answer) is None


def test_long_prompts_take_no_time() -> None:
    numbers = " ".join(str(n) for n in range(100_000))
    assert changed(f"Add up to 37: {numbers}", "19, 14, 4") is None
