"""Does an invisible mark, such as a space at the end of a prompt, predict its label? Or the way in
which one of its amounts is written?

Such marks come from another template for the tasks of one label, or from a fault that always adds
or removes one line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from envyard_runner.survey.amount_marks import labelled_marks

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
}
COUNTED: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda prompt: len(prompt.split()),
    "lines": lambda prompt: prompt.count("\n") + 1,
}
VARIED = 3  # different numbers of each label: two questions rightly have two lengths
# Where the answer lists items, their number rightly follows from that of the words or lines.
OF_VERDICTS = ("words", "lines")


def telling_mark(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """How many labels a mark of the prompt tells, and that mark ("predicted by ..."), where nearly
    all prompts of one label have it and no others; (0, "") without one. Tasks are pairs of prompt
    and answer."""
    labels = Counter(answer for _, answer in tasks)
    if len(tasks) < FEWEST or len(labels) not in LABELS or min(labels.values()) < FEWEST_OF_KIND:
        return 0, ""
    marks = {name: [has(prompt) for prompt, _ in tasks] for name, has in MARKS.items()}
    marks |= dict(labelled_marks([prompt for prompt, _ in tasks]))
    for name, marked in (marks | _parities(tasks)).items():
        if min(sum(marked), len(tasks) - sum(marked)) < FEWEST_OF_KIND:
            continue
        for label in labels:
            pairs = zip(marked, tasks, strict=True)
            same = sum(mark == (answer == label) for mark, (_, answer) in pairs)
            if max(same, len(tasks) - same) >= AGREED * len(tasks):
                return max(same, len(tasks) - same), f"predicted by {name}"
    return 0, ""


def _parities(tasks: Sequence[tuple[str, str]]) -> dict[str, list[bool]]:
    """Whether each prompt has an even number of characters, words and lines; without those by
    which the tasks may rightly be answered."""
    if any(LENGTH_COUNTS.search(prompt) for prompt, _ in tasks):
        return {}
    parities = {}
    for name, count in COUNTED.items():
        numbers: defaultdict[str, set[int]] = defaultdict(set)
        for prompt, answer in tasks:
            numbers[answer].add(count(prompt))
        varied = min(map(len, numbers.values())) >= VARIED
        if name not in OF_VERDICTS or (varied and len(numbers) == 2):
            even = [count(prompt) % 2 == 0 for prompt, _ in tasks]
            parities[f"an even number of {name}"] = even
    return parities
