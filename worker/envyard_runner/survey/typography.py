"""Does an invisible mark, such as a space at the end of a prompt, predict its label?

Such marks come from another template for the tasks of one label, or from a fault that always adds
or removes one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

LABELS = range(2, 7)  # different answers
FEWEST, FEWEST_OF_KIND = 20, 5  # tasks, and those that have the mark and that have it not
AGREED = 0.97
INVISIBLE = re.compile("[\u00a0\u00ad\u200b-\u200f\u2009\u202f\u2060\ufeff]")
LENGTH_COUNTS = re.compile(
    r"\b(?:even|odd|parity|length|how many|count|number of)\b", re.IGNORECASE
)
MARKS: dict[str, Callable[[str], bool]] = {
    "a space at the end": lambda prompt: prompt[-1:] in (" ", "\t", "\n"),
    "two spaces together": lambda prompt: re.search(r"\S  +\S", prompt) is not None,
    "a character that is not seen": lambda prompt: INVISIBLE.search(prompt) is not None,
    "a tab": lambda prompt: "\t" in prompt.rstrip(),
    "an even number of characters": lambda prompt: len(prompt) % 2 == 0,
    "an even number of words": lambda prompt: len(prompt.split()) % 2 == 0,
    "an even number of lines": lambda prompt: prompt.count("\n") % 2 == 1,
}

# Where the answer lists items, their number rightly follows from that of the words or lines.
OF_VERDICTS = ("an even number of words", "an even number of lines")


def telling_mark(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """How many labels a mark of the prompt tells, and that mark ("predicted by ..."), where nearly
    all prompts of one label have it and no others; (0, "") without one. Tasks are pairs of prompt
    and answer."""
    labels = Counter(answer for _, answer in tasks)
    if len(tasks) < FEWEST or len(labels) not in LABELS or min(labels.values()) < FEWEST_OF_KIND:
        return 0, ""
    for name, has in MARKS.items():
        marked = [has(prompt) for prompt, _ in tasks]
        if "number" in name and any(LENGTH_COUNTS.search(prompt) for prompt, _ in tasks):
            continue
        if name in OF_VERDICTS and len(labels) > 2:
            continue
        if min(sum(marked), len(tasks) - sum(marked)) < FEWEST_OF_KIND:
            continue
        for label in labels:
            pairs = zip(marked, tasks, strict=True)
            same = sum(mark == (answer == label) for mark, (_, answer) in pairs)
            if max(same, len(tasks) - same) >= AGREED * len(tasks):
                return max(same, len(tasks) - same), f"predicted by {name}"
    return 0, ""
