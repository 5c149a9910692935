"""Prompts that make the patterns of changes try every place are read in linear time."""

from __future__ import annotations

import time

import pytest

from envyard_runner.mutation.number_words import number_and
from envyard_runner.mutation.optional_parts import optional
from envyard_runner.mutation.units import other_unit

LONG = 100_000  # characters
PIECES = ("km, m, ", "km or m/", "give ", "1.", "or " * 9, '"and" ', "British or ", "with 'and' ",
          "give km or m, ", " ", "°", "? ", "units ")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_long_prompts_are_read_in_linear_time(piece: str) -> None:
    prompt = piece * (LONG // len(piece))
    began = time.process_time()
    other_unit("5.5 km", f"{prompt} not")
    number_and("two hundred five", prompt)
    assert time.process_time() - began < 2.0
    began = time.process_time()
    optional("5.5 km", prompt)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("piece", ["1", "two hundred ", "5 km", " and"])
def test_long_answers_are_read_in_linear_time(piece: str) -> None:
    answer = piece * (LONG // len(piece))
    began = time.process_time()
    other_unit(answer, "Answer in km or m.")
    number_and(answer, 'The word "and" is optional.')
    assert time.process_time() - began < 2.0
