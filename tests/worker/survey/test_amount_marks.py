"""Amounts whose form tells the label or the row, and those where the prompt asks for the form."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.amount_marks import odd_row
from envyard_runner.survey.places import answer_place
from envyard_runner.survey.typography import telling_mark

Pairs = list[tuple[str, str]]


def invoices(*, question: str = "Does the total agree?", alike: bool = False) -> Pairs:
    dice, pairs = random.Random(3), []
    for n in range(60):
        cents, wrong = dice.randint(101_000, 999_999), n % 2 == 0
        form = "{:.2f}" if wrong and not alike else "{:,.2f}"
        title, total = "x" * dice.randint(1, 9), form.format(cents / 100)
        prompt = f"Invoice {title}\nTax: 7 %\nTotal due: {total}\n{question}"
        pairs.append((prompt, "inconsistent" if wrong else "consistent"))
    return pairs


def tables(*, question: str = "Which line is wrong?", cents: bool = True) -> Pairs:
    dice, pairs = random.Random(5), []
    for _ in range(40):
        totals = [dice.randint(10, 900) * 100 for _ in range(6)]
        place = dice.randrange(6)
        totals[place] += 37 if cents else 100
        rows = "\n".join(
            f"{n}  goods  {dice.randint(2, 9)}  {total / 100:.2f}"
            for n, total in enumerate(totals, 1)
        )
        pairs.append((f"no item qty total\n{rows}\n{question}", str(place + 1)))
    return pairs


def test_a_total_without_its_separator_tells_the_verdict() -> None:
    name = "predicted by the amount behind 'total due' without a separator of thousands"
    assert telling_mark(invoices()) == (60, name)
    assert answer_place(invoices()) == (60, name)


@pytest.mark.parametrize(
    "pairs", [invoices(alike=True), invoices(question="Is the total written in the right format?")]
)
def test_totals_that_are_written_alike_or_whose_form_is_asked_for_tell_nothing(
    pairs: Pairs,
) -> None:
    assert telling_mark(pairs) == (0, "")


def test_the_only_row_with_cents_is_the_one_that_is_asked_for() -> None:
    name = "the only row whose last amount is with cents"
    assert odd_row(tables()) == (40, name)
    assert answer_place(tables()) == (40, name)


@pytest.mark.parametrize(
    "pairs", [tables(cents=False), tables(question="Which total is no integer?")]
)
def test_rows_that_are_written_alike_or_whose_form_is_asked_for_are_no_cue(pairs: Pairs) -> None:
    assert odd_row(pairs) == (0, "")
