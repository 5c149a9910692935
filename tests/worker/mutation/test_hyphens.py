"""Sequences that hyphens join."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

JOINED = "Write the peptides in the order in which they occur, joined by hyphens, as in MAK-GG-R."


def changed(operator: str, answer: str, prompt: str = JOINED) -> str | None:
    mutant = mutate(f"<answer>{answer}</answer>", operator, prompt=prompt)
    return mutant[2] if mutant else None


def test_a_sequence_is_changed_as_a_list_is() -> None:
    assert changed("added", "MAK-GG-R") == "MAK-GG-R-MAK"
    assert changed("dropped", "MAK-GG-R") == "MAK-GG"
    assert changed("order", "MAK-GG-R") == "R-GG-MAK"
    assert changed("once", "MAK-GG-R-GG-R") == "MAK-GG-R-GG"


@pytest.mark.parametrize(
    ("operator", "prompt", "answer"),
    [
        ("added", "What is a synonym of modern?", "up-to-date"),
        ("added", "Give the date with hyphens between its parts.", "2024-05-06"),
        ("added", "Name them in any order, joined by hyphens.", "MAK-GG-R"),
        ("added", "Name the different peptides, joined by hyphens.", "MAK-GG-R"),
        ("order", "Name the peptides, joined by hyphens.", "MAK-GG-R"),
        ("once", JOINED, "MAK-GG-R"),
    ],
)
def test_words_dates_and_sets_have_no_such_changes(operator: str, prompt: str, answer: str) -> None:
    assert changed(operator, answer, prompt) is None


def test_an_item_that_a_list_repeats_is_given_once_less() -> None:
    counted = "List the prime factors with repetition."
    assert changed("once", "2, 3, 3, 7", counted) == "2, 3, 7"
    assert changed("once", "[2, 3, 3]", counted) == "[2, 3]"
    assert changed("once", "2, 3, 3, 7", "List the numbers in ascending order.") == "2, 3, 7"
    assert changed("once", "2, 3, 3, 7", "List the factors.") is None
    assert changed("once", "2, 3, 3, 7", "List the different factors in ascending order.") is None
    assert changed("once", "2, 3, 3, 7", f"{counted} Any two are enough.") is None
