"""Problems that both splits pose under other names."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

from envyard.contract.survey import Survey
from envyard_runner.survey.listing import Listed
from envyard_runner.survey.shared_problems import with_shared_problems

WHO = ("Anna", "Ben", "Chloé", "Dario", "Eva", "Finn", "Greta", "Hugo")
WORDS = (
    "ev",
    "goz",
    "kus",
    "yol",
    "deniz",
    "okul",
    "koy",
    "gun",
    "tas",
    "sut",
    "bahce",
    "araba",
    "kapi",
    "kopru",
    "masa",
    "sehir",
    "orman",
)


def splits(
    answer: Callable[[str, str], str], *, held_out: int = 0, known: bool = False
) -> tuple[list[Listed], list[Listed]]:
    """60 training and 40 evaluation tasks; the last `held_out` words are in these alone."""
    pairs = random.Random(2).sample([*product(WHO, WORDS)], 100)
    kept, apart = {*WORDS[: len(WORDS) - held_out]}, {*WORDS[len(WORDS) - held_out :]}
    rows = [
        Listed(at, f"{who} learns the word {word}. What is its plural?", answer(who, word), "", "")
        for at, (who, word) in enumerate(pairs)
    ]
    train = [row for row, (_, word) in zip(rows[:60], pairs[:60], strict=True) if word in kept]
    other = [
        Listed(row.index, row.prompt, row.answer if known else None, "", "")
        for row, (_, word) in zip(rows[60:], pairs[60:], strict=True)
        if word in (apart or kept)
    ]
    return train, other


def shared(train: list[Listed], evaluation: list[Listed]) -> int:
    return with_shared_problems(Survey(shared_exact=1), train, evaluation).shared_near


def test_problems_under_other_names_are_near_ones() -> None:
    assert shared(*splits(lambda _, word: f"{word}ler")) > 30
    assert shared(*splits(lambda _, word: f"{word}ler", known=True)) > 30


def test_problems_of_one_split_and_names_that_decide_are_not() -> None:
    assert shared(*splits(lambda _, word: f"{word}ler", held_out=5)) == 0
    assert shared(*splits(lambda who, word: f"{word} {who}")) == 0
    assert shared(*splits(lambda _, word: "ler")) == 0  # equal answers show nothing


def test_a_few_that_meet_by_chance_are_not() -> None:
    train, evaluation = splits(lambda _, word: f"{word}ler", held_out=5)
    more = [Listed(200 + at, f"Anna has task {at}", None, "", "") for at in range(40)]
    again = [Listed(300, train[0].prompt.replace("Anna", "Zoe"), None, "", "")]
    assert shared(train, [*evaluation, *more, *again]) == 0


def test_evaluation_tasks_with_another_answer_are_other_problems() -> None:
    train, evaluation = splits(lambda _, word: f"{word}ler", known=True)
    other = [Listed(each.index, each.prompt, "another", "", "") for each in evaluation]
    assert shared(train, other) == 0
