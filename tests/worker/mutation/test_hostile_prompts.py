"""Prompts that make the patterns of changes try every place are read in linear time."""

from __future__ import annotations

import time

import pytest

from envyard_runner.mutation.allowed_forms import grouped
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.by_prompt import of_different_lists
from envyard_runner.mutation.covers import other_choice
from envyard_runner.mutation.form_candidates import candidates
from envyard_runner.mutation.joined_numbers import joined_signs
from envyard_runner.mutation.number_words import number_and
from envyard_runner.mutation.operators import mutate
from envyard_runner.mutation.optional_parts import optional
from envyard_runner.mutation.pairs import are_entries
from envyard_runner.mutation.si_prefixes import with_si_prefix
from envyard_runner.mutation.units import other_unit

LONG = 100_000  # characters
PIECES = ("km, m, ", "km or m/", "give ", "1.", "or " * 9, '"and" ', "British or ", "with 'and' ",
          "give km or m, ", "may group a ", "can use commas ", "bold ", " ",
          "°", "? ", "units ", "the suffix a ", "(2 1 0) or ", "-1", "joined by ", "k for ",
          "a: b, c ", "<a>\n", "a: ")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_long_prompts_are_read_in_linear_time(piece: str) -> None:
    prompt = piece * (LONG // len(piece))
    began = time.process_time()
    other_unit("5.5 km", f"{prompt} not")
    number_and("two hundred five", prompt)
    grouped("1234567", prompt)
    mutate("Answer: 7", "emphasised", prompt=prompt)
    assert time.process_time() - began < 2.0
    began = time.process_time()
    optional("5.5 km", prompt)
    assert time.process_time() - began < 0.5
    began = time.process_time()
    with_si_prefix("4700", prompt)
    of_different_lists(["black", "small", "round"], prompt)
    of_different_lists([f"word{place}" for place in range(20_000)], prompt)
    candidates([prompt], "a: 1\nb: 2")
    other_choice("a, b", f"As few as possible, to cover each.\n{prompt}")
    joined_signs("(1 -2 0)", f"minus or {prompt}")
    mutate("MAK-GG-R-GG", "once", prompt=f"joined by hyphens {prompt}")
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("piece", ["1", "two hundred ", "5 km", " and"])
def test_long_answers_are_read_in_linear_time(piece: str) -> None:
    answer = piece * (LONG // len(piece))
    began = time.process_time()
    other_unit(answer, "Answer in km or m.")
    number_and(answer, 'The word "and" is optional.')
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("piece", [" ", "\n", "x \n", "; ", "{\n", "a: b, ", "`", "+1 "])
def test_long_replies_are_read_in_linear_time(piece: str) -> None:
    lines = piece * (LONG // len(piece))
    began = time.process_time()
    for reply in (f"```\nx{lines}y\n```", f"{lines}```\nx\n```{lines}", lines):
        find_answer(reply)
    are_entries(lines)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("piece", ["word ", "a\n", "abcdefgh", "1,", "a: b, ", " "])
def test_long_replies_are_changed_in_linear_time(piece: str) -> None:
    reply = f"+{piece * (20_000 // len(piece))}x"
    began = time.process_time()
    for operator in ("truncation", "dropped", "inner_line", "one_letter", "sign", "scored"):
        mutate(reply, operator, prompt="In order, please.")
    assert time.process_time() - began < 2.0


def test_tags_in_a_prompt_are_read_in_linear_time() -> None:
    texts = ["<a>\n" * 10_000, "<a></a>" + "<a>" * 13_000]
    texts.append("".join(f"<a{number}>" for number in range(6_000)))
    for text in texts:
        began = time.process_time()
        candidates([text], "a: 1\nb: 2")
        assert time.process_time() - began < 1.0
