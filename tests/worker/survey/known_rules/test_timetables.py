"""Earliest arrivals by timetables of prompts, and prompts with times that ask for other things."""

from __future__ import annotations

import random

import pytest

from envyard_runner.mutation.timetables import clock
from envyard_runner.survey.known_rules.timetables import LONGEST, arrival, normal_time
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

TRAINS = """Arden 9:05 -> Bruck 9:40
Bruck 9:42 -> Celle 10:01
Bruck 9:45 -> Celle 10:20
Arden 9:00 -> Celle 10:30
Celle 10:25 -> Doorn 11:00"""
ASK = (
    "You are at Arden from 8:55 on and want to reach Celle as early as possible. Changing trains "
    "takes at least 5 minutes, but not before the first train. When do you arrive?"
)
MEETINGS = "9:00 - 9:45 Anna\n9:30 - 10:15 Ben\n10:00 - 11:00 Cleo"
HEATS = "Anna 9:05 9:40\nBen 9:10 9:38\nCleo 9:12 9:59"
SHIFTS = "Anna 9:05 - Ben 12:40\nBen 9:05 - Cleo 12:40\nCleo 9:05 - Anna 12:40"


def solved(text: str) -> tuple[str, ...]:
    answer = arrival(text)
    return answer.right if answer else ()


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        ("", "", ("10:20",)),
        ("at least 5", "at least 6", ("10:30",)),
        ("at least 5", "at least two", ("10:01",)),
        ("8:55", "9:05", ("10:20",)),
        ("takes at least 5 minutes, but not before the first train", "is possible", ("10:01",)),
        ("You are at Arden from 8:55 on and want to reach Celle",
         "What is the earliest arrival in Doorn for you, at Arden from 9:00 on, or", ("11:00",)),
        ("You are at Arden from 8:55 on and want to reach Celle",
         "From: Arden. To: Doorn. Ready: from 8:55 on. Arrive", ("11:00",)),
    ],
)  # fmt: skip
def test_earliest_arrivals(old: str, new: str, right: tuple[str, ...]) -> None:
    text = ASK.replace(old, new) if old else ASK
    assert solved(f"{TRAINS}\n\n{text}") == right


def test_what_a_prompt_leaves_open_has_several_answers() -> None:
    at = ASK.replace("from 8:55 on", "at 9:05")
    assert solved(f"{TRAINS}\n\n{at}") == ("10:20",)
    after = at.replace("at 9:05", "after 9:00").replace("5 minutes", "6 minutes")
    assert solved(f"{TRAINS}\n\n{after}") == ("10:30",)
    takes = ASK.replace("takes at least 5 minutes", "takes 5 minutes")
    assert solved(f"{TRAINS}\n\n{takes}") == ("10:20", "10:30")
    first = ASK.replace(", but not before the first train", "").replace("8:55", "9:03")
    assert solved(f"{TRAINS}\n\n{first}") == ("10:20",)


@pytest.mark.parametrize(
    "text",
    [
        ASK.replace("as early as possible", "today"),
        ASK.replace("Celle", "Elsen"),
        ASK.replace("Celle", "Celle via Bruck"),
        ASK.replace("from 8:55 on", "from 8:55 or 9:05 on"),
        ASK.replace("5 minutes", "half an hour"),
        f"{ASK} Walking to Bruck takes 20 minutes.",
        f"{ASK} At Bruck it takes 8 minutes.",
        f"{ASK} Take at most one train.",
        f"{ASK} Trains are 5 minutes late.",
        f"{ASK} How long does the journey take?",
        ASK.replace("When do you arrive?", "When do you leave?"),
        ASK.replace("When do you arrive?", "When should you leave Arden to arrive then?"),
        f"{ASK} Change exactly once.",
        f"{ASK} The minimum is what we recommend.",
        f"{ASK} The fewest changes count.",
        f"{ASK} Times are a.m.",
        f"{ASK} {'Think first. ' * 120}",
    ],
)  # fmt: skip
def test_other_questions_are_left_alone(text: str) -> None:
    assert solved(f"{TRAINS}\n\n{text}") == ()


@pytest.mark.parametrize(
    "prompt",
    [
        "A shop opens at 9:05 and closes at 17:40. What is the earliest time you may arrive?",
        f"Meetings:\n{MEETINGS}\nWhat is the earliest time for a call from 9:00 on, or arrival?",
        "Sort these by the earliest arrival:\nAnna 9:05\nBen 8:10\nCleo 7:20",
        f"Heats (start, finish):\n{HEATS}\nWho came earliest? At 9:00 Anna was at the start.",
        f"Shifts:\n{SHIFTS}\nFrom 9:00 on, who hands over to Ben as early as possible?",
        "3 + 4 = 7, 12 - 5 = 7; as early as possible, reach 7 from 3 and 4.",
    ],
)
def test_other_prompts_with_times_are_left_alone(prompt: str) -> None:
    assert solved(prompt) == ()


def test_times_are_read_from_answers() -> None:
    assert normal_time("9:05") == normal_time("At 09:05, with one change") == "09:05"
    assert normal_time("9:05 to 10:20") == normal_time("9:05 pm") == normal_time("545") == ""


def journeys(*, as_text: bool) -> Rows:
    """Timetables around ten o'clock; `as_text` has the labels of times that were sorted as text."""
    dice, towns, pairs = (
        random.Random(4),
        ("Arden", "Bruck", "Celle", "Doorn"),
        list[tuple[str, str]](),
    )
    while len(pairs) < 60:
        legs = []
        for _ in range(14):
            leaves = dice.randrange(550, 700)
            legs.append((*dice.sample(towns, 2), leaves, leaves + dice.randint(12, 45)))
        reached = {"Arden": 545}
        for start, end, leaves, arrives in sorted(legs, key=lambda leg: order(leg[2], as_text)):
            if start in reached and reached[start] + 5 <= leaves:
                reached[end] = min(arrives, reached.get(end, arrives))
        if "Celle" not in reached:
            continue
        listed = "\n".join(f"{a} {short(x)} -> {b} {short(y)}" for a, b, x, y in legs)
        ask = ASK.replace("8:55", "9:10").replace("not before", "not for")
        pairs.append((f"{listed}\n\n{ask}", short(reached["Celle"])))
    return rows(pairs)


def short(minutes: int) -> str:
    return clock(minutes).removeprefix("0")


def order(minutes: int, as_text: bool) -> str:
    return short(minutes) if as_text else clock(minutes)


def test_labels_of_times_that_were_sorted_as_text_are_named() -> None:
    assert label_rule(journeys(as_text=False)) is None
    rule = named(journeys(as_text=True))
    assert rule.text == "the earliest arrival by its timetable"
    assert 3 <= rule.broken <= 20
    assert all(normal_time(each.answer) > each.expected for each in rule.outliers)


def test_instructions_may_rule_more_than_prompts() -> None:
    tasks = journeys(as_text=True)
    assert label_rule(tasks, "You plan journeys. Reply with a time.") is not None
    assert label_rule(tasks, "Every change takes 10 minutes.") is None
    assert label_rule(tasks, "Trains are never on time.") is None


def test_prompts_that_a_survey_may_have_cut_are_left_alone() -> None:
    tasks = [(at, "Look. " * (LONGEST // 6) + p, a) for at, p, a in journeys(as_text=True)]
    assert label_rule(tasks) is None
