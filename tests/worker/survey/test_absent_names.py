"""Questions about rows that a table lacks, and questions whose answer is that they are absent."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envyard_runner.survey.absent_names import absent_names
from envyard_runner.survey.incomplete import incomplete_prompts
from envyard_runner.survey.listing import Listed

ARTICLES = [f"{first}{last}" for first in ("bol", "wash", "hin", "clam") for last in
            ("ton", "erly", "gewick", "pard", "rick", "sted")]  # fmt: skip


def stock(
    *, limit: int, answer: Callable[[str, int, bool], str], question: str = "How many '{}' are in?"
) -> list[Listed]:
    """Tables of 8 to 20 rows of which `limit` are shown; `answer` gets name, number and whether it
    is shown."""
    rng, tasks = random.Random(4), []
    for index in range(80):
        rows = [(name, rng.randint(10, 900)) for name in rng.sample(ARTICLES, rng.randint(8, 20))]
        name, units = rng.choice(rows)
        table = "\n".join(f"{each}  {number}" for each, number in rows[:limit])
        shown = name in dict(rows[:limit])
        prompt = f"The list:\n\n{table}\n\n{question.format(name)} Give the number alone."
        tasks.append(Listed(index, prompt, answer(name, units, shown), "", ""))
    return tasks


def units(_: str, number: int, shown: bool) -> str:
    return str(number)


def test_questions_about_rows_that_were_cut_are_incomplete() -> None:
    cut = stock(limit=12, answer=units)
    lacking = absent_names(cut)
    assert 5 < len(lacking) < 30
    assert absent_names(stock(limit=12, answer=units, question="How many {} are in?")) == lacking
    named = incomplete_prompts(cut)
    assert named is not None
    assert named.count == len(lacking)
    assert "names what the rest lacks" in named.reason


def test_whole_tables_and_answers_that_say_so_are_sound() -> None:
    assert absent_names(stock(limit=20, answer=units)) == []
    unknown = stock(limit=12, answer=lambda _, number, shown: str(number) if shown else "unknown")
    assert absent_names(unknown) == []
    listed = stock(
        limit=12,
        answer=lambda _, __, shown: "yes" if shown else "no",
        question="Is '{}' in the list?",
    )
    assert absent_names(listed) == []


def sailings(
    *, limit: int, question: str, also: str = "", listed: str = "{:02}:{:02}"
) -> list[Listed]:
    """Boards of 8 to 20 sailings of which `limit` are shown; `question` gets the time of one of
    all, and every third task has the question `also` where there is one."""
    rng, tasks = random.Random(6), []
    for index in range(90):
        minutes = sorted(rng.sample(range(60, 288), rng.randint(8, 20)))
        rows = [(at * 5 // 60, at * 5 % 60, f"{rng.randint(1, 6)}{rng.choice('ABC')}")
                for at in minutes]  # fmt: skip
        hour, minute, pier = rng.choice(rows)
        board = "\n".join(f"{listed.format(h, m)}   {each}" for h, m, each in rows[:limit])
        own = also if also and index % 3 == 0 else question
        last = own.format(hour, minute, hour % 12 or 12, "pm" if hour > 11 else "am")
        tasks.append(Listed(index, f"Departures\n\n{board}\n\n{last}", pier, "", ""))
    return tasks


OF_TIME = "At which pier does the {:02}:{:02} departure leave?"


def test_questions_about_times_that_were_cut_are_incomplete() -> None:
    assert 5 < len(absent_names(sailings(limit=13, question=OF_TIME))) < 35


@pytest.mark.parametrize(
    ("question", "also"),
    [
        (OF_TIME, ""),
        (OF_TIME, "It is 05:01 now and you need a ferry. Which pier has the next one?"),
        (OF_TIME, "From which pier does the first ferry after {:02}:{:02} leave?"),
        ("At which pier does the {2}:{1:02} {3} departure leave?", ""),
        ("At which pier does the {}:{:02} departure leave?", ""),
    ],
)
def test_whole_boards_and_times_that_are_compared_are_sound(question: str, also: str) -> None:
    assert absent_names(sailings(limit=20, question=question, also=also)) == []


def test_times_that_are_compared_with_those_of_a_board_name_no_row() -> None:
    """A question may name any time: what leaves after it stands in the board."""
    for question in ("Which pier has the next ferry after {:02}:{:02}?",
                     "The clock shows {:02}:{:02}, so which pier has the next ferry?",
                     "Which pier can I use if I must be there for {:02}:{:02}?",
                     "Which pier suits a {:02}:{:02} meeting?",
                     "Which pier is free {0:02}:{1:02}-{0:02}:59?",
                     "From which pier do I leave, arriving {:02}:{:02}?"):  # fmt: skip
        assert absent_names(sailings(limit=13, question=question)) == []
