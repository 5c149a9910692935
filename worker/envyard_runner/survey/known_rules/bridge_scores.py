"""What a contract of duplicate bridge scores, by Law 77 of the Laws of Duplicate Bridge (2017).

A score has the sign of the side that is asked for. Where a prompt does not name the declaring side,
either sign is right, because some sets count for the defenders or without a sign.
"""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.bridge_results import over_in, vulnerable_in
from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

LEVELS = ("one", "two", "three", "four", "five", "six", "seven")
NO_TRUMP = "n"
THIRTY = {"h", "s", NO_TRUMP}  # points of a trick; twenty in the other suits
SUIT_SIGNS = dict(zip("\u2663\u2667\u2666\u2662\u2665\u2661\u2660\u2664", "ccddhhss", strict=True))
DOUBLED = r"(?i:doubled|dbld|x(?!x)|\u00d7(?!\u00d7))"
REDOUBLED = r"(?i:redoubled|rdbld|xx|\u00d7\u00d7)"
CONTRACT = re.compile(
    r"(?<![\w.,:/+-])"
    rf"(?P<level>[1-7]|(?i:{'|'.join(LEVELS)}))"
    r"(?:[ -]?(?P<suit>(?i:no[ -]?trumps?|clubs?|diamonds?|hearts?|spades?)\b|NT(?=[xX]|\b)"
    r"|[\u2660-\u2667]\ufe0f?)|(?P<letter>[CDHSN](?![A-WYZa-wyz0-9])))"
    rf"(?:,? ?[(\[]?(?:(?P<redoubled>{REDOUBLED})|(?P<doubled>{DOUBLED}))[)\]]?(?![A-Za-z]))?"
    r"(?P<result> ?(?:[-+\u2212](?:1[0-3]|[1-9])(?![\w.])|=(?![\w=])(?! ?\w)))?"
)
# How often it was doubled, apart from the contract; and any other word for it, which may speak of
# something else.
STAKE = re.compile(
    r"(?:\b(?:is|was|and|but) |[,:;] {0,2})(?P<stake>undoubled|not doubled|doubled|redoubled)\b"
    r"|\bdoubl(?:ed|ing) ?[:=] ?"
    r"(?P<value>none|no|undoubled|not doubled|yes|doubled|redoubled|XX?)\b",
    re.IGNORECASE,
)
STAKES = {"none": 0, "no": 0, "undoubled": 0, "not doubled": 0, "yes": 1, "doubled": 1, "x": 1,
          "redoubled": 2, "xx": 2}  # fmt: skip
OTHER_STAKE = re.compile(r"doubl|\br?dbl|(?<![A-Za-z])xx?(?![A-Za-z])|\u00d7", re.IGNORECASE)
ASKS = has(r"\bscor\w+|\bpoints?\b")
# Other ways to keep score, parts of a score, and rules of the prompt's own.
OTHERWISE = has(
    r"\b(?:rubbers?|chicago|mini-?bridge|honou?rs?|imps?|match-?points?|victory points?|swings?"
    r"|below the line|above the line|old (?:rules|scoring|laws?)|before 19\d\d|19[2-8]\d"
    r"|(?:trick|contract|base|bid)[- ](?:scores?|points?|value)|bonus(?:es)? (?:only|alone|points?)"
    r"|(?:what|which) (?:\w+ ){0,2}(?:bonus|premium)|how many (?:\w+ )?tricks|differen\w+"
    r"|passed out|auction|bidding"
    r"|(?:never|nobody|no one|if|unless|would|had)\b[^.\n]{0,40}doubl\w+"
    r"|without (?:the )?(?:bonus|premium)\w*|pinochle|skat"
    r"|five hundred|oh hell|spades game)\b"
    r"|\b(?:bonus\w*|insult|premium|per|each|every)\b[^.\n]{0,40}?\b\d{1,3}0\b(?! tricks)"
    r"|\b\d{1,3}0(?: points?)? (?:\w+ ){0,2}(?:bonus|insult|premium|per|each)\b"
)
DECLARING = has(r"\bdeclar(?:er|ing)\b")
NEGATIVE = has(r"\b(?:negative|minus)\b")
DEFENDING = has(r"\b(?:defen[cs]e|defend\w*|opponents?|north|east|south|west|absolute|sign)\b")
NUMBER = re.compile(
    r"(?:score:? )?(?P<sign>[-+\u2212\u2013]?) ?(?P<digits>\d{1,2},\d{3}|\d{2,4})"
    r"(?: (?:points?|pts))?\.?",
    re.IGNORECASE,
)


def score_of(level: int, suit: str, doubled: int, vulnerable: bool, over: int) -> int:
    """The declaring side's score. `doubled` is 0, 1 or 2 (redoubled), `over` the tricks beyond the
    contract, below 0 where it failed."""
    if over < 0:
        return -_penalty(doubled, vulnerable, -over)
    trick = 30 if suit in THIRTY else 20
    tricks = (level * trick + (10 if suit == NO_TRUMP else 0)) << doubled
    game = (500 if vulnerable else 300) if tricks >= 100 else 50
    slam = {6: 500, 7: 1000}.get(level, 0)
    overtrick = 100 * doubled * (1 + vulnerable) if doubled else trick
    return tricks + game + (slam * 3 // 2 if vulnerable else slam) + 50 * doubled + over * overtrick


def _penalty(doubled: int, vulnerable: bool, under: int) -> int:
    if not doubled:
        return under * (100 if vulnerable else 50)
    if vulnerable:
        return doubled * (300 * under - 100)
    return doubled * (200 * under - 100 + 100 * max(0, under - 3))


def contract_score(prompt: str) -> Solved | None:
    """The score of the only contract of a prompt."""
    contracts = [*CONTRACT.finditer(prompt)]
    stakes = [_stake(match) for match in contracts]
    if len({*map(_bid, contracts)}) != 1 or ("?" in prompt and not ASKS(prompt)):
        return None
    rest = CONTRACT.sub(" ; ", prompt)
    doubled = _doubled({*stakes}, rest)
    vulnerable = vulnerable_in(rest)
    signs = [match["result"] for match in contracts if match["result"]]
    level, suit = _bid(contracts[0])
    over = over_in(rest, level, signs)
    if doubled is None or vulnerable is None or over is None:
        return None
    score = score_of(level, suit, doubled, vulnerable, over)
    if DECLARING(prompt) and NEGATIVE(prompt) and not DEFENDING(prompt):
        return Solved((str(score),))
    return Solved((str(score), str(-score)), form=f"{abs(score)} or -{abs(score)}")


def _bid(match: re.Match[str]) -> tuple[int, str]:
    level, suit = match["level"].casefold(), (match["suit"] or match["letter"]).casefold()
    number = LEVELS.index(level) + 1 if level in LEVELS else int(level)
    return number, SUIT_SIGNS.get(suit[0], suit[0])


def _stake(match: re.Match[str]) -> int:
    return 2 if match["redoubled"] else 1 if match["doubled"] else 0


def _doubled(stakes: set[int], rest: str) -> int | None:
    """How often a contract was doubled, by what stands behind it or in the `rest` of the prompt."""
    words = [match["stake"] or match["value"] for match in STAKE.finditer(rest)]
    known = stakes | {STAKES[word.casefold()] for word in words}
    if words and stakes == {0}:
        known -= stakes
        known |= {STAKES[word.casefold()] for word in words}
    return known.pop() if len(known) == 1 and not OTHER_STAKE.search(STAKE.sub(" ", rest)) else None


def normal_score(answer: str) -> str:
    """A whole number with its sign; empty for other answers."""
    match = NUMBER.fullmatch(answer.strip().strip("*`"))
    if match is None:
        return ""
    number = int(match["digits"].replace(",", ""))
    return str(number if match["sign"] in ("", "+") else -number)


CLUE = pattern(r"\bvul\w*|\bbridge\b")
RULES = (
    KnownRule("the score of its bridge contract", CLUE, contract_score, normal_score, OTHERWISE),
)
