"""Prompts that end at whole lines below a limit of characters, so that further lines are missing.

Lengths that vary freely thin out towards the longest; where a limit clips them, many pile up there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envyard_runner.survey.listing import PROMPT

FEWEST, LINES = 40, 4  # prompts, and lines of each of the longest
BAND, BANDS = 0.05, 8  # of the longest length, and how many bands below it are compared
FILLED = 6  # of these have prompts, where lengths vary freely
SHARE = 0.12  # of all prompts in the last band
TIMES, TIMES_FULLEST = 2.5, 1.5  # of the other bands' mean, and of the fullest of them


def clipped_prompts(prompts: Sequence[str]) -> list[int]:
    """The places of the longest prompts where they pile up at one length; none elsewhere.

    Those that the survey itself shortens are not judged.
    """
    longest = max(map(len, prompts), default=0)
    if len(prompts) < FEWEST or not 0 < longest < PROMPT:
        return []
    bands = Counter(int((longest - len(prompt)) / (BAND * longest)) for prompt in prompts)
    others = [bands[band] for band in range(1, BANDS + 1)]
    cut = [at for at, prompt in enumerate(prompts) if longest - len(prompt) < BAND * longest]
    if sum(map(bool, others)) < FILLED or len(cut) < SHARE * len(prompts):
        return []
    lines = all(prompts[at].count("\n") >= LINES for at in cut)
    usual = max(TIMES * sum(others) / BANDS, TIMES_FULLEST * max(others))
    return cut if lines and len(cut) >= usual else []
