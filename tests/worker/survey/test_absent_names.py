"""Questions about rows that a table lacks, and questions whose answer is that they are absent."""

from __future__ import annotations

import random
from collections.abc import Callable

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
