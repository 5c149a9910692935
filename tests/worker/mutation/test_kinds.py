"""Which tasks are changed: some of each kind of instruction."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.kinds import of_each_kind


def test_of_prompts_with_other_instructions_each_kind_is_chosen() -> None:
    sums = [f"What is {n} + 2? Answer with a number." for n in range(6)]
    units = [f"How much is {n} x 3? Give the unit too." for n in range(3)]
    chosen = of_each_kind([(prompt, "7") for prompt in (*sums, *units)], 3)
    assert chosen[0] == 0
    assert any(place >= len(sums) for place in chosen)
    assert len(chosen) == 3


def test_of_prompts_of_one_kind_the_first_are_chosen() -> None:
    tasks = [(f"What is {n} + 2?", str(n + 2)) for n in range(9)]
    assert of_each_kind(tasks, 5) == [0, 1, 2, 3, 4]
    assert of_each_kind([("one", "1"), ("two", "2")], 5) == [0, 1]
    assert of_each_kind([], 5) == []


@pytest.mark.parametrize("rare", ["-4", "0", "4.5", "3/4", "not given", "12:05", "a, b"])
def test_of_answers_of_another_form_some_are_chosen(rare: str) -> None:
    answers = [*("7" for _ in range(12)), rare, rare]
    chosen = of_each_kind([("What is it?", answer) for answer in answers], 3)
    assert {answers[place] for place in chosen} == {"7", rare}


def test_zero_and_words_are_two_forms() -> None:
    answers = [*("none" for _ in range(6)), "0", "0", "12:05", "00:40"]
    chosen = of_each_kind([("What is it?", answer) for answer in answers], 3)
    assert {answers[place] for place in chosen} == {"none", "0", "12:05"}


@pytest.mark.timeout(20)
def test_long_prompts_take_no_longer_than_their_length() -> None:
    texts = [character * 1_000_000 for character in ".x1"] * 7
    assert of_each_kind([(text, text) for text in texts], 5)
