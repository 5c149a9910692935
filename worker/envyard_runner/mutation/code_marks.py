"""Lines and fields that the scoring code reads, around a wrong answer.

A report that repeats the reply before it gives its own verdict is read at the wrong line, and an
object that a verifier fills in may already hold its verdict.
"""

from __future__ import annotations

import re

from envyard.contract.scoring_constants import ScoringConstants
from envyard_runner.mutation.pattern_samples import samples

MOST_LINES, MOST_KEYS = 12, 12
MOST_WORDS = 2  # behind one label
FIRST, LAST = 0, -1  # branches of alternatives
NUMBERS = ("10", "1")
PARTS = re.compile(r"\d{1,20}(\s{0,3}(?:/|of|out of)\s{0,3})(\d{1,20})")  # points of a maximum
DECIMALS = re.compile(r"(\d\.)(\d{1,20})")
WORD = re.compile(r"[^\W\d_]{3,}")


def lines_before(constants: ScoringConstants, reply: str, answer: str) -> list[str]:
    """Lines with the first verdict of each pattern and ten points, without those in which the
    right `reply` has its answer."""
    return _lines(constants, reply, answer, branch=FIRST, number=NUMBERS[0])


def lines_behind(constants: ScoringConstants, reply: str, answer: str) -> list[str]:
    """The same lines with the last verdict and one point."""
    return _lines(constants, reply, answer, branch=LAST, number=NUMBERS[1])


def own_fields(constants: ScoringConstants, row: dict[str, object], prompt: str) -> list[str]:
    """The keys that the scoring code reads and neither the right object nor the prompt has."""
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
    folded, wanted = reply.casefold(), answer.strip().casefold()
    label = WORD.search(text)
    if label is None or label[0].casefold() in folded or not wanted:
        return True
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text.casefold()) is not None
