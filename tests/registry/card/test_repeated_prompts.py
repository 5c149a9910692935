"""Repeated prompts."""

from envyard.card.repeated_prompts import COMPARED, repeated

WORDS = [f"word{n}" for n in range(14)]


def test_exact_copies_are_counted_once_each() -> None:
    prompts = repeated(["a", "b", "a", "a"])
    assert (prompts.n, prompts.exact, prompts.near) == (4, 2, 0)


def test_a_long_text_with_one_word_more_is_a_near_copy() -> None:
    text = " ".join(f"{word}{n}" for n in range(5) for word in WORDS)
    assert repeated([text, f"{text} indeed"]).near == 1
    assert repeated([text, text.upper()]).near == 1


def test_one_template_with_other_numbers_is_no_copy() -> None:
    problems = [
        f"Ann has {n} apples and gives {n + 1} to Bob, how many are left?" for n in range(9)
    ]
    assert repeated(problems).near == 0


def test_empty_prompts_are_copies_of_each_other() -> None:
    assert repeated(["", "", ""]).exact == 2
    assert repeated([]).n == 0


def test_no_more_than_the_first_prompts_are_compared() -> None:
    assert repeated(["same"] * 1000).n == COMPARED
