"""Poker hands of five cards: the name of a hand's category, and which of two hands wins."""

from __future__ import annotations

import re
from collections import Counter

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern, words_of

RANKS = {str(number): number for number in range(2, 11)}
RANKS |= {"t": 10, "j": 11, "q": 12, "k": 13, "a": 14}
NAMED_RANKS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack",
               "queen", "king", "ace")  # fmt: skip
RANKS |= {name: value for value, name in enumerate(NAMED_RANKS, 2)}
SUITS = dict(zip("\u2663\u2667\u2666\u2662\u2665\u2661\u2660\u2664", "ccddhhss", strict=True))
CARD = (
    r"(?:(?:10|[2-9TJQKA])[cdhsCDHS\u2660-\u2667]\ufe0f?(?!\w)|(?<!\w)[\u2660-\u2667]\ufe0f?(?:10|[2-9TJQKA])(?!\w)"
    r"|(?i:(?:10|[2-9]|" + "|".join(NAMED_RANKS) + r") of (?:clubs|diamonds|hearts|spades))\b)"
)
CARDS = re.compile(rf"(?<![A-Za-z0-9]){CARD}")
SEPARATOR = r"[\s,;|\[\]'\"-]{1,4}(?:and )?"
HAND = re.compile(rf"(?<![A-Za-z0-9]){CARD}(?:{SEPARATOR}{CARD}){{4}}")
LABEL = re.compile(
    r"(?:^|[\s*(\"'])(?:(?:hand|player) )?(?P<label>\w{1,20})(?:'s)?(?: (?:hand|cards|holds|has|is"
    r"|shows|with)){0,2}[\s:=()\[\"'*-]{0,6}$",
    re.IGNORECASE,
)
HIGH_CARD, STRAIGHT_FLUSH = 0, 8
CATEGORIES = (
    ("high card", "nothing", "no pair", "highcard"),
    ("one pair", "pair", "a pair", "onepair"),
    ("two pair", "two pairs", "twopair", "twopairs", "2 pair", "2 pairs"),
    ("three of a kind", "trips", "set", "3 of a kind"),
    ("straight", "a straight"),
    ("flush", "a flush"),
    ("full house", "a full house", "fullhouse", "boat"),
    ("four of a kind", "quads", "4 of a kind"),
    ("straight flush", "a straight flush", "straightflush"),
)
NAMES = {name: names[0] for names in CATEGORIES for name in names}
ROYAL = "royal flush"
FILLING = {"hand", "player", "wins", "win", "winner", "the", "is"}
SAME = {"first": "1", "one": "1", "second": "2", "two": "2"}
TIE = "tie"
TIES = {"tie", "tied", "draw", "split", "split pot", "splitpot", "chop", "equal", "neither", "both"}
SAYS_TIE = has(r"\b(?:tie[sd]?|draws?|split|chop|equal)\b")
ASKS_WINNER = has(r"\b(?:wins?|winner|winning|better|stronger|beats?|higher)\b")
ASKS_NAME = has(
    r"\b(?:categor\w+|classif\w+|(?:name|rank|identify|kind|type|call\w*|what|which)\b[^.?\n]{0,40}"
    r"\bhand)\b"
)
OTHER_GAMES = has(
    r"\b(?:jokers?|wild|lowball|razz|badugi|omaha|hold'?em|texas|short[- ]deck|six[- ]plus"
    r"|low(?:est|er)? (?:hand|wins)|hi-lo|worst|weakest|loses|suits? (?:are|is) ranked|three-card"
    r"|(?:order|rank(?:s|ed)?) of (?:the )?suits|community|board|discard|draw poker|flop"
    r"|deuce"
    r"|aces? (?:(?:is|are|counts?|ranks?|as) ){1,2}(?:always )?(?:only )?(?:low|one|1)\b"
    r"(?! or)|aces? (?:is|are) (?:always|only) high|four-card)\b"
)
# An ace that is high only is another convention, where the prompt does not exclude it.
NAMES_WHEEL = has(
    r"\bwheel\b|\ba-?2-?3-?4-?5\b|\b5-?4-?3-?2-?a\b|\b(?:five|5)-high\b|\bace-low\b"
    r"|\bhigh (?:or|and) low\b|\blow (?:or|and) high\b|\baces? (?:can|may)[^.\n]{1,60}\blow\b"
)
WHEEL = [14, 5, 4, 3, 2]
Card = tuple[int, str]


def cards_in(text: str) -> list[Card]:
    """The cards of a text by rank, from 2 to 14, and suit, one of `cdhs`."""
    cards = []
    for match in CARDS.finditer(text):
        card = match[0].casefold().replace("\ufe0f", "")
        if " of " in card:
            rank, suit = card.split(" of ")
        elif card[0] in SUITS:
            rank, suit = card[1:], SUITS[card[0]]
        else:
            rank, suit = card[:-1], SUITS.get(card[-1], card[-1])
        cards.append((RANKS[rank], suit[0]))
    return cards


def strength(cards: list[Card], *, wheel: bool = True) -> tuple[int, ...]:
    """The category of five cards, from 0 to 8, and the ranks that decide inside it. Without `wheel`
    an ace is high only, and A-2-3-4-5 no straight."""
    counts = Counter(rank for rank, _ in cards)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = sorted(counts.values(), reverse=True)
    if wheel and ranks == WHEEL:
        ranks = [5, 4, 3, 2, 1]
    straight = len(ranks) == len(cards) and ranks[0] - ranks[-1] == len(cards) - 1
    flush = len({suit for _, suit in cards}) == 1
    if straight or flush:
        return (STRAIGHT_FLUSH if straight and flush else 4 if straight else 5, *ranks)
    by_shape = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return (by_shape.get((*shape,), HIGH_CARD), *ranks)


def category(prompt: str) -> Solved | None:
    """The name of the only hand of a prompt."""
    hands, cards = [*HAND.finditer(prompt)], cards_in(prompt)
    if len(hands) != 1 or len(cards) != 5 or len({*cards}) != 5 or not ASKS_NAME(prompt):
        return None
    right = []
    for kind, high, *_ in (strength(cards, wheel=wheel) for wheel in _conventions(prompt)):
        right += [ROYAL] if (kind, high) == (STRAIGHT_FLUSH, 14) else []
        right.append(CATEGORIES[kind][0])
    return Solved((*dict.fromkeys(right),))


def _conventions(prompt: str) -> tuple[bool, ...]:
    return (True,) if NAMES_WHEEL(prompt) else (True, False)


def winner(prompt: str) -> Solved | None:
    """The label of the better one of two hands, or `tie`."""
    hands = [*HAND.finditer(prompt)]
    if len(hands) != 2 or not ASKS_WINNER(prompt):
        return None
    cards = [cards_in(match[0]) for match in hands]
    if len({*cards[0], *cards[1]}) != 10 or len(cards_in(prompt)) != 10:
        return None
    labels = _labels(prompt, hands)
    if not labels:
        return None
    one, other = cards
    right = [
        _better(strength(one, wheel=wheel), strength(other, wheel=wheel), labels)
        for wheel in _conventions(prompt)
    ]
    if TIE in right and not SAYS_TIE(prompt):
        right += labels
    return Solved((*right,), (*({*labels, TIE} - {*right}),))


def _better(one: tuple[int, ...], other: tuple[int, ...], labels: tuple[str, ...]) -> str:
    return TIE if one == other else labels[one < other]


def _labels(prompt: str, hands: list[re.Match[str]]) -> tuple[str, ...]:
    """The labels in front of two hands; empty where they are not clear."""
    starts = (max(0, hands[0].start() - 60), hands[0].end())
    before = [prompt[start : hand.start()][-60:] for start, hand in zip(starts, hands, strict=True)]
    matches = [LABEL.search(each.rpartition("\n")[2] or each) for each in before]
    labels = tuple(winner_label(match["label"]) for match in matches if match)
    return labels if len(labels) == len({*labels} - {"", TIE}) == 2 else ()


def winner_label(answer: str) -> str:
    """The label of a hand without the words around it; empty where several words are left."""
    words = words_of(answer)
    if words in TIES or words in {f"it s a {each}" for each in TIES}:
        return TIE
    left = [SAME.get(word, word) for word in words.split() if word not in FILLING]
    return left[0] if len(left) == 1 else ""


def category_name(answer: str) -> str:
    """The usual name of a category; empty for other words."""
    words = words_of(answer)
    return ROYAL if words in (ROYAL, "a royal flush", "royalflush") else NAMES.get(words, "")


HANDS = pattern(r"\bhands?\b|\bpoker\b|\bcards?\b|\bshowdown\b|\bwins\b")
RULES = (
    KnownRule("the poker hand that wins", HANDS, winner, winner_label, OTHER_GAMES),
    KnownRule("the category of the poker hand", HANDS, category, category_name, OTHER_GAMES),
)
