"""Other best choices of named sets."""

from __future__ import annotations

import time

import pytest

from envyard_runner.mutation.operators import mutate

SITES = """Sites and the villages that each covers:
A: Ashby, Borne
B: Crail, Denny
C: Ashby, Crail
D: Borne, Denny
E: Denny

"""
FEW = "Every village must be covered. Choose as few sites as possible: `Build: <site>, ...`."
COURSES = """1. Chess: Monday noon, Friday
2. Drama: Friday, Tuesday
3. Golf: Monday noon, Tuesday
4. Latin: Sunday

"""
MANY = "Choose as many courses as possible, no two of which share an hour."


def changed(prompt: str, reply: str) -> str | None:
    mutant = mutate(reply, "other_choice", prompt=prompt)
    return mutant[0] if mutant else None


def test_another_choice_of_as_many_sets_covers_all() -> None:
    assert changed(SITES + FEW, "Build: A, B") == "Build: C, D"
    assert changed(SITES + FEW, "Build: C and D") == "Build: A and B"
    assert changed(SITES + FEW, '["A", "B"]') == '["C", "D"]'
    assert changed(SITES.replace(": ", " covers ") + FEW, "<answer>D C</answer>") == (
        "<answer>A B</answer>"
    )
    needed = f"{SITES}Needed: Ashby, Denny\n\n{FEW}"
    assert changed(needed, "Build: A, B") == "Build: A, D"


def test_another_choice_of_as_many_sets_is_apart() -> None:
    assert changed(COURSES + MANY, "Chess, Latin") == "Drama, Latin"
    names = "Ada: Bo\nBo: Ada, Cy\nCy: Bo\nDi: Ed\nEd: Di\n\nInvite as many as possible of whom no "
    assert changed(f"{names}two are in conflict.", "Ada, Cy, Di") == "Ada, Cy, Ed"


@pytest.mark.parametrize(
    "more",
    [
        "Of several choices, take the first by the alphabet.",
        "If several are as small, take the one with the lowest letters.",
        "A costs 3 and the others 2; prefer the cheapest.",
        "Site E must be built.",
        "A and C cannot be built together.",
    ],
)
def test_a_prompt_that_wants_more_of_a_choice_has_no_other(more: str) -> None:
    assert changed(f"{SITES}{FEW} {more}", "Build: A, B") is None


def test_ties_that_any_choice_settles_leave_all_open() -> None:
    assert changed(f"{SITES}{FEW} If several are as small, any is fine.", "Build: A, B")


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (SITES + FEW, "Build: A, D"),  # covers not all
        (SITES + FEW, "Build: A, B, E"),  # is not the smallest
        (SITES + FEW, "Build: A, X"),
        (SITES + FEW, "Build: 2"),
        (SITES + "Which site covers the most villages?", "A, B"),
        (SITES.replace("D: Borne, Denny", "D: Borne") + FEW, "Build: A, B"),  # the only one
        (COURSES + MANY, "Chess, Golf"),  # share an hour
        ("Ada: Bo\nBo: Ada, Cy\nCy: Bo\nDi: Bo\n\n" + FEW, "Bo"),  # whom she covers is unclear
        (COURSES.replace("Monday noon", "9:00-10:30") + MANY, "Chess, Latin"),
    ],
)
def test_other_prompts_and_answers_have_none(prompt: str, reply: str) -> None:
    assert changed(prompt, reply) is None


@pytest.mark.parametrize(
    "piece", ["A: x, y\n", "A: x, ", "a b ", ":", "\n", "as few each and, ", "  "]
)
def test_long_prompts_take_no_time(piece: str) -> None:
    prompt = piece * (100_000 // len(piece))
    sets = "\n".join(f"S{n}: x{n % 9}, y{n % 7}, z{n}" for n in range(40))
    began = time.process_time()
    changed(f"{FEW}\n{prompt}", "A, B")
    changed(f"{sets}\n\n{FEW}", ", ".join(f"S{n}" for n in range(20)))
    assert time.process_time() - began < 2.0
