"""Which tasks are changed: some of each kind of instruction."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.kinds import of_each_kind


def test_of_prompts_with_other_instructions_each_kind_is_chosen() -> None:
    sums = [f"What is {n} + 2? Answer with a number." for n in range(6)]
    units = [f"How much is {n} x 3? Give the unit too." for n in range(3)]
    chosen = of_each_kind([*sums, *units], 3)
    assert chosen[0] == 0
    assert any(place >= len(sums) for place in chosen)
    assert len(chosen) == 3


def test_of_prompts_of_one_kind_the_first_are_chosen() -> None:
    assert of_each_kind([f"What is {n} + 2?" for n in range(9)], 5) == [0, 1, 2, 3, 4]
    assert of_each_kind(["one", "two"], 5) == [0, 1]
    assert of_each_kind([], 5) == []


@pytest.mark.timeout(20)
def test_long_prompts_take_no_longer_than_their_length() -> None:
    assert of_each_kind(["." * 1_000_000, "x" * 1_000_000, "1" * 1_000_000] * 7, 5)
