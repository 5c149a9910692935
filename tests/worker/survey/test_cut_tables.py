"""Tables that are cut at one length, and those that end as they should."""

from __future__ import annotations

import random

from envyard_runner.survey.cut_tables import cut_tables
from envyard_runner.survey.incomplete import incomplete_prompts
from envyard_runner.survey.listing import Listed

NAMES = [
    "Abbey",
    "Birk",
    "Corran",
    "Dunmore",
    "East",
    "Fallow",
    "Grange",
    "Holt",
    "Inver",
    "Jessop",
    "Kirk",
    "Low",
    "Marsh",
]


def prompts(limit: int, *, total: bool = False, tasks: int = 60) -> list[str]:
    """Tables of five to thirteen rows, cut at `limit` characters."""
    rng, made = random.Random(3), []
    for n in range(tasks):
        chosen = rng.sample(NAMES, 5 + n % 9)
        rows = [f"{name:<10}{rng.randint(10, 99):>6}{rng.randint(10, 99):>6}" for name in chosen]
        rows += ["all       99"] if total else []
        table = "\n".join([f"{'grower':<10}{'Q1':>6}{'Q2':>6}", *rows])[:limit].rstrip()
        made.append(f"Crates:\n\n{table}\n\nHow many crates has {chosen[n % 5]} in Q1?")
    return made


def test_a_table_that_is_cut_lacks_numbers_in_its_last_row() -> None:
    texts = prompts(220)
    cut = cut_tables(texts)
    assert len(cut) > 20
    tasks = [Listed(n, text, f"{n}", "", "") for n, text in enumerate(texts)]
    incomplete = incomplete_prompts(tasks)
    assert incomplete is not None
    assert incomplete.reason.startswith("its table is cut")
    assert incomplete.tasks == cut[: len(incomplete.tasks)]


def test_whole_tables_and_those_with_a_line_of_totals_are_sound() -> None:
    assert cut_tables(prompts(10_000)) == []
    assert cut_tables(prompts(10_000, total=True)) == []
    assert cut_tables(prompts(220)[:2]) == []
    rows = "head\n" + "1 2\n" * 80
    odd = [
        f"{text}\n\n{rows}{'1' if n in (7, 8, 9) else '1 2'}"
        for n, text in enumerate(prompts(10_000))
    ]
    assert cut_tables(odd) == []
    assert cut_tables(["Add 3 and 4.", "Add 5 and 6."]) == []
