"""Lists of lines in prompts that are cut at a whole line where they would pass one length, so that
what follows is missing.

Where a limit ends lists, those of as many lines that go on are shorter than those that end; a count
that is drawn is independent of that. Lengths then fill the last line below a round number, while
the lists that end before the limit are spread below it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import median

FEWEST, LINES = 40, 4  # tasks, and lines of a list
COUNTS = 4  # different numbers of lines
ROUND = 50  # characters, of which a limit is a multiple
SLACK = 0.25  # of a line between the longest list and the limit
FULL, SHORT = 0.15, 0.08  # shares of lists with no room for a line, and of those with room
FEWEST_FULL, FEWEST_SHORT = 20, 6
SPREAD = 1.5  # lines, over which those with room are spread
TIMES = 2.0  # as many lists within the last line as within the line before it
EDGE, FEWEST_AT_EDGE = 0.6, 8  # of them in its last half, by those in its first one
NEAR = 2.5  # lines below the limit, within which lists are compared
SURE = 4.0  # standard deviations of the ranks of lists that end
WHY = "many lists end within one line below {} characters, as if what follows were cut"

Lengths = Sequence[int]  # of the lines of a prompt, or of a list


def clipped_lists(prompts: Sequence[Lengths]) -> tuple[list[int], int]:
    """The places of the prompts with a list that has no room for a further line, and the limit;
    none where no limit cuts lists. A prompt of unknown lines is empty, and then none is judged."""
    if len(prompts) < FEWEST or not all(prompts):
        return [], 0
    blocks = [[*_blocks(prompt)] for prompt in prompts]
    for at in range(min(map(len, blocks))):
        lists = [each[at] for each in blocks]
        if all(len(lines) >= LINES for lines in lists) and (limit := _limit(lists)):
            line = _line(lists)
            full = (n for n, lines in enumerate(lists) if length(lines) + line >= limit)
            return [*full], limit
    return [], 0


def length(lines: Lengths) -> int:
    """The characters of lines with a line break between them."""
    return sum(lines) + len(lines) - 1


def _blocks(prompt: Lengths) -> Iterator[list[int]]:
    """The lines between empty ones."""
    block: list[int] = []
    for each in [*prompt, 0]:
        if each:
            block.append(each)
        elif block:
            yield block
            block = []


def _line(lists: Sequence[Lengths]) -> float:
    return median(each for lines in lists for each in lines) + 1


def _limit(lists: Sequence[Lengths]) -> int:
    """The limit that cuts these lists; 0 where none does."""
    line, lengths = _line(lists), [*map(length, lists)]
    limit = math.ceil(max(lengths) / ROUND) * ROUND
    room = [limit - each for each in lengths]
    full = [each for each in room if each < line]
    short = [each for each in room if each >= line]
    before = sum(line <= each < 2 * line for each in room)
    edge = sum(each < line / 2 for each in room)
    if (
        min(room) > SLACK * line
        or len({*map(len, lists)}) < COUNTS
        or len(full) < max(FEWEST_FULL, FULL * len(room), TIMES * before)
        or len(short) < max(FEWEST_SHORT, SHORT * len(room))
        or max(room) < SPREAD * line + line
        or edge < max(FEWEST_AT_EDGE, EDGE * (len(full) - edge))
    ):
        return 0
    return limit if _ends_by_length(lists, limit - NEAR * line) >= SURE else 0


def _ends_by_length(lists: Sequence[Lengths], least: float) -> float:
    """By how many standard deviations lists that end at a number of lines are longer there than
    those that go on: the ranks of Mann and Whitney of lengths from the `least` on, summed over all
    numbers of lines."""
    excess = variance = 0.0
    sizes = [[*accumulate(lines, lambda before, line: before + 1 + line)] for lines in lists]
    for count in sorted({*map(len, lists)}):
        at_risk = [(each[count - 1], len(each) == count) for each in sizes if len(each) >= count]
        there = [(size, end) for size, end in at_risk if size >= least]
        ends = sum(end for _, end in there)
        on = len(there) - ends
        if not ends or not on:
            continue
        ranks = _ranks([size for size, _ in there])
        above = sum(rank for rank, (_, end) in zip(ranks, there, strict=True) if end)
        excess += above - ends * (len(there) + 1) / 2
        variance += ends * on * (len(there) + 1) / 12
    return excess / math.sqrt(variance) if variance else 0.0


def _ranks(values: Sequence[int]) -> list[float]:
    """The rank of each value from 1 on; equal ones share the mean of theirs."""
    counts = Counter(values)
    ranks: dict[int, float] = {}
    before = 0
    for value in sorted(counts):
        ranks[value] = before + (counts[value] + 1) / 2
        before += counts[value]
    return [ranks[value] for value in values]
