"""Lines and fields that the scoring code reads, around a wrong answer.

A report that repeats the reply before it gives its own verdict is read at the wrong line, and an
object that a verifier fills in may already hold its verdict.
"""

from __future__ import annotations

import re

from envyard.contract.code_checks.scoring_constants import ScoringConstants
from envyard_runner.mutation.pattern_samples import samples

MOST_LINES, MOST_KEYS = 12, 12
MOST_WORDS = 2  # behind one label
FIRST, LAST = 0, -1  # branches of alternatives
NUMBERS = ("10", "1")
PARTS = re.compile(r"\d{1,20}(\s{0,3}(?:/|of|out of)\s{0,3})(\d{1,20})")  # points of a maximum
DECIMALS = re.compile(r"(\d\.)(\d{1,20})")
WORD, WORDS = re.compile(r"[^\W\d_]{3,}"), re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,20})?")
NEAR = 0.1  # of a number
MOST_NUMBERS = 10
LONGEST_ANSWER = 400  # characters that are searched for numbers
# Words by which a verifier may read one answer of two.
DECIDED = {"yes", "no", "true", "false", "correct", "incorrect", "right", "wrong", "valid"}
DECIDED |= {"invalid", "pass", "fail", "passed", "failed", "y", "n", "t", "f"}


def lines_before(constants: ScoringConstants, reply: str, answer: str) -> list[str]:
    """Lines with the first verdict of each pattern and ten points, without those in which the
    right `reply` has its answer."""
    return _lines(constants, reply, answer, branch=FIRST, number=NUMBERS[0])


def lines_behind(constants: ScoringConstants, reply: str, answer: str) -> list[str]:
    """The same lines with the last verdict and one point."""
    return _lines(constants, reply, answer, branch=LAST, number=NUMBERS[1])


def own_fields(constants: ScoringConstants, row: dict[str, object], prompt: str) -> list[str]:
    """The keys that the scoring code reads and neither the right object nor the prompt has; none
    where `true`, which they get, may be the answer: 1 is equal to it."""
    if any(str(value).strip().casefold() in (*DECIDED, "1", "1.0") for value in row.values()):
        return []
    others = [key for key in constants.keys if key not in row and key not in prompt]
    return others[:MOST_KEYS]


def _lines(
    constants: ScoringConstants, reply: str, answer: str, *, branch: int, number: str
) -> list[str]:
    texts = [_full(text) for text in samples(constants.patterns, branch=branch, number=number)]
    words = [*constants.compared[:MOST_WORDS], f"{number}/{number}"]
    texts += [f"{label.rstrip()} {word}" for label in constants.labels for word in words]
    lines = [text for text in texts if not _is_answer(text, reply, answer)]
    return list(dict.fromkeys(lines))[:MOST_LINES]


def _full(text: str) -> str:
    """All points of a maximum, and decimals that add nothing."""
    text = PARTS.sub(r"\2\1\2", text)
    return DECIMALS.sub(lambda match: match[1] + "0" * len(match[2]), text)


def _is_answer(text: str, reply: str, answer: str) -> bool:
    """Whether a line may be one in which the verifier reads the answer, or holds the right one."""
    line, wanted = text.casefold(), answer.strip().casefold()
    label = WORD.search(line)
    if label is None or label[0] in reply.casefold() or not wanted:
        return True
    words = WORDS.findall(line[label.end() :])
    if any(word.startswith(wanted) or wanted.startswith(word) for word in words):
        return True  # such as `pos` for `positive`
    if wanted in DECIDED and not DECIDED.isdisjoint(words):
        return True
    return _near(line, wanted) or _holds(line, wanted)


def _holds(line: str, wanted: str) -> bool:
    """Whether the answer stands in a line; most are not in it at all."""
    return wanted in line and bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", line))


def _near(line: str, wanted: str) -> bool:
    """Whether a line has a number that may count as one of the answer, such as 10 for 9.9."""
    shown, right = (
        [*map(float, NUMBER.findall(text)[:MOST_NUMBERS])]
        for text in (line, wanted[:LONGEST_ANSWER])
    )
    return any(abs(one - other) <= NEAR * abs(one) for one in shown for other in right)
