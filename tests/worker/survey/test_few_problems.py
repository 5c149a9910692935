"""Few problems behind many prompts."""

from __future__ import annotations

import random

from envyard_runner.survey.few_problems import few_problems
from envyard_runner.survey.listing import Listed

NAMES = ["Amara", "Beatriz", "Chiara", "Dilnoza", "Elif", "Freya", "Greta", "Hanako"]
ILLNESSES = ("cystic fibrosis", "Wilson disease", "phenylketonuria", "galactosaemia")
CROSSES = {
    ("is a carrier", "is a carrier"): "1/4",
    ("is affected", "is a carrier"): "1/2",
    ("is affected", "is affected"): "1",
    ("has two normal copies", "is a carrier"): "0",
}


def listed(prompts: list[tuple[str, str]], shown: str = "") -> list[Listed]:
    return [Listed(at, prompt, answer, shown, "") for at, (prompt, answer) in enumerate(prompts)]


def families(count: int, right: bool = True) -> list[tuple[str, str]]:
    rng = random.Random(4)
    rows = []
    for _ in range(count):
        (mother, father), chance = rng.choice([*CROSSES.items()])
        one, other = rng.sample(NAMES, 2)
        prompt = (
            f"{one}, aged {rng.randint(20, 40)}, and {other} ask about {rng.choice(ILLNESSES)}."
            f" {one} {mother}; {other} {father}. They have {rng.randint(1, 5)} children. What "
            "is the probability that the next one is affected?"
        )
        rows.append((prompt, chance if right else rng.choice([*CROSSES.values()])))
    return rows


def test_prompts_that_differ_in_names_numbers_and_idle_sentences_are_few_problems() -> None:
    assert few_problems(listed(families(120))) == 4


def test_answers_that_the_sentences_do_not_decide_count_as_unknown() -> None:
    assert few_problems(listed(families(120, right=False))) == 0


def test_few_tasks_two_labels_or_one_common_answer_count_as_unknown() -> None:
    assert few_problems(listed(families(30))) == 0
    labels = [(prompt, "yes" if answer == "1" else "no") for prompt, answer in families(120)]
    assert few_problems(listed(labels)) == 0
    common = [("0" if at % 3 else answer) for at, (_, answer) in enumerate(families(120))]
    prompts = [prompt for prompt, _ in families(120)]
    assert few_problems(listed([*zip(prompts, common, strict=True)])) == 0


def test_numbers_and_names_that_decide_are_never_left_out() -> None:
    rng = random.Random(1)
    sums = [
        (a, b) for a, b in zip(rng.sample(range(100), 90), rng.sample(range(100), 90), strict=True)
    ]
    assert few_problems(listed([(f"What is {a} + {b}?", str(a + b)) for a, b in sums])) == 0
    people = [(f"{name} asks: spell {word}.", word[::-1]) for name in NAMES for word in ILLNESSES]
    assert few_problems(listed(people * 2)) == 4  # the name decides nothing, and the word does


def test_prompts_of_different_lengths_and_hidden_secrets_count_as_unknown() -> None:
    uneven = [
        (("So it is. " * (at % 7)) + prompt, a) for at, (prompt, a) in enumerate(families(90))
    ]
    assert few_problems(listed(uneven)) == 0
    assert few_problems(listed([("Guess my number.", str(at)) for at in range(90)])) == 0
