"""Blueprint: joining and measuring spans."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.merge", "merge", [[[1, 9], [2, 3]]]),
        ("PKG.merge", "merge", [[[9, 10], [10, 11]]]),
        ("PKG.measure", "gaps", [[[2, 3], [5, 6]], 0, 10]),
        ("PKG.measure", "covered", [[]]),
    ]
    for _ in range(12):
        spans = []
        for _ in range(rng.randint(1, 6)):
            start = rng.randint(0, 40)
            spans.append([start, start + rng.randint(1, 12)])
        calls.append(("PKG.merge", "merge", [spans]))
        calls.append(("PKG.measure", "covered", [spans]))
        calls.append(("PKG.measure", "gaps", [spans, 5, rng.randint(20, 60)]))
    return calls


INTERVALS = Blueprint(
    noun="spans",
    files={
        "PKG/merge.py": '''\
"""Joining spans [start, end]."""


def merge(spans):
    """Sorted spans with overlapping and touching ones joined."""
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined
''',
        "PKG/measure.py": '''\
"""Lengths and gaps of spans."""

from PKG.merge import merge


def covered(spans):
    """How much the spans cover, counting overlaps once."""
    return sum(end - start for start, end in merge(spans))


def gaps(spans, start, end):
    """The parts of [start, end] that no span covers."""
    free, at = [], start
    for low, high in merge(spans):
        if low > at:
            free.append([at, min(low, end)])
        at = max(at, high)
        if at >= end:
            break
    if at < end:
        free.append([at, end])
    return free
''',
    },
    tests='''\
from PKG.measure import covered
from PKG.merge import merge


def test_distant_spans_stay_apart():
    assert merge([[5, 6], [1, 2]]) == [[1, 2], [5, 6]]


def test_distant_spans_add_up():
    assert covered([[0, 3], [10, 14]]) == 7
''',
    bugs=(
        Bug("PKG/merge.py", "joined[-1][1] = max(joined[-1][1], end)", "joined[-1][1] = end",
            "A short booking inside a long one makes the long one end too early."),
        Bug("PKG/merge.py", "start <= joined[-1][1]", "start < joined[-1][1]",
            "Bookings 9-10 and 10-11 should become one block, but I see two."),
        Bug("PKG/measure.py", "at = max(at, high)", "at = high + 1",
            "Free time always begins a minute late after a booking."),
        Bug("PKG/measure.py", "    if at < end:\n", "    if at < end and not free:\n",
            "The free time at the end of the day is missing when there was a break before."),
    ),
    calls=hidden_calls,
)  # fmt: skip
