"""Another route of least cost, where the prompt says that any is right."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.graphs import cost_of, read_graph
from envyard_runner.mutation.operators import mutate

ROADS = """Abel - Birk: 2 km
Abel - Cove: 3 km
Birk - Dorn: 3 km
Cove - Dorn: 2 km
Abel - Elm: 9 km"""
MILLS = """1. Old Mill - Red Gate (4)
2. Old Mill - Inn (4)
3. Inn - Fair (1.5)
4. Red Gate - Fair (1.5)
Give any cheapest way from Old Mill to Fair."""
ANY = "Find a shortest route from Abel to Dorn. If several are equally short, any of them will do."
TWO_WAYS = f"Roads, usable in both directions:\n{ROADS}\n\n{ANY}"
LINKS = "S -> A, S -> B, A -> T, B -> T, T -> S"
JUST = "Give any shortest path from S to T."


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        (TWO_WAYS, "Abel -> Birk -> Dorn", "Abel -> Cove -> Dorn"),
        (TWO_WAYS, "Abel, Cove, Dorn", "Abel, Birk, Dorn"),
        (f"{TWO_WAYS} Changing lines takes no time.", "Abel, Cove, Dorn", "Abel, Birk, Dorn"),
        (TWO_WAYS, '["Abel", "Cove", "Dorn"]', '["Abel", "Birk", "Dorn"]'),
        (TWO_WAYS, "Dorn > Birk > Abel", "Dorn > Cove > Abel"),
        (f"{TWO_WAYS} Form: Abel -> ... -> Dorn", "Abel Birk Dorn", "Abel Cove Dorn"),
        (f"Links: {LINKS}. {JUST}", "S -> A -> T", "S -> B -> T"),
        (f"{LINKS}. {JUST} Write it as in T -> S -> A.", "S -> B -> T", "S -> A -> T"),
        (MILLS, "Old Mill, Inn, Fair", "Old Mill, Red Gate, Fair"),
    ],
)
def test_another_route_of_the_same_cost(prompt: str, answer: str, after: str) -> None:
    changed = mutate(f"<route>{answer}</route>", "other_route", prompt=prompt)
    assert changed is not None
    assert changed[0] == f"<route>{after}</route>"


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (ROADS + "\nFind the shortest route from Abel to Dorn.", "Abel -> Birk -> Dorn"),
        (TWO_WAYS.replace("Cove: 3", "Cove: 4"), "Abel -> Birk -> Dorn"),
        (TWO_WAYS.replace("Cove: 3", "Cove: 1"), "Abel -> Birk -> Dorn"),
        (f"{TWO_WAYS} Of several, the first in alphabetical order.", "Abel -> Birk -> Dorn"),
        (f"{TWO_WAYS} Avoid Cove.", "Abel -> Birk -> Dorn"),
        (f"{TWO_WAYS} Changing lines takes two minutes.", "Abel -> Birk -> Dorn"),
        (f"{TWO_WAYS}\nCove - Dorn: 5 km in winter", "Abel -> Birk -> Dorn"),
        (TWO_WAYS.replace("2 km", "2 km, 4 min"), "Abel -> Birk -> Dorn"),
        (f"Some are one-way.\n{ROADS}\n{ANY}", "Abel -> Birk -> Dorn"),
        (f"Links: {LINKS.replace('B -> T', 'T -> B')}. {JUST}", "S -> A -> T"),
        (TWO_WAYS, "Abel -> Fjord -> Dorn"),
        (TWO_WAYS, "Abel -> Birk, Dorn"),
        (TWO_WAYS, "5 km"),
        (TWO_WAYS, "[1, [2], 3]"),
    ],
)
def test_where_another_route_may_be_wrong_nothing_changes(prompt: str, answer: str) -> None:
    assert mutate(f"<route>{answer}</route>", "other_route", prompt=prompt) is None


def test_as_few_stops_where_the_prompt_wants_the_fewest() -> None:
    roads = "A - B: 1\nB - C: 1\nC - D: 2\nA - D: 4\nA - E: 2\nE - D: 2"
    prompt = f"{roads}\nGive any cheapest way from A to D with the fewest stops."
    assert mutate("A, E, D", "other_route", prompt=prompt) is None
    prompt = f"{roads}\nGive any cheapest way from A to D."
    changed = mutate("A, E, D", "other_route", prompt=prompt)
    assert changed is not None
    assert changed[2] in ("A, B, C, D", "A, D")


def test_arrows_lead_one_way_unless_the_prompt_says_otherwise() -> None:
    graph = read_graph("A -> B: 2, B -> C: 3, C <-> D: 4")
    assert graph is not None
    assert cost_of(graph, ["A", "B", "C", "D"]) == 9
    assert cost_of(graph, ["D", "C"]) == 4
    assert cost_of(graph, ["C", "B"]) is None
    graph = read_graph("Both ways: A -> B: 2, B -> C: 3, C -> D: 4")
    assert graph is not None
    assert cost_of(graph, ["D", "C", "B"]) == 7


@pytest.mark.parametrize(
    "text",
    ["", "A - A: 1, B - C: 2, C - D: 3", "A - B: 1, A - B: 2, C - D: 3", "A -> B -> C -> D -> E"],
)
def test_what_is_no_graph(text: str) -> None:
    assert read_graph(text) is None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["A -" * 9_000, "Aa " * 9_000, "A - B: 1\n" * 3_000, " " * 30_000, "a-" * 15_000]
)
def test_hostile_prompts_and_answers_are_read_in_time(text: str) -> None:
    prompt = f"{ANY} {text}"
    assert mutate(text, "other_route", prompt=prompt) is None
    assert mutate("Abel -> Birk -> Dorn", "other_route", prompt=prompt) is None
