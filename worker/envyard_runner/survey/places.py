"""Is the answer at the same place of every prompt? Then copying that place earns the reward.

Or does a number that only names the task, such as `Ticket 30127`, predict which label is right, an
abbreviation in a name, such as `web.netw.log`, the rank of an option, or an invisible mark?
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from envyard_runner.survey.amount_marks import odd_row
from envyard_runner.survey.identifier_ranks import identifier_rank
from envyard_runner.survey.listed_place import listed_place
from envyard_runner.survey.option_ranks import option_rank
from envyard_runner.survey.prompt_order import prompt_order
from envyard_runner.survey.typography import telling_mark

KINDS = {
    "number": re.compile(r"(?:(?<![\w)])-)?\d[\d,]*(?:\.\d+)?"),
    "word": re.compile(r"[^\W\d_]+"),
}
PLACES = 10  # from the beginning, and from the end
ENOUGH, VARIED = 10, 5  # tasks with an answer, and different answers among them
FEWEST, NEARLY_ALL = 5, 0.9  # tasks, and the share of ENOUGH of them that is nearly all
MAX_TASKS = 2_000
IDENTIFIER = re.compile(
    r"(?:#|\b(?:ticket|id|case|record|ref|reference|file|sample|document|message|entry|invoice"
    r"|report|patient|claim|order|request|review|article|email|call)[ :#-]{1,3})"
    r"(?P<letters>[a-z]{0,4})-?(?P<digits>\d{2,})"
)
LABELS = range(3, 13)  # different answers; of two, a digit may rightly decide
LARGEST_LABEL, FEWEST_OF_PIECE = 0.6, 5  # share of one label, and tasks for each piece on average
PREDICTED = 0.95
BY_CODE, FEW = 0.8, 40  # by codes, of which one of few tasks may have one alone; few tasks
LETTER = re.compile(r"(?<![^\W_])[a-j](?![^\W_]|\s?[=:])")  # no name of a value
LETTER_LIST, LETTERS_LISTED = [*"abcdefghij"], 3
ALPHABETICAL = re.compile(r"\balphabet|\bsort(?:ed)? (?:the )?letters", re.IGNORECASE)
CODE = re.compile(r"(?<![^\W_])(?=[a-z]*\d)[a-z\d]{4,40}(?![^\W_])")  # with a digit
LETTERS, ABBREVIATED = re.compile(r"[^\W\d_]+"), 3  # a word, and the letters of an abbreviation
LABEL = re.compile(r"[^\W\d_]+(?:[ _-][^\W\d_]+){0,3}")  # of one to four words
PIECES: dict[str, Callable[[re.Match[str]], str]] = {
    "the letters": lambda match: match["letters"],
    "the first digit": lambda match: match["digits"][0],
    "the last digit": lambda match: match["digits"][-1],
    "the length": lambda match: str(len(match["digits"])),
}


def answer_place(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """How many tasks, of pairs of prompt and answer, have the answer at the most common place, and
    that place ("number 1"); (0, "") where nine of ten do not. The first MAX_TASKS count."""
    known = [(prompt.casefold(), answer.strip().casefold()) for prompt, answer in tasks[:MAX_TASKS]]
    place = (
        _in_order(known)
        or prompt_order(known)
        or _identifier_place(known)
        or _abbreviation(known)
        or _code(known)
        or _same_place(known)
        or listed_place(known)
        or identifier_rank(known)
        or (0, "")
    )
    if place[0]:
        return place
    for check in (option_rank, odd_row, telling_mark):
        count, name = check(tasks[:MAX_TASKS])
        if count:
            return count, name
    return 0, ""


def _same_place(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    if len(known) < FEWEST or len({answer for _, answer in known}) < VARIED:
        return None
    places = Counter(place for each in known for place in dict.fromkeys(_places(*each)))
    place, count = next(iter(places.most_common(1)), ("", 0))
    least = NEARLY_ALL * len(known) if len(known) >= ENOUGH else len(known)
    return (count, place) if count >= least else None


def _in_order(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many answers list the letters of options, all in the order of the alphabet: letters were
    dealt in the order that is asked for."""
    rows = [(prompt, LETTER.findall(answer)) for prompt, answer in known]
    listed = [(prompt, letters) for prompt, letters in rows if len(letters) >= LETTERS_LISTED]
    if len(listed) < max(ENOUGH, NEARLY_ALL * len(known)):
        return None
    if any(letters != sorted({*letters}) for _, letters in listed):
        return None
    alphabetical = any(ALPHABETICAL.search(prompt) for prompt, _ in listed)
    all_used = all(letters == LETTER_LIST[: len(letters)] for _, letters in listed)
    return (
        None if alphabetical or not all_used else (len(listed), "always the letters in their order")
    )


def _identifier_place(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many labels follow from one piece of the identifier, where nearly all do."""
    matches = [(IDENTIFIER.search(prompt), answer) for prompt, answer in known]
    rows = [(match, answer) for match, answer in matches if match is not None]
    labels = Counter(answer for _, answer in rows)
    labelled = len(labels) in LABELS and not any(re.search(r"\d", label) for label in labels)
    if not labelled or len(rows) < max(ENOUGH, NEARLY_ALL * len(known)):
        return None
    if max(labels.values()) > LARGEST_LABEL * len(rows):
        return None
    for name, piece in PIECES.items():
        answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for match, answer in rows:
            answers[piece(match)][answer] += 1
        predicted = sum(max(each.values()) for each in answers.values())
        if predicted >= PREDICTED * len(rows) and len(answers) * FEWEST_OF_PIECE <= len(rows):
            return predicted, f"predicted by {name} of the id"
    return None


def _abbreviation(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many labels are named by a word that begins as the label does, and as no other one, where
    nearly all are, most by a shorter word; the words that all prompts have do not count. Labels
    repeat: what only one task has, such as who is a knave, is an answer of its own."""
    labels = {answer for _, answer in known}
    if len(labels) not in LABELS or not all(map(LABEL.fullmatch, labels)):
        return None
    if len(known) < max(ENOUGH, 2 * len(labels)):
        return None
    words = [Counter(LETTERS.findall(prompt)) for prompt, _ in known]
    everywhere = words[0].copy()
    for each in words:
        everywhere &= each
    named: list[str] = []
    for (_, answer), counts in zip(known, words, strict=True):
        own = counts - everywhere
        beginnings = [
            (label, word)
            for word in own
            for label in labels
            if len(word) >= ABBREVIATED and label.startswith(word)
        ]
        if {label for label, _ in beginnings} == {answer}:
            is_whole = own.keys() >= {*LETTERS.findall(answer)}
            named.append(answer if is_whole else min((word for _, word in beginnings), key=len))
    shorter = [word for word in named if word not in labels]
    if len(named) < PREDICTED * len(known) or len(shorter) < len(named) / 2:
        return None
    return len(named), f"abbreviated ({shorter[0][:12]}) in a name"


def _code(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many labels follow from a code such as `3f9ac`, each of which several prompts have, all
    of one label, where most are."""
    labels = {answer for _, answer in known}
    if len(labels) not in LABELS or len(known) < ENOUGH:
        return None
    codes = [{*CODE.findall(prompt)} for prompt, _ in known]
    of_code: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (_, answer), each in zip(known, codes, strict=True):
        for code in each:
            of_code[code][answer] += 1
    fewest = 2 if len(known) < FEW else 3
    deciding = {
        code for code, count in of_code.items() if len(count) == 1 and count.total() >= fewest
    }
    followed = [min(each & deciding) for each in codes if each & deciding]
    if len(followed) < BY_CODE * len(known) or len(deciding) > 2 * len(labels):
        return None
    return len(followed), f"given by a code ({followed[0][:12]})"


def _places(prompt: str, answer: str) -> Iterator[str]:
    for kind, pattern in KINDS.items():
        if pattern.fullmatch(answer):
            value = _value(kind, answer)
            pieces = pattern.findall(prompt)
            for at, piece in enumerate(pieces[:PLACES], 1):
                if _value(kind, piece) == value:
                    yield f"{kind} {at}"
            for at, piece in enumerate(pieces[: -PLACES - 1 : -1], 1):
                if _value(kind, piece) == value:
                    yield f"{kind} {at} from the end"


def _value(kind: str, piece: str) -> str | Decimal:
    """What is compared: numbers by their value, as 0341 is 341."""
    return Decimal(piece.replace(",", "")) if kind == "number" else piece
