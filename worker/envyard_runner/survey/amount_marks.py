"""Does the way in which an amount is written tell the label, or the row that is asked for?

A wrong total that is printed by other code lacks the separator of thousands, or has cents where all
right ones are whole: nobody then needs to add.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

LABELLED = re.compile(
    r"^[^\S\n]{0,9}(?P<label>[A-Za-z][^:=\n\d]{0,40})[:=][^\d\n-]{0,4}"
    r"(?P<amount>\d[\d,]{0,15}(?:\.\d{1,6})?)",
    re.MULTILINE,
)
AMOUNT = re.compile(r"(?<![\d.,])\d[\d,]{0,15}(?:\.\d{1,6})?(?![\d.,]*\d)")
USUAL = 0.9  # share of the prompts that have the line
MARKS: dict[str, Callable[[str], bool]] = {
    "without a separator of thousands": lambda amount: (
        "," not in amount and len(amount.split(".")[0]) > 3
    ),
    "with no cents": lambda amount: amount.endswith(".00"),
    "with cents": lambda amount: re.search(r"\.(?!00$)\d\d$", amount) is not None,
    "with a zero at its end": lambda amount: amount.endswith("0"),
    "without a zero at its end": lambda amount: not amount.endswith("0"),
    "with decimals": lambda amount: "." in amount,
    "without decimals": lambda amount: "." not in amount,
}
# Words by which a prompt asks for the form of an amount.
FORM_WANTED = re.compile(
    r"\b(?:separator\w*|format\w*|written|integers?|decimals?|digits?|even|odd|multiples?|divisible"
    r"|divid\w*|notation)\b",
    re.IGNORECASE,
)
ROW = re.compile(
    r"^[^\S\n]{0,9}\|?[^\S\n]{0,9}(?P<name>[A-Za-z]{0,3}\d{1,4})\b[.):|]?(?P<cells>[^\n]{1,400})$",
    re.MULTILINE,
)
FEWEST_ROWS, FEWEST_TASKS, NEARLY_ALL = 3, 20, 0.9


def labelled_marks(prompts: Sequence[str]) -> Iterator[tuple[str, list[bool]]]:
    """For each line that nearly all prompts have, whether its amount is written so: the mark in
    words, and one entry for each prompt."""
    if any(FORM_WANTED.search(prompt) for prompt in prompts):
        return
    lines = [
        {match["label"].strip().casefold(): match["amount"] for match in LABELLED.finditer(prompt)}
        for prompt in prompts
    ]
    counts: defaultdict[str, int] = defaultdict(int)
    for each in lines:
        for label in each:
            counts[label] += 1
    for label, count in counts.items():
        if count >= USUAL * len(prompts):
            for name, has in MARKS.items():
                marks = [label in each and has(each[label]) for each in lines]
                yield f"the amount behind {label[:30]!r} {name}", marks


def odd_row(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """How many tasks, of pairs of prompt and answer, ask for the only row whose last amount is
    written otherwise, and that in words; (0, "") where nearly all do not."""
    rows = [(answer.strip().casefold(), _last_amounts(prompt)) for prompt, answer in tasks]
    known = [(answer, each) for answer, each in rows if answer in each]
    if len(known) < max(FEWEST_TASKS, NEARLY_ALL * len(tasks)):
        return 0, ""
    if any(FORM_WANTED.search(prompt) for prompt, _ in tasks):
        return 0, ""
    for name, has in MARKS.items():
        odd = sum([key for key in each if has(each[key])] == [answer] for answer, each in known)
        if odd >= NEARLY_ALL * len(tasks):
            return odd, f"the only row whose last amount is {name}"
    return 0, ""


def _last_amounts(prompt: str) -> dict[str, str]:
    """The last amount of each row of the longest table, by the number or code that begins the row;
    empty for few rows."""
    amounts = {}
    for row in ROW.finditer(prompt):
        if len(cells := AMOUNT.findall(row["cells"])) > 1:
            amounts[row["name"].casefold()] = cells[-1]
    return amounts if len(amounts) >= FEWEST_ROWS else {}
