"""Lists that the prompt has in the right order, and lists that are to be ordered."""

from __future__ import annotations

import json
import random

from envyard_runner.survey.places import answer_place

TOWNS = ("Arlen", "Bexley", "Corvo", "Dunmore", "Estwick", "Farrow", "Galen", "Harth")
PLACE = "the list in the order"


def ranked(
    *, shuffled: bool, task: str = "Rank them by height, lowest first.", inline: bool = False
) -> list[tuple[str, str]]:
    rng, rows = random.Random(5), []
    for _ in range(30):
        right = rng.sample(TOWNS, rng.randint(4, 6))
        shown = rng.sample(right, len(right)) if shuffled else right
        lines = (
            ", ".join(shown)
            if inline
            else "\n".join(f"- {town}: {rng.randint(1, 90)} m" for town in shown)
        )
        rows.append((f"Towns:\n\n{lines}\n\n{task} Reply with a JSON list.", json.dumps(right)))
    return rows


def test_a_list_in_the_right_order_is_a_place() -> None:
    assert answer_place(ranked(shuffled=False)) == (30, PLACE)
    assert answer_place(ranked(shuffled=False, inline=True)) == (30, PLACE)
    commas = [(p, ", ".join(json.loads(a))) for p, a in ranked(shuffled=False)]
    assert answer_place(commas) == (30, PLACE)


def test_shuffled_lists_copies_and_selections_are_none() -> None:
    assert answer_place(ranked(shuffled=True)) == (0, "")
    assert answer_place(ranked(shuffled=False, task="Repeat them in this order.")) == (0, "")
    task = "Sort out those above 10 m, in order of appearance."
    assert answer_place(ranked(shuffled=False, task=task)) == (0, "")
    some = [
        (prompt, json.dumps(json.loads(answer)[:3])) for prompt, answer in ranked(shuffled=False)
    ]
    assert answer_place(some) == (0, "")  # to choose them is the work
