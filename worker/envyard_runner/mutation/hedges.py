"""All candidates of a prompt in the place of the one that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.mutation.answers import OPTION

FEWEST, MOST = 3, 40  # candidates
LONGEST = 40  # characters of one
SEGMENT = re.compile(r"[^\n:.?!;()]{5,2000}")
# What a line of a list or a row of a table begins with, as in `- Zora: hat` and `quartz | 7`.
LISTED = re.compile(
    r"^[ \t]{0,8}[-*\u2022][ \t]{1,4}([A-Za-z][\w' -]{0,39}?)[ \t]{0,4}[:(,]", re.MULTILINE
)
ROW = re.compile(r"^[ \t]{0,8}(?:\|[ \t]{0,4})?([A-Za-z][\w' -]{0,39}?)[ \t]{0,4}\|", re.MULTILINE)
SHORT = re.compile(r"[^\W\d_][\w' -]{1,38}\w")  # a name, and no single letter or number
BETWEEN = re.compile(r",\s*(?:and |or )?|\s+(?:and|or)\s+")


def candidates(answer: str, prompt: str) -> str | None:
    """All candidates that the prompt lists, with commas between them and the right one neither
    first nor last; None where the answer is none of three. Of options it is their letters."""
    text = answer.strip()
    letters = [match["letter"] for match in OPTION.finditer(prompt)]
    if len(text) == 1 and len({*letters}) == len(letters):
        return _around(text, letters)
    lists = [BETWEEN.split(segment.strip()) for segment in SEGMENT.findall(prompt)]
    lists += [list(dict.fromkeys(each.findall(prompt))) for each in (LISTED, ROW)]
    return next(filter(None, (_around(text, items) for items in lists)), None)


def other_answers(answer: str, others: Sequence[str]) -> str | None:
    """The answers of other tasks around the right one, with commas between them; None where there
    are fewer than two, or an answer is no short text without marks."""
    known = [other.strip() for other in dict.fromkeys(others)]
    texts = [answer.strip(), *known]
    if not all(SHORT.fullmatch(text) for text in texts):
        return None
    return _around(texts[0], list(dict.fromkeys([*known[:1], *texts])))


def _around(answer: str, items: list[str]) -> str | None:
    others = [each.strip() for each in items if each.strip().casefold() != answer.casefold()]
    listed = len(others) == len(items) - 1 and FEWEST <= len(items) <= MOST
    if not answer or not listed or not all(0 < len(each) <= LONGEST for each in others):
        return None
    return ", ".join([others[0], answer, *others[1:]])
