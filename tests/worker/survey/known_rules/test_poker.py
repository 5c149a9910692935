"""Poker hands: cards in several notations, labels of hands, and aces of other conventions."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.known_rules.poker import (
    CATEGORIES,
    cards_in,
    category,
    category_name,
    strength,
    winner,
    winner_label,
)
from envyard_runner.survey.labels import label_rule

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
SHOWDOWN = "Two poker hands.\nA: {}\nB: {}\nWhich hand wins? Answer A, B or tie."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ah Kd 9s 5c 2d", "high card"),
        ("10\u2665 10\u2660 9\u2663 5\u2666 2\u2666", "one pair"),
        ("\u2665A \u2660A \u26639 \u26669 \u26662", "two pair"),
        ("ace of spades, Ace of Hearts, ace of clubs, 9 of diamonds and two of clubs",
         "three of a kind"),
        ("Ah 2d 3s 4c 5d", "straight"),
        ("Ah 2h 3h 4h 9h", "flush"),
        ("Qc Qd Qh 2s 2c", "full house"),
        ("Qc Qd Qh Qs 2c", "four of a kind"),
        ("5c 6c 7c 8c 9c", "straight flush"),
    ],
)  # fmt: skip
def test_categories(text: str, kind: str) -> None:
    assert CATEGORIES[strength(cards_in(text))[0]][0] == kind
    solved = category(f"What is the category of this poker hand: {text}?")
    assert solved is not None
    assert solved.right[0] == kind


def test_names_of_categories_have_one_normal_form() -> None:
    assert category_name("Two Pairs") == category_name("two pair") == "two pair"
    assert category_name("Full-house") == category_name("A full house") == "full house"
    assert category_name("Pair of kings") == ""
    solved = category("Name this hand: Tc Jc Qc Kc Ac")
    assert solved is not None
    assert {"royal flush", "straight flush"} <= {*solved.right}


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Player 1: Ah Ad 2c 3c 9d\nPlayer 2: Kh Kd 4c 5c 9s\nWho wins?", "1"),
        ("Alice holds 2c 3c 4c 5c 9c and Bob holds Ah Ad Ac Kd Ks. Who wins?", "bob"),
        ("Hand A = [Ah, Kd, 9s, 5c, 2d]\nHand B = [As, Kc, 9d, 5d, 3d]\nThe better hand?", "b"),
        ("**First hand:** 2h 2d 3c 4c 6d\n**Second hand:** 3h 3d 4s 5c 7s\nWho wins?", "2"),
    ],
)
def test_labels_of_winners(prompt: str, right: str) -> None:
    solved = winner(prompt)
    assert solved is not None
    assert solved.right == (right, right)


def test_winners_are_read_from_answers() -> None:
    assert winner_label("Player 1 wins") == winner_label("1") == "1"
    assert winner_label("Hand B") == winner_label("b") == "b"
    assert winner_label("split pot") == winner_label("Tie") == "tie"
    assert winner_label("I do not know") == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "A: Ah Ad 2c 3c 9d\nB: Kh Kd 4c 5c\nWho wins?",
        "A: Ah Ad 2c 3c 9d\nB: Ah Kd 4c 5c 9s\nWho wins?",
        "Ah Ad 2c 3c 9d against Kh Kd 4c 5c 9s: who wins?",
        "A: Ah Ad 2c 3c 9d\nB: Kh Kd 4c 5c 9s\nWho bets?",
    ],
)
def test_unclear_hands_are_left_alone(prompt: str) -> None:
    assert winner(prompt) is None


def showdowns(*, aces_low: bool = False, flush_first: bool = False) -> list[tuple[int, str, str]]:
    """Hands of good categories; labels with other rules on demand."""
    dice, tasks = random.Random(3), []
    suited = [[rank + suit for rank in "2379K"] for suit in "cdhs"]
    full = [
        [f"{a}c", f"{a}d", f"{a}h", f"{b}c", f"{b}d"] for a, b in ("45", "56", "68", "8T", "TJ")
    ]
    while len(tasks) < 120:
        hands = [
            dice.choice((dice.choice(suited), dice.choice(full), dice.sample(DECK, 5)))
            for _ in "AB"
        ]
        if len({*hands[0], *hands[1]}) < 10:
            continue
        values = []
        for hand in hands:
            cards = [
                (1 if rank == 14 and aces_low else rank, suit)
                for rank, suit in cards_in(" ".join(hand))
            ]
            value = strength(cards)
            swapped = {5: 6, 6: 5} if flush_first else {}
            values.append((swapped.get(value[0], value[0]), *value[1:]))
        label = "tie" if values[0] == values[1] else "AB"[values[0] < values[1]]
        tasks.append((len(tasks), SHOWDOWN.format(*map(" ".join, hands)), label))
    return tasks


def test_flushes_above_full_houses_are_named() -> None:
    assert label_rule(showdowns()) is None
    rule = label_rule(showdowns(flush_first=True))
    assert rule is not None
    assert rule.text == "the poker hand that wins"
    assert {(each.answer, each.expected) for each in rule.outliers} == {("A", "B"), ("B", "A")}


def test_aces_that_are_low_by_the_rules_are_not_named() -> None:
    tasks = showdowns(aces_low=True)
    assert label_rule(tasks, "Aces are low.") is None
    assert label_rule(tasks, "Deuces are wild.") is None


def test_a_straight_from_the_ace_on_is_judged_where_the_prompt_names_it() -> None:
    hands = "A: Ah 2d 3s 4c 5d\nB: Kc Kd 7h 8s 9c\nWho wins?"
    solved = winner(hands)
    assert solved is not None
    assert {*solved.right} == {"a", "b"}
    solved = winner(f"{hands} A-2-3-4-5 is a straight.")
    assert solved is not None
    assert (solved.right, {*solved.wrong}) == (("a",), {"b", "tie"})
