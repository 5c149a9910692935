"""Evaluation tasks whose answers follow another rule or have another form than training tasks."""

import random
from collections.abc import Callable

import pytest

from envyard_runner.survey.listing import Listed
from envyard_runner.survey.split_rules import split_difference

Answer = Callable[[int, int], str]


def total(a: int, b: int) -> str:
    return str(a + b)


def listed(answer: Answer, *, seed: int, n: int, words: str = "Combine {} and {}.") -> list[Listed]:
    dice = random.Random(seed)
    pairs = [(dice.randint(10, 999), dice.randint(10, 999)) for _ in range(n)]
    return [
        Listed(i, words.format(a, b), answer(a, b), "", str(i)) for i, (a, b) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda a, b: str(a - b), "the answer is number 1 + number 2"),
        (lambda a, b: str(a * b), "the answer is number 1 + number 2"),
        (lambda a, b: f"{a + b} EUR", "answers look like"),
        (lambda a, b: f"{a + b}.00", "answers look like"),
    ],
)
def test_another_rule_or_form_of_the_evaluation_split_is_named(answer: Answer, text: str) -> None:
    differs = split_difference(listed(total, seed=1, n=40), listed(answer, seed=2, n=12))
    assert differs is not None
    assert differs.text.startswith(text)
    assert (differs.train, differs.evaluation, differs.broken) == (40, 12, 12)


def test_reversed_words_of_training_that_are_sorted_in_evaluation_are_named() -> None:
    words = ["".join(random.Random(n).choices("abcdefgh", k=6)) for n in range(60)]
    tasks = [Listed(i, f"Reverse the word: {w}", w[::-1], "", str(i)) for i, w in enumerate(words)]
    sorted_ones = [
        Listed(i, f"Reverse the word: {w}", "".join(sorted(w)), "", str(i))
        for i, w in enumerate(words[40:])
    ]
    assert split_difference(tasks[:40], tasks[40:]) is None
    differs = split_difference(tasks[:40], sorted_ones)
    assert differs is not None
    assert differs.text == "the answer is the text backwards"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (total, "Combine {} and {}."),
        (total, "Add up {} and then {}, slowly."),
        (lambda a, b: str(a * b), "Multiply {} by {}, which is harder."),
        (lambda a, b: str(-a - b), "The opposite of {} plus {}?"),
        (lambda a, b: f"{a + b + 0.5}", "Combine {}.5 and {}.0."),
    ],
)
def test_the_same_rule_and_other_templates_are_sound(answer: Answer, words: str) -> None:
    evaluation = listed(answer, seed=2, n=12, words=words)
    assert split_difference(listed(total, seed=1, n=40), evaluation) is None


def test_answers_without_a_rule_and_few_tasks_show_nothing() -> None:
    facts = [Listed(i, f"Where is place {i}?", name, "", "") for i, name in enumerate("ABC" * 15)]
    assert split_difference(facts[:30], facts[30:]) is None
    train = listed(total, seed=1, n=40)
    wrong = listed(lambda a, b: str(a - b), seed=2, n=4)
    assert split_difference(train, wrong) is None
    assert split_difference(train, []) is None
