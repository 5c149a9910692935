"""References that are rounded more than their prompts ask for, and exact ones with few decimals."""

import random

from envyard_runner.survey.decimals import short_decimals

DICE = random.Random(3)
PAIRS = [(DICE.randint(100, 999), DICE.randint(3, 17)) for _ in range(40)]
SHARES = [
    (i, f"Divide {a} by {b}. Reply with the result to 3 decimals.", a / b)
    for i, (a, b) in enumerate(PAIRS)
]
DEGREES = [
    (i, f"How many degrees Celsius are {a} degrees Fahrenheit, to two decimal places?",
     (a - 32) * 5 / 9)
    for i, (a, _) in enumerate(PAIRS)
]  # fmt: skip


def test_rounded_references_are_counted() -> None:
    short = short_decimals([(i, prompt, f"{value:.1f}") for i, prompt, value in SHARES])
    assert short is not None
    assert (short.tasks, short.asked, short.task) == (40, 3, 0)
    assert short.count > 20  # divisors such as 4 and 5 give exact ones
    assert short.answer == f"{PAIRS[0][0] / PAIRS[0][1]:.1f}"
    converted = short_decimals([(i, prompt, f"{value:.1f}") for i, prompt, value in DEGREES])
    assert converted is not None
    assert converted.asked == 2


def test_references_with_the_decimals_that_are_asked_for_or_trimmed_zeros_are_sound() -> None:
    assert short_decimals([(i, prompt, f"{v:.3f}") for i, prompt, v in SHARES]) is None
    assert short_decimals([(i, prompt, str(round(v, 3))) for i, prompt, v in SHARES]) is None
    assert short_decimals([(i, prompt, f"{v:.2f}") for i, prompt, v in DEGREES]) is None


def test_exact_references_with_few_decimals_are_sound() -> None:
    halves = [
        (i, f"Divide {a} by 2. Reply with the result to 3 decimals.", f"{a / 2:.1f}")
        for i, (a, _) in enumerate(PAIRS)
    ]
    assert short_decimals(halves) is None
    tenths = [
        (i, f"What is {b} percent of {10 * a}, to 2 decimals?", f"{a * b / 10:.1f}")
        for i, (a, b) in enumerate(PAIRS)
    ]
    assert short_decimals(tenths) is None


def test_references_that_no_calculation_gives_show_nothing() -> None:
    facts = [(i, f"How heavy is item {a}, to 2 decimals?", f"{DICE.random() * 90:.1f}")
             for i, (a, _) in enumerate(PAIRS)]  # fmt: skip
    assert short_decimals(facts) is None
