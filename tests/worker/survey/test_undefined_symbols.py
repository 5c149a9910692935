"""Signs that have no value, where prompts give each sign one."""

from __future__ import annotations

import random

from envyard_runner.survey.undefined_symbols import undefined_symbols

SIGNS = "@#%&$!?+=~^"


def prompts(*, legend: int, tasks: int = 40, operator: str = "") -> list[str]:
    """Rows of up to eleven signs, of which the legend has at most this many."""
    rng, made = random.Random(1), []
    for task in range(tasks):
        kinds = 3 + task // 5
        values = ", ".join(f"{sign} = {rng.randint(11, 99)}" for sign in SIGNS[:kinds][:legend])
        row = f" {operator} ".join(rng.sample(SIGNS[:kinds] * 2, 2 * kinds)).split()
        made.append(f"Each sign stands for a number: {values}.\n\nAdd up:\n{' '.join(row)}\n")
    return made


def test_signs_beyond_the_legend_are_named() -> None:
    assert undefined_symbols(prompts(legend=8)) == [*range(30, 40)]


def test_rows_whose_signs_all_have_values_are_sound() -> None:
    assert undefined_symbols(prompts(legend=11)) == []


def test_an_operator_between_signs_is_none() -> None:
    assert undefined_symbols(prompts(legend=11, operator="*")) == []


def test_prompts_without_a_legend_are_left_out() -> None:
    texts = [f"Is a = {n} or b = {n + 1} the larger one?\na b c d e\n" for n in range(40)]
    assert undefined_symbols(texts) == []
    assert undefined_symbols(["= " * 100_000] * 12) == []


def test_rare_operators_of_formulas_have_no_value() -> None:
    def formulas(names: str) -> list[str]:
        rng, made = random.Random(2), []
        for _ in range(60):
            values = ", ".join(f"{name} = {rng.randint(2, 9)}" for name in names)
            signs = [rng.choice(names)]
            for _ in range(3):
                signs += [rng.choice("+-*/%^"), rng.choice(names)]
            made.append(f"Let {values}.\nEvaluate:\n{' '.join(signs)}\n")
        return made

    assert undefined_symbols(formulas("xyzw")) == []
    assert undefined_symbols(formulas("@#&$")) == []


def test_signs_whose_values_are_asked_for_are_sound() -> None:
    rng = random.Random(3)
    asked = [
        f"{', '.join(f'{s} = {rng.randint(2, 9)}' for s in SIGNS if s != SIGNS[n % 9])}.\n"
        f"What is {SIGNS[n % 9]} if these add up to 50?\n{' '.join(SIGNS)}\n"
        for n in range(40)
    ]
    assert undefined_symbols(asked) == []
