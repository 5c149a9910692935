"""Repeated prompts among many."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from envyard_runner.survey.near_duplicates import TextIndex, common_grams, repeated


def sentences(n: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(f"w{rng.randrange(999)}" for _ in range(40)) for _ in range(n)]


def test_copies_and_near_copies_are_counted_apart() -> None:
    texts = sentences(300)
    copies = texts[:7]
    near = [f"{text} indeed" for text in texts[7:12]]
    assert repeated([*texts, *copies, *near]) == (7, 5)


def test_templates_with_other_numbers_are_no_copies() -> None:
    texts = [f"Add {a} and {a * 7 % 991}. Reply with the number alone." for a in range(200)]
    assert repeated(texts) == (0, 0)


def test_long_instructions_that_all_texts_share_make_no_copies() -> None:
    rules = " ".join(f"rule{n}" for n in range(60))
    texts = [f"{rules}. Sort {text}" for text in sentences(40)]
    texts += [f"{texts[3]} indeed", f"{rules}. Sort w1 w2 w3"]
    index = TextIndex(common_grams(texts))
    assert [index.near_or_add(text) for text in texts] == [None] * 40 + [3, None]
    assert common_grams(texts[:5]) == frozenset()


def test_texts_that_differ_in_marks_alone_are_copies() -> None:
    rules = " ".join(f"rule{n}" for n in range(30))
    texts = [f"{rules}. Reverse: stone {'!' * n}" for n in range(1, 31)]
    index = TextIndex(common_grams(texts))
    assert [index.near_or_add(text) for text in texts] == [None, *[0] * 29]


def test_short_texts_are_compared_whole() -> None:
    assert repeated(["one", "two", "One", "two"]) == (1, 1)  # case is no difference
    assert repeated([]) == (0, 0)


@given(st.lists(st.text(max_size=30), max_size=40))
@settings(max_examples=50, deadline=None)
def test_counts_never_exceed_the_texts(texts: list[str]) -> None:
    exact, near = repeated(texts)
    assert exact == len(texts) - len(set(texts))
    assert 0 <= near <= max(0, len(set(texts)) - 1)
