"""Numbers that are off by more than their rounding."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

DECIMALS = "How much is it? Reply `Answer: <number> mL`, rounded to 0.1 mL."


def changed(reply: str, prompt: str) -> str | None:
    result = mutate(reply, "percent_off", prompt=prompt)
    return None if result is None else result[0]


@pytest.mark.parametrize(
    ("reply", "after"),
    [
        ("Answer: 137.5 mL", "Answer: 143.0 mL"),
        ("137.5", "143.0"),
        ("-20.25", "-21.06"),
        ("<answer>7.5 mL</answer>", "<answer>7.8 mL</answer>"),
    ],
)
def test_a_fraction_is_four_percent_larger_in_its_own_decimals(reply: str, after: str) -> None:
    assert changed(reply, DECIMALS) == after


@pytest.mark.parametrize(
    "prompt",
    [
        "How much is it?",
        f"{DECIMALS} Answers within 5 % are accepted.",
        f"{DECIMALS} A tolerance of one millilitre applies.",
        "Give it approximately, to one decimal.",
        "Give three significant digits.",
    ],
)
def test_a_prompt_that_asks_for_no_decimals_or_states_a_tolerance_has_no_such_change(
    prompt: str,
) -> None:
    assert changed("137.5", prompt) is None


@pytest.mark.parametrize("reply", ["7.3", "0.05", "137", "12.5 or 13.5", "1.2.3"])
def test_a_number_whose_rounding_is_as_large_as_the_change_has_none(reply: str) -> None:
    assert changed(reply, DECIMALS) is None
