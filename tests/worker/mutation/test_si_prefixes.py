"""Amounts with the prefix of a thousand or a million, where a prompt allows it."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

NAMED = "You may answer in ohms, or with k for kilo-ohms."
SAME = "`4700`, `4.7k` and `0.0047M` are the same value."


def prefixed(answer: str, prompt: str) -> str | None:
    mutant = mutate(f"Value: {answer}", "si_prefix", prompt=prompt)
    return mutant[2] if mutant else None


@pytest.mark.parametrize(
    ("answer", "after"), [("4700", "4.7k"), ("12", "0.012k"), ("56000000", "56000k")]
)
def test_a_number_gets_the_prefix_that_the_prompt_allows(answer: str, after: str) -> None:
    assert prefixed(answer, NAMED) == after


def test_of_several_prefixes_each_is_used() -> None:
    changed = [str(prefixed(f"{number}00", SAME)) for number in range(10, 30)]
    assert {each[-1] for each in changed} == {"k", "M"}


@pytest.mark.parametrize(
    "prompt",
    [
        "A resistor of `4.7k`: how many ohms?",
        "Write plain ohms, not `4.7k`.",
        "k stands for kilo.",
        "Do not write k for kilo or M for mega.",
        "In answers k for kilo is not allowed.",
        "Answers in thousands may omit K for thousand.",
        "Prices may have k for thousand.",
        "In the notes `4.7k` and `4700` are the same value.",
        "`4.7k` is never equivalent to a number.",
    ],
)
def test_prompts_that_allow_no_prefix_get_none(prompt: str) -> None:
    assert prefixed("4700", prompt) is None


@pytest.mark.parametrize("answer", ["4.7k", "twelve", "-4700", "1e9"])
def test_other_answers_get_none(answer: str) -> None:
    assert prefixed(answer, NAMED) is None
