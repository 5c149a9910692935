"""Prompts that end at whole lines below a limit of characters, so that further lines are missing.

Lengths that vary freely thin out towards the longest; where a limit clips them, many pile up there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envyard_runner.survey.clipped_lists import Lengths, length

FEWEST, LINES = 40, 4  # prompts, and lines of each of the longest
BAND, BANDS = 0.05, 8  # of the longest length, and how many bands below it are compared
FILLED = 6  # of these have prompts, where lengths vary freely
SHARE = 0.12  # of all prompts in the last band
TIMES, TIMES_FULLEST = 2.5, 1.5  # of the other bands' mean, and of the fullest of them


def clipped_prompts(prompts: Sequence[Lengths]) -> list[int]:
    """The places of the longest prompts where they pile up at one length; none elsewhere.

    Each is given by the lengths of its lines; where those of one are unknown, none is judged.
    """
    lengths = [*map(length, prompts)]
    longest = max(lengths, default=0)
    if len(prompts) < FEWEST or longest <= 0 or not all(prompts):
        return []
    bands = Counter(int((longest - each) / (BAND * longest)) for each in lengths)
    others = [bands[band] for band in range(1, BANDS + 1)]
    cut = [at for at, each in enumerate(lengths) if longest - each < BAND * longest]
    if sum(map(bool, others)) < FILLED or len(cut) < SHARE * len(prompts):
        return []
    lines = all(len(prompts[at]) > LINES for at in cut)
    usual = max(TIMES * sum(others) / BANDS, TIMES_FULLEST * max(others))
    return cut if lines and len(cut) >= usual else []
