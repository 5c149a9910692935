"""How a reply is scored: one tagged answer, true LCS ratio, nothing below the floor."""

import re

FLOOR = 0.6
"""Ratio that earns 0. English text shares 0.4 to 0.55 with its own reverse or another text."""

ANSWER = re.compile(r"<reversed_text>(.*?)</reversed_text>", re.DOTALL)


def extract(reply: str) -> str | None:
    """The text of the reply's only <reversed_text> tag, outer whitespace removed.

    None without a tag or with several: two guesses must not earn the better one's pay.
    """
    answers = ANSWER.findall(reply)
    return answers[0].strip() if len(answers) == 1 else None


def lcs_length(a: str, b: str) -> int:
    """Length of the longest common subsequence, in O(len(b)) big-integer steps.

    Bit-parallel form of Hyyro (2004): bit i of `row` is 0 where the optimum grows at a[i].
    """
    masks: dict[str, int] = {}
    for position, char in enumerate(a):
        masks[char] = masks.get(char, 0) | (1 << position)
    full = (1 << len(a)) - 1
    row = full
    for char in b:
        matches = row & masks.get(char, 0)
        row = ((row + matches) | (row - matches)) & full
    return len(a) - row.bit_count()


def lcs_ratio(a: str, b: str) -> float:
    """2*LCS/(len(a)+len(b)), 1.0 for equal texts; difflib's ratio is not this."""
    total = len(a) + len(b)
    return 2 * lcs_length(a, b) / total if total else 1.0


def score(reply: str, target: str) -> float:
    """Reward in [0, 1]: the tagged answer's LCS ratio rescaled so that FLOOR earns 0."""
    answer = extract(reply)
    if answer is None:
        return 0.0
    return max(0.0, (lcs_ratio(target, answer) - FLOOR) / (1.0 - FLOOR))
