"""Prompts that end at whole lines below a limit, and those of free or fixed lengths."""

from __future__ import annotations

import random

from envyard_runner.survey.clipped import clipped_prompts
from envyard_runner.survey.clipped_lists import length


def prompts(limit: int, *, least: int = 6, most: int = 24, tasks: int = 120) -> list[list[int]]:
    """The lengths of the lines of a question and a table, clipped at a whole line."""
    rng, made = random.Random(5), list[list[int]]()
    for _ in range(tasks):
        count = rng.randint(least, most)
        rows = [f"village {rng.randint(10, 99)},{rng.randint(20, 980)}" for _ in range(count)]
        text = "How many tonnes in all?\n\nvillage,wheat\n" + "\n".join(rows)
        kept = text if len(text) <= limit else text[:limit].rsplit("\n", 1)[0]
        made.append([*map(len, kept.split("\n"))])
    return made


def test_prompts_that_pile_up_below_a_limit_are_clipped() -> None:
    texts = prompts(300)
    clipped = clipped_prompts(texts)
    assert len(clipped) > 30
    assert min(length(texts[at]) for at in clipped) > 280


def test_free_lengths_one_length_and_few_prompts_are_not() -> None:
    assert clipped_prompts(prompts(10_000)) == []
    assert clipped_prompts(prompts(10_000, least=15, most=16)) == []
    assert clipped_prompts(prompts(300, tasks=30)) == []
    assert clipped_prompts([]) == clipped_prompts([[]] * 50) == []
