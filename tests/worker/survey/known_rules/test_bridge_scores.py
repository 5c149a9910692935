"""Scores of bridge contracts: wordings of contract, vulnerability and result, and signs."""

from __future__ import annotations

import itertools

import pytest

from envyard_runner.survey.known_rules.bridge_scores import (
    OTHERWISE,
    contract_score,
    normal_score,
    score_of,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

ASK = "Contract: {}. Result: {}. What does the declaring side score, negative if it failed?"
SUITS = {"clubs": "c", "diamonds": "d", "hearts": "h", "spades": "s", "no trump": "n"}
STAKES = ("", ", doubled", ", redoubled")


@pytest.mark.parametrize(
    ("contract", "vulnerable", "over", "score"),
    [
        ((1, "c", 0), False, 0, 70), ((2, "h", 0), True, 1, 140), ((3, "n", 0), False, 0, 400),
        ((3, "n", 0), True, 0, 600), ((4, "s", 0), True, 2, 680), ((5, "d", 0), False, 0, 400),
        ((6, "n", 0), True, 0, 1440), ((7, "c", 0), False, 0, 1440), ((7, "n", 2), True, 0, 2980),
        ((2, "s", 1), False, 0, 470), ((2, "c", 1), False, 1, 280), ((1, "n", 1), True, 2, 580),
        ((2, "d", 2), False, 0, 560), ((1, "h", 2), True, 1, 1120), ((4, "h", 1), False, 1, 690),
        ((4, "s", 0), False, -2, -100), ((4, "s", 0), True, -2, -200),
        ((4, "s", 1), False, -1, -100), ((4, "s", 1), False, -3, -500),
        ((4, "s", 1), False, -4, -800), ((4, "s", 1), True, -3, -800),
        ((4, "s", 2), False, -4, -1600), ((4, "s", 2), True, -1, -400),
    ],
)  # fmt: skip
def test_scores_of_the_law(
    contract: tuple[int, str, int], vulnerable: bool, over: int, score: int
) -> None:
    assert score_of(*contract, vulnerable, over) == score


@pytest.mark.parametrize(
    ("contract", "result", "score"),
    [
        ("4 spades doubled, vulnerable", "10 tricks", "790"),
        ("3NT XX, not vulnerable", "declarer takes 9 of the 13 tricks", "800"),
        ("3NTXX, not vul", "declarer took nine tricks", "800"),
        ("4\u2660x, non-vulnerable", "down two", "-300"),
        ("2 hearts, redoubled (nonvulnerable)", "made with one overtrick", "840"),
        ("1 No-Trump, vul", "made exactly", "90"),
        ("two clubs; the declarer is not vulnerable", "went one down", "-50"),
        ("4S=, vulnerability: none", "see above", "420"),
        ("5\u2666+1, both sides vulnerable", "as shown", "620"),
        ("4Sx-2 by South, Vul: N-S", "as shown", "-500"),
        ("4Sx-2 by South, Vul: E-W", "as shown", "-300"),
        ("4 hearts by West, only E/W are vulnerable", "tricks won by declarer: 11", "650"),
        ("4 hearts. Doubled: no. Neither side is vulnerable", "10 tricks", "420"),
        ("4 hearts. It was redoubled. Nobody vulnerable", "set by two tricks", "-600"),
        ("4 hearts, invulnerable", "needs 10 tricks, takes 9 tricks", "-50"),
        ("3 diamonds undoubled, vulnerable", "overtricks: 2", "150"),
    ],
)
def test_wordings(contract: str, result: str, score: str) -> None:
    solved = contract_score(ASK.format(contract, result))
    assert solved is not None
    assert solved.right[0] == score


@pytest.mark.parametrize(
    "prompt",
    [
        ASK.format("4 spades", "10 tricks"),
        ASK.format("4 spades, vulnerable against not vulnerable", "10 tricks"),
        ASK.format("4 spades, East-West vulnerable", "10 tricks"),
        ASK.format("4 spades by South, East-West are vulnerable", "10 tricks"),
        ASK.format("4 spades by South or West, Vul: E-W", "10 tricks"),
        ASK.format("4 spades, vulnerable", "the defence took 4 tricks"),
        ASK.format("4 spades, vulnerable", "declarer lost 3 tricks"),
        ASK.format("4 spades, vulnerable", "made"),
        ASK.format("4 spades, vulnerable", "10 tricks with one overtrick"),
        ASK.format("4 spades, vulnerable", "14 tricks"),
        ASK.format("4 spades over 4 hearts, vulnerable", "10 tricks"),
        ASK.format("4 spades, vulnerable. West doubled and South redoubled", "10 tricks"),
        ASK.format("4 spades / X, vulnerable", "10 tricks"),
        ASK.format("7 of spades, vulnerable", "10 tricks"),
        "4 spades, vulnerable, 10 tricks. Who led?",
    ],
)
def test_unclear_boards_are_left_alone(prompt: str) -> None:
    assert contract_score(prompt) is None


@pytest.mark.parametrize(
    "more",
    [
        "Rubber bridge.", "Convert it to IMPs.", "Give the trick score.", "A bonus of 400.",
        "Overtricks count 10 points each.", "Use the old scoring.", "Nobody had doubled it.",
        "Each overtrick is worth 50.", "How many tricks were missing?",
    ],
)  # fmt: skip
def test_other_ways_to_score_are_left_alone(more: str) -> None:
    assert not OTHERWISE(ASK.format("4 spades, vulnerable", "10 tricks"))
    assert OTHERWISE(f"{ASK.format('4 spades, vulnerable', '10 tricks')} {more}")


def test_scores_are_read_from_answers() -> None:
    assert normal_score("+1,430 points") == "1430"
    assert normal_score("\u2212100") == normal_score("-100.") == "-100"
    assert normal_score("NS 420") == normal_score("0") == normal_score("ten") == ""


def boards(*, wrong: bool, ask: str = ASK, sign: bool = True) -> Rows:
    """Every suit, stake and vulnerability with a few results; `wrong` gives no game bonus to
    doubled part scores."""
    pairs = []
    cases = itertools.product((2, 3, 4), SUITS.items(), (0, 1, 2), (False, True), (-1, 1))
    for level, (name, suit), doubled, vulnerable, over in cases:
        score = score_of(level, suit, doubled, vulnerable, over)
        game = level * (30 if suit in "hsn" else 20) + 10 * (suit == "n") >= 100
        if wrong and doubled == 1 and over > 0 and not game and score > 400:
            score -= 450 if vulnerable else 250
        state = "vulnerable" if vulnerable else "not vulnerable"
        contract = f"{level} {name}{STAKES[doubled]}, {state}"
        prompt = ask.format(contract, f"{level + 6 + over} tricks")
        pairs.append((prompt, str(score if sign else abs(score))))
    return rows(pairs)


def test_doubled_part_scores_without_the_bonus_of_a_game_are_named() -> None:
    assert label_rule(boards(wrong=False)) is None
    rule = named(boards(wrong=True))
    assert rule.text == "the score of its bridge contract"
    assert {int(each.expected) - int(each.answer) for each in rule.outliers} == {250, 450}


def test_a_convention_of_signs_is_no_contradiction() -> None:
    ask = "Bridge: {}, {}. How many points does the side that scores get?"
    assert label_rule(boards(wrong=False, ask=ask, sign=False)) is None
    rule = named(boards(wrong=True, ask=ask, sign=False))
    assert " or -" in rule.outliers[0].expected
    # Where the prompt wants a negative score, one without its sign is wrong.
    unsigned = [(at, p, a.lstrip("-") if at % 8 == 0 else a) for at, p, a in boards(wrong=False)]
    assert {each.expected[0] for each in named(unsigned).outliers} == {"-"}


def test_another_law_of_the_whole_set_is_no_contradiction() -> None:
    doubled = [(at, p, str(2 * int(a))) for at, p, a in boards(wrong=False)]
    assert label_rule(doubled) is None
    assert (
        label_rule(boards(wrong=True), "At our club part scores never get 300 as a bonus.") is None
    )
