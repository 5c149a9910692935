"""Tables of prompts that are cut at a number of characters, so that rows are missing.

The last row of such a table has fewer numbers than each other row, and only the longest tables have
such a row: a line of totals would end short ones too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.survey.listing import WHOLE

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,.]{0,20}(?!\w)")
ROWS, NUMBERS = 4, 2  # of a table: lines behind its first one, and numbers in each
FEWEST, MOSTLY = 3, 0.4  # cut tables, and their share of those of nearly their length
BAND = 0.1  # by which cut tables differ in length: white space at their end may be stripped
ELSEWHERE = 0.04  # share of the shorter tables that may end in such a row


def cut_tables(prompts: Sequence[str]) -> list[int]:
    """The places of the prompts that contain a cut table; none where that may be the form."""
    tables = [
        (len(block), at, _is_ragged(rows))
        for at, prompt in enumerate(prompts)
        for block in _blocks(prompt)
        if len(rows := [len(NUMBER.findall(line)) for line in block.splitlines()[1:]]) >= ROWS
        and min(rows[:-1]) >= NUMBERS
    ]
    longest = max((length for length, _, ragged in tables if ragged), default=0)
    long = [(at, ragged) for length, at, ragged in tables if length >= (1 - BAND) * longest]
    short = [ragged for length, _, ragged in tables if length < (1 - BAND) * longest]
    cut = sorted({at for at, ragged in long if ragged})
    whole = bool(tables) and max(tables)[0] > longest
    few = len(cut) < max(FEWEST, MOSTLY * len(long))
    if few or whole or not short or sum(short) > ELSEWHERE * len(short):
        return []
    return cut


def _blocks(prompt: str) -> list[str]:
    """Its paragraphs, without the last one where the survey itself shortens that."""
    blocks = prompt.split("\n\n")
    return blocks[:-1] if len(prompt) >= WHOLE else blocks


def _is_ragged(numbers: Sequence[int]) -> bool:
    """Whether the last row has fewer numbers than the others, which have as many each."""
    return len({*numbers[:-1]}) == 1 and numbers[-1] < numbers[0]
