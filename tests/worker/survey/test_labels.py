"""Answers that break the rule of the others, and sound sets whose answers follow no single rule."""

import html
import random
import statistics
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]
NAMES = ["Ana", "Bo", "Cem", "Dia", "Eli", "Fay", "Gus", "Hal", "Ida", "Jon"]
THINGS = ["apples", "pears", "plums", "nuts", "figs"]
WEEKDAYS = [f"{date(2024, 1, day):%A}" for day in range(1, 8)]
SYLLABLES = ["ba", "ko", "li", "mu", "ne", "ri", "su", "ta", "vo", "zi"]


def rows(prompt: Callable[[random.Random], tuple[str, str]], n: int = 40) -> Rows:
    dice = random.Random(7)
    return [(task, *prompt(dice)) for task in range(n)]


def spoiled(tasks: Rows, change: Callable[[str], str]) -> Rows:
    """The tasks with wrong labels in a tenth of them."""
    return [(task, p, change(a) if task % 10 == 3 else a) for task, p, a in tasks]


def added(dice: random.Random) -> tuple[str, str]:
    a, b = dice.randint(100, 999), dice.randint(100, 999)
    return f"Add {a} and {b}. Reply with the number alone.", str(a + b)


def story(dice: random.Random) -> tuple[str, str]:
    name, thing = dice.choice(NAMES), dice.choice(THINGS)
    a, b, c = dice.randint(20, 90), dice.randint(2, 9), dice.randint(2, 9)
    return (
        f"{name} has {a} {thing} and buys {b} bags of {c} {thing}. How many {thing} are there?",
        f"So there are {a} + {b * c}.\n#### {a + b * c}",
    )


def share(dice: random.Random) -> tuple[str, str]:
    a, b = dice.randint(100, 999), dice.randint(3, 17)
    return f"Divide {a} by {b} and round to 2 decimals.", f"{a / b:.2f}"


def backwards(dice: random.Random) -> tuple[str, str]:
    word = "".join(dice.choices(SYLLABLES, k=3))
    return f"Write this word backwards: {word}", word[::-1]


def vowels(dice: random.Random) -> tuple[str, str]:
    text = " ".join("".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(3))
    return f"How many vowels are in '{text}'?", str(sum(each in "aeiou" for each in text))


def ordered(dice: random.Random) -> tuple[str, str]:
    values = dice.sample(range(10, 99), dice.randint(4, 7))
    return f"Sort in ascending order: {', '.join(map(str, values))}", str(sorted(values))


def numeral(dice: random.Random) -> tuple[str, str]:
    number = dice.randint(30, 255)
    return f"Write {number} in binary.", f"{number:b}"


def any_date(dice: random.Random) -> date:
    return date(1900, 1, 1) + timedelta(dice.randrange(70_000))


def weekday(dice: random.Random) -> tuple[str, str]:
    day = any_date(dice)
    form = dice.choice((f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}", f"{day}"))
    return f"On which weekday does {form} fall?", f"{day:%A}"


def between(dice: random.Random) -> tuple[str, str]:
    one, other = any_date(dice), any_date(dice)
    return f"How many days lie between {one} and {other}?", str(abs((one - other).days))


@pytest.mark.parametrize(
    ("prompt", "change"),
    [
        (weekday, lambda answer: WEEKDAYS[WEEKDAYS.index(answer) - 1]),
        (between, lambda answer: str(int(answer) + 31)),
        (added, lambda answer: str(int(answer) + 7)),
        (story, lambda answer: f"{answer[:-1]}{(int(answer[-1]) + 3) % 10}"),
        (share, lambda answer: f"{float(answer) + 0.4:.2f}"),
        (backwards, lambda answer: answer[1:] + answer[0]),
        (vowels, lambda answer: str(int(answer) + 2)),
        (ordered, lambda answer: str([11, *map(int, answer[1:-1].split(","))])),
        (numeral, lambda answer: answer[:-1] + str(1 - int(answer[-1]))),
    ],
)
def test_wrong_labels_in_a_tenth_of_the_tasks_are_named(
    prompt: Callable[[random.Random], tuple[str, str]], change: Callable[[str], str]
) -> None:
    tasks = rows(prompt)
    assert label_rule(tasks) is None
    rule = label_rule(spoiled(tasks, change))
    assert rule is not None
    assert [outlier.task for outlier in rule.outliers] == [3, 13, 23, 33]
    assert (rule.tasks, rule.broken) == (40, 4)


def test_the_rule_says_what_the_answer_should_be() -> None:
    rule = label_rule(spoiled(rows(added), lambda answer: str(int(answer) + 7)))
    assert rule is not None
    outlier = rule.outliers[0]
    assert rule.text == "number 1 + number 2"
    assert int(outlier.answer) == int(outlier.expected) + 7


def clamped(dice: random.Random) -> tuple[str, str]:
    a, b = dice.randint(10, 99), dice.randint(1, 25)
    return f"A tank holds {a} litres and {b} flow out. How many are left?", str(max(0, a - b))


def discounted(dice: random.Random) -> tuple[str, str]:
    a, b = dice.randint(10, 60), dice.randint(2, 9)
    price = a * b - (15 if a * b > 400 else 0)
    return f"{b} lamps at {a} EUR each; orders above 400 EUR cost 15 less. The price?", str(price)


def signed(dice: random.Random) -> tuple[str, str]:
    a, b = dice.randint(100, 999), dice.randint(100, 999)
    minus = dice.random() < 0.1
    word = "take away" if minus else "add"
    return f"Start with {a} and {word} {b}.", str(a - b if minus else a + b)


def worded(dice: random.Random) -> tuple[str, str]:
    """A word that few prompts have changes the calculation."""
    a, b = dice.randint(10, 99), dice.randint(10, 99)
    who = "twins" if dice.random() < 0.12 else "friends"
    return f"The {who} have {a} and {b} coins.", str(2 * (a + b) + 1 if who == "twins" else a + b)


def distinct(dice: random.Random) -> tuple[str, str]:
    values = dice.choices(range(10, 60), k=4)
    return f"Give the sum of the set {values}.", str(sum(set(values)))


def largest(dice: random.Random) -> tuple[str, str]:
    values = dice.sample(range(10, 99), 3)
    odd = [value for value in values if value % 7 != 3]
    return f"Among {values}, name the largest that suits.", str(max(odd or [0]))


def syllables(dice: random.Random) -> tuple[str, str]:
    parts = dice.choices(SYLLABLES, k=dice.randint(1, 8))
    silent = dice.random() < 0.12
    text = "".join(parts) + ("te" if silent else "")
    return f"How many syllables has {text}?", str(len(parts) + silent * 0)


def sorted_names(dice: random.Random) -> tuple[str, str]:
    words = ["".join(dice.choices(SYLLABLES, k=2)) for _ in range(4)]
    words = [word.title() if dice.random() < 0.3 else word for word in words]
    order = sorted(words, key=str.casefold)
    return f"Sort alphabetically: {' '.join(words)}", " ".join(order)


def capitals(dice: random.Random) -> tuple[str, str]:
    return f"What is the capital of {dice.choice(NAMES)}land?", dice.choice(NAMES)


@pytest.mark.parametrize(
    "prompt",
    [added, story, share, backwards, vowels, ordered, numeral, weekday, between, clamped,
     discounted, signed, worded,
     distinct, largest, syllables, sorted_names, capitals],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(6))
def test_sound_sets_have_no_outliers(
    prompt: Callable[[random.Random], tuple[str, str]], seed: int
) -> None:
    dice = random.Random(seed)
    assert label_rule([(task, *prompt(dice)) for task in range(60)]) is None


def test_few_tasks_and_conditions_in_the_system_prompt_show_nothing() -> None:
    wrong = spoiled(rows(added), lambda answer: str(int(answer) + 7))
    assert label_rule(wrong[:14]) is None
    assert label_rule(wrong, "Add 7 to the sum if both numbers are odd.") is None
    assert label_rule(wrong, "If you are unsure, guess.") is not None


def test_answers_with_html_entities_that_prompts_do_not_have_are_named() -> None:
    titles = [f"Volume {n} of {'Tom &amp; Ann' if n % 9 == 0 else 'Bea'}" for n in range(40)]
    tasks = [
        (n, f"Shelf: {html.unescape(each)}, red. Title?", each) for n, each in enumerate(titles)
    ]
    rule = label_rule(tasks)
    assert rule is not None
    assert (rule.text, rule.tasks, rule.broken) == ("a piece of the prompt", 40, 5)
    assert rule.outliers[0].expected == "Volume 0 of Tom & Ann"
    shown_alike = [(n, f"Shelf: {each}, red. Title?", each) for n, each in enumerate(titles)]
    assert label_rule(shown_alike) is None
    escaping = [(n, f"Escape: {html.unescape(each)}", each) for n, each in enumerate(titles)]
    assert label_rule(escaping) is None


def scores(middle: Callable[[list[int]], float], question: str) -> list[tuple[int, str, str]]:
    """Questions about nine to sixteen scores, every third about another thing than the median."""
    rng, tasks = random.Random(5), []
    for n in range(60):
        values = [rng.randint(20, 60) for _ in range(rng.randint(9, 16))]
        shown = ", ".join(map(str, values))
        asked = "What is the highest of them?" if n % 3 == 0 else question
        answer = max(values) if n % 3 == 0 else middle(sorted(values))
        tasks.append((n, f"The scores of quiz {n}: {shown}. {asked}", f"{answer:g}"))
    return tasks


def upper(values: list[int]) -> float:
    return values[len(values) // 2]


def test_medians_of_even_lists_that_are_the_upper_value_are_named() -> None:
    rule = label_rule(scores(upper, "What is their median?"))
    assert rule is not None
    assert rule.text == "the median"
    assert rule.broken > 10
    assert float(rule.outliers[0].expected) < float(rule.outliers[0].answer)
    assert label_rule(scores(statistics.median, "What is their median?")) is None
    assert label_rule(scores(upper, "What is their upper median?")) is None
