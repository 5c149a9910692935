"""Has the right option the same rank in every task, or a form that no other option has?

Such options need not be read: who made the wrong ones put them around the right one, explained the
right one best, or rounded it alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from envyard_runner.mutation.answers import OPTION, find_answer

ENOUGH, NEARLY_ALL = 20, 0.95  # tasks, and the share of them with that rank
FORMED = 0.8  # share of the tasks with that form, which is far beyond the chance of one in three
UNRANKED = 0.2  # of the tasks, whose prompts must not speak of a rank: only they are compared
LETTERS, FEWEST_LETTERS, CHANCE = "ABCDEFGHIJ", 2, 1e-6  # one letter alone is one answer for all
LARGEST_LETTER = 0.8  # share of the most common letter, beyond which the letter is the rank
AMOUNT = re.compile(r"[^\d\n-]{0,3}(-?\d[\d,]*(?:\.\d+)?)[^\d\n]{0,12}")
# What the text of one option may be or have, and no other one; words by which a prompt asks for it.
FORMS: dict[str, Callable[[str], bool]] = {
    "decimals": lambda text: re.search(r"\d\.\d", text) is not None,
    "a digit": lambda text: re.search(r"\d", text) is not None,
    "a zero at its end": lambda text: text.endswith("0"),
    "a capital at its beginning": lambda text: text[:1].isupper(),
    "a mark at its end": lambda text: text[-1:] in (".", "!", "?", ";"),
    "a comma": lambda text: "," in text,
    "brackets": lambda text: "(" in text,
    "a hyphen": lambda text: "-" in text[1:],
    "several words": lambda text: " " in text,
}
FORM_WANTED = re.compile(
    r"\b(?:integers?|whole|decimals?|fractions?|round(?:ed)?|digits?|capitals?|capitali[sz]ed|commas?"
    r"|punctuat\w*|brackets?|hyphen\w*|words?|divisible|multiples?|spell\w*"
    r"|proper nouns?|complete sentences?|grammat\w*|numerals?|numeric|compounds?|syntax\w*|valid"
    r"|(?:is|are|not) an? (?:number|question|phrase|name|sentence|call|date|year|code))\b",
    re.IGNORECASE,
)
LONGER = 1.2  # times the length of the next option, from which on one is the longest
# Words by which a prompt asks for the rank: the right option then has it rightly.
SUPERLATIVE = (
    r"(?:bigg|cheap|clos|deep|earli|far|fast|few|great|heavi|high|larg|lat|light|long|low|near|old"
    r"|short|slow|small|tall|thin|wid|young)est|most|least|max\w*|min\w*|more|less|first|last"
)
RANKED = re.compile(rf"\b(?:{SUPERLATIVE}|middle|median|second|third|between)\b", re.IGNORECASE)


def option_rank(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """In how many tasks, of pairs of prompt and answer, the right option has the most common rank
    or form, and that in words; (0, "") where nearly all do not, or where prompts ask for it."""
    with_options = [
        (prompt, row) for prompt, answer in tasks if (row := right_option(prompt, answer))
    ]
    unranked = [
        (question, row)
        for prompt, row in with_options
        if not RANKED.search(question := OPTION.sub("", prompt))
    ]
    rows, enough = [row for _, row in unranked], max(ENOUGH, UNRANKED * len(tasks))
    if len(with_options) < NEARLY_ALL * len(tasks) or len(rows) < enough:
        return 0, ""
    if place := _unused_letters(rows):
        return place
    letters = Counter(place for _, place in rows)
    if max(letters.values()) > LARGEST_LETTER * len(rows):
        return 0, ""
    ranks = Counter(rank for options, place in rows for rank in _ranks(options, place))
    rank, count = next(iter(ranks.most_common(1)), ("", 0))
    if count >= NEARLY_ALL * len(rows):
        return count, rank
    # Tasks that ask for a form alone are left out: one of them must not end the check of all.
    rows = [row for question, row in unranked if not FORM_WANTED.search(question)]
    if len(rows) < enough:
        return 0, ""
    forms = Counter(form for options, place in rows for form in _only_form(options, place))
    form, count = next(iter(forms.most_common(1)), ("", 0))
    return (count, form) if count >= FORMED * len(rows) else (0, "")


def right_option(prompt: str, answer: str) -> tuple[list[str], int] | None:
    """The texts of three options or more, and the place of the right one."""
    options = [
        (match["letter"].casefold(), match["text"].rstrip()) for match in OPTION.finditer(prompt)
    ]
    if len(options) < 3 or [letter for letter, _ in options] != [*"abcdefghij"[: len(options)]]:
        return None
    marked = find_answer(answer).answer.strip().strip("().").casefold()
    texts = [text for _, text in options]
    places = [
        at for at, (letter, text) in enumerate(options) if marked in (letter, text.casefold())
    ]
    return (texts, places[0]) if len(places) == 1 else None


def _unused_letters(rows: Sequence[tuple[list[str], int]]) -> tuple[int, str] | None:
    """How many tasks there are, and their letters, where the right option never has another one,
    which by chance alone is too unlikely."""
    places = {place for _, place in rows}
    count = min(len(options) for options, _ in rows)
    if len(places) < FEWEST_LETTERS or len(places) >= count or max(places) >= count:
        return None
    if (len(places) / count) ** len(rows) > CHANCE:
        return None
    letters = [LETTERS[place] for place in sorted(places)]
    return len(rows), f"always {' or '.join(letters)}, never another option"


def _only_form(options: Sequence[str], place: int) -> Iterator[str]:
    """What the right option alone has, or alone lacks."""
    for name, has in FORMS.items():
        having = [has(text) for text in options]
        if having.count(having[place]) == 1:
            yield f"the only option {'with' if having[place] else 'without'} {name}"


def _ranks(options: Sequence[str], place: int) -> Iterator[str]:
    amounts = [AMOUNT.fullmatch(text) for text in options]
    if all(amounts):
        values = [float(match[1].replace(",", "")) for match in amounts if match]
        if len({*values}) == len(values):
            rank = sorted(values).index(values[place])
            last = len(values) - 1
            names = {0: "the smallest", last: "the largest"} | {last / 2: "the middle one"}
            yield f"{names.get(rank, f'number {rank + 1} by size')} of the options"
        return
    lengths = [len(text) for text in options]
    others = max(length for at, length in enumerate(lengths) if at != place)
    if lengths[place] >= LONGER * others:
        yield "the longest of the options"
