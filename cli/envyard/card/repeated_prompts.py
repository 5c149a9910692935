"""Prompts that repeat: exact copies, and near copies by the words they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COMPARED = 200
GRAM = 5
NEAR = 0.8

Grams = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Counts among `n` prompts: `exact` equal an earlier one, `near` nearly do."""

    n: int
    exact: int
    near: int


def repeated(prompts: Sequence[str]) -> Repeated:
    """Compare each of the first 200 prompts with those before it.

    Near: Jaccard similarity of word 5-grams above 0.8, the measure of Lee et al. 2021
    ("Deduplicating training data makes language models better").
    """
    distinct: set[str] = set()
    distinct_grams: list[Grams] = []
    exact = near = 0
    compared = prompts[:COMPARED]
    for prompt in compared:
        if prompt in distinct:
            exact += 1
            continue
        distinct.add(prompt)
        prompt_grams = grams(prompt)
        if any(similar(prompt_grams, earlier) for earlier in distinct_grams):
            near += 1
        else:
            distinct_grams.append(prompt_grams)
    return Repeated(len(compared), exact, near)


def grams(text: str) -> Grams:
    """The text's word 5-grams; a shorter text is one gram."""
    words = text.lower().split()
    return frozenset(tuple(words[i : i + GRAM]) for i in range(max(1, len(words) - GRAM + 1)))


def similar(first: Grams, second: Grams) -> bool:
    """Whether they share more than NEAR of what they hold together."""
    if min(len(first), len(second)) <= NEAR * max(len(first), len(second)):
        return False  # the sizes alone rule it out
    shared = len(first & second)
    return shared > NEAR * (len(first) + len(second) - shared)
