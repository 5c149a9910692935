"""Answers by tables of bands, and to which band a limit belongs."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envyard_runner.survey.bands import bands_in
from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]
LIMITS = (20, 40, 60, 80)
Place = Callable[[int, tuple[int, ...]], int]


def upwards(weight: int, limits: tuple[int, ...]) -> int:
    return sum(weight >= limit for limit in limits)


def downwards(weight: int, limits: tuple[int, ...]) -> int:
    return sum(weight > limit for limit in limits)


def freight(place: Place, words: str = "from", stated: str = "") -> Rows:
    """Sixty prices of consignments, a fifth of them at a limit."""
    rng, rows = random.Random(7), []
    for task in range(60):
        rates = sorted(rng.sample(range(110, 990), 5), reverse=True)
        limits = tuple(limit + rng.randint(0, 9) for limit in LIMITS)
        weight = rng.choice(limits) if task % 5 == 0 else rng.randint(10, 99)
        table = "\n".join(
            f"{words} {limit} kg: EUR {rate / 100:.2f} per kg"
            for limit, rate in zip((0, *limits), rates, strict=True)
        )
        fuel = rng.randint(3, 17)
        prompt = (
            f"Rates of the carrier:\n{table}\nA surcharge of {fuel} % comes to it.{stated} What do "
            f"{weight} kg cost? Reply with the amount in EUR."
        )
        cost = rates[place(weight, limits)] * weight * (100 + fuel) / 10_000
        rows.append((task, prompt, f"{cost:.2f}"))
    return rows


def grades(place: Place, table: str) -> Rows:
    """Sixty grades of points, a third of them at a limit."""
    rng, rows = random.Random(3), []
    for task in range(60):
        points = rng.choice(LIMITS) if task % 3 == 0 else rng.randint(1, 99)
        prompt = f"Pupil {task} has {points} points. The grades:\n{table}\nWhich grade is that?"
        rows.append((task, prompt, "EDCBA"[place(points, LIMITS)]))
    return rows


def test_prices_of_the_band_below_a_limit_are_named() -> None:
    rule = label_rule(freight(downwards))
    assert rule is not None
    right = {task: answer for task, _, answer in freight(upwards)}
    assert rule.broken == sum(answer != right[task] for task, _, answer in freight(downwards))
    assert all(abs(float(e.expected) - float(right[e.task])) < 0.011 for e in rule.outliers)


@pytest.mark.parametrize(
    ("place", "words", "stated"),
    [
        (upwards, "from", ""),
        (downwards, "over", ""),
        (downwards, "from", " A weight that is exactly a limit has the rate of the band below."),
        (lambda *given: 4 - upwards(*given), "from", ""),  # another rule
    ],
)
def test_prices_as_the_prompt_says_are_no_label_outliers(
    place: Place, words: str, stated: str
) -> None:
    assert label_rule(freight(place, words, stated)) is None


GRADES = "under 20: E\nfrom 20: D\nfrom 40: C\nfrom 60: B\nfrom 80: A"
AT_MOST = "up to and including 20: E\nat most 40: D\nat most 60: C\nat most 80: B\nover 80: A"
OPEN = "0 to 20: E\n20 to 40: D\n40 to 60: C\n60 to 80: B\n80 to 100: A"


def test_labels_of_the_other_band_are_named() -> None:
    for place, table in ((downwards, GRADES), (upwards, AT_MOST)):
        rule = label_rule(grades(place, table))
        assert rule is not None
        assert rule.broken == 20
    assert label_rule(grades(upwards, GRADES)) is None
    assert label_rule(grades(downwards, AT_MOST)) is None
    assert label_rule(grades(downwards, OPEN)) is None


@pytest.mark.parametrize(
    ("table", "upwards"),
    [
        (GRADES, (True,) * 4),
        (AT_MOST, (False,) * 4),
        ("- 5 or more: a\n- 9 or more: b\n- 12+: c", (True,) * 3),
        ("over 5 kg to 9 kg: a\nover 9 kg to 12 kg: b\nover 12 kg: c", (False,) * 3),
        ("from 5 to under 9: a\nfrom 9 to under 12: b\nfrom 12: c", (True,) * 3),
        ("from 5 to 9: a\nfrom 9 to 12: b\nfrom 12: c", None),
        ("from 5: a\nfrom 4: b\nfrom 12: c", None),
        ("under 5: a\nunder 9: b\nover 9: c", None),  # nothing for 9
        ("up to 5: a\nup to 9: b\nup to 12: c", None),
        ("from 5: a\nThen\nfrom 9: b\nfrom 12: c", None),
    ],
)
def test_bands_are_read_where_each_limit_has_one(
    table: str, upwards: tuple[bool, ...] | None
) -> None:
    read = bands_in(f"Rates.\n{table}\nWhat of 9?")
    assert (read[0].upwards if read else None) == upwards
