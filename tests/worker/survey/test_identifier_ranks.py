"""Entries whose number tells which is right."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.places import answer_place

COURTS = ("Supreme Court", "Court of Appeal", "District Court", "Tax Court", "Labour Court")


def tasks(
    line: str, question: str, *, first: bool = True, seed: int = 1, rank: int = 0
) -> list[tuple[str, str]]:
    """Tasks with entries whose numbers rise as they were made; of `first` the right one is that of
    `rank`, else a drawn one."""
    rng = random.Random(seed)
    rows = []
    for _ in range(60):
        at, numbers = rng.randint(1000, 6000), []
        for _ in COURTS:
            at += rng.randint(7, 450)
            numbers.append(at)
        entries = [*zip(numbers, rng.sample(COURTS, len(COURTS)), strict=True)]
        right = numbers[rank] if first else rng.choice(numbers)
        rng.shuffle(entries)
        listed = "\n".join(line.format(number=number, court=court) for number, court in entries)
        rows.append((f"Counsel cite, among others the latest:\n{listed}\n\n{question}", str(right)))
    return rows


WHICH = "Which decision must the court follow?"
DOCKET, NUMBERED, BARE = (
    "- A v. B (docket {number}), {court}.",
    "No. {number}: {court}",
    "{number}: {court}",
)


@pytest.mark.parametrize("line", [DOCKET, NUMBERED, BARE])
@pytest.mark.parametrize(("rank", "name"), [(0, "lowest"), (4, "highest")])
def test_entries_numbered_in_the_order_in_which_they_were_made_tell_the_right_one(
    line: str, rank: int, name: str
) -> None:
    assert answer_place(tasks(line, WHICH, rank=rank)) == (
        60,
        f"always the {name} number of its list",
    )


def test_codes_with_letters_are_numbers_too() -> None:
    coded = [
        (prompt.replace("No. ", "S"), f"S{answer}") for prompt, answer in tasks(NUMBERED, WHICH)
    ]
    assert answer_place(coded)[0] == 60


@pytest.mark.parametrize(
    ("line", "question"),
    [
        (DOCKET, "Which has the lowest docket number?"),
        (DOCKET, "Which decision came first?"),
        ("{number} euros, {court}", "Which is the cheapest?"),
        ("{court} costs {number}", WHICH),
        (BARE, "They are numbered by date. " + WHICH),
    ],
)
def test_a_rank_that_prompts_ask_for_and_amounts_tell_nothing(line: str, question: str) -> None:
    assert answer_place(tasks(line, question)) == (0, "")


def test_numbers_that_show_the_form_of_the_reply_and_its_place_do_not_count() -> None:
    form = " Reply with its number in the form No. 1001, on the last line."
    shown = [(f"{p.replace('?', '.')}{form}", f"No. {a}") for p, a in tasks(NUMBERED, WHICH)]
    assert answer_place(shown) == (60, "always the lowest number of its list")


def test_drawn_entries_and_middle_ones_tell_nothing() -> None:
    assert answer_place(tasks(NUMBERED, WHICH, first=False)) == (0, "")
    assert answer_place(tasks(NUMBERED, WHICH, rank=2)) == (0, "")
