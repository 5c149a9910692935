"""Is the worked example of a prompt the task itself?

A fixed example that has the answer of one task by chance shows nothing, and neither do classes or
small numbers that many tasks share. So a task's own answer must be given as an example's far more
often than the answers of other tasks are, or behind the very line that the policy is to complete.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.survey.given_pairs import shown_pairs

SHORTEST, LONGEST = 4, 2_000  # characters of an answer; a shorter one is there by chance
SHORTEST_INPUT, MOST_PAIRS = 3, 50  # characters of a pair's input, and pairs with one answer
SHORTEST_ENTRY = 2  # of one behind the name that the task asks about
CHARACTERS = 20_000  # of a message that is searched
MARK = re.compile(
    r"\b(?:examples?|e\.g\.|for instance|samples?|demonstrations?|worked|few[- ]shot)\b",
    re.IGNORECASE,
)
# Words of a prompt whose pairs show a rule that is to be found: they are no entries of a table.
RULE = re.compile(
    r"\b(?:find|infer|deduce|discover|work out|guess|learn|apply|same|hidden|unknown|secret)\b"
    r"[^.\n]{0,40}\b(?:rule|pattern|function|transformation|mapping|cipher)\b",
    re.IGNORECASE,
)
LOOKUP = re.compile(r"\b(?:tables?|dictionary|glossary|look(?:ed|ing)?[ -]?up)\b", re.IGNORECASE)
# A pair of words with an arrow, perhaps with a remark behind the first; the remark.
ARROWED = re.compile(
    r"^[ \t]{0,20}(?:(?:[-*]|\d{1,2}\.)[ \t]{0,20})?(\w{2,40})(?: \([^()\n]{1,60}\))?[ \t]{0,20}"
    r"(?:->|=>|\u2192|\u21d2)[ \t]{0,20}(\w{2,40})[ \t]{0,20}$",
    re.MULTILINE,
)
REMARK = re.compile(r" \([^()\n]{1,60}\)$")
FEWEST_PAIRS, SHORTEST_STEM = 3, 2
INPUT = re.compile(
    r"^(?:[-*\u2022\s]|\d{1,3}[.)]\s)*(?:\W*(?:in(?:put)?|question|query|before|from|x|q)\b\W{0,4})?"
    r"[\"'`]?",
    re.IGNORECASE,
)
MARKED_BEFORE = 600  # characters between such a word and the answer
OUTPUT = (
    r"(?:\b(?:reply|output|response|result|answer|solution|translation|decoded|expected|target"
    r"|completion|assistant|a)\b\W{0,4}[:=]|->|=>|\u2192|\u21d2)"
)
OPENING, CLOSING = r"\s{0,3}(?:<\w+>|[`\"'*{(]){0,3}", r"(?:</\w+>|[`\"'*}).]){0,3}[ \t]*$"
MARKED_TASKS, TASKS = 2, 3  # with different answers
CHANCE = 0.01  # the probability of as many, if answers were dealt at random, that is too small
HALF = 0.5
AROUND = 60  # characters of an excerpt before the answer
OPEN_LINE = re.compile(rf"^(?P<line>[^\n]{{0,200}}{OUTPUT})[ \t]*$", re.IGNORECASE | re.MULTILINE)
OPEN_LINES = 3  # of a message that are looked for above themselves
NAME = re.compile(r"\w[\w-]{2,39}")  # of what an entry is about
SHORT_LINE = 8  # characters: `A:` alone is read with the line before it


@dataclass(frozen=True, slots=True)
class Given:
    """Where an example gives an answer; `marked` where the text calls it an example."""

    excerpt: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Opening:
    """What one task shows before the first reply, and its answer."""

    task: int
    messages: Sequence[tuple[str, str]]
    answer: str


class Examples:
    """The first calls of a survey's tasks."""

    def __init__(self) -> None:
        self._openings: dict[int, Opening] = {}

    def add(self, task: int, messages: Sequence[tuple[str, str]], reference: str) -> None:
        """Add a task's first messages (role and text) and its reference reply; nothing for a task
        that is known, and where the answer is too short or too long to be looked for."""
        if task in self._openings:
            return
        answer = find_answer(reference).answer.strip()
        if SHORTEST_ENTRY <= len(answer) <= LONGEST and answer.casefold() not in OPPOSITES:
            texts = [(role, text[:CHARACTERS]) for role, text in messages]
            self._openings[task] = Opening(task, texts, answer)

    @property
    def leaks(self) -> dict[int, str]:
        """The tasks whose own answer an example gives, each with an excerpt; none where that may be
        chance, or where unmarked ones are in half of the tasks (which may be to repeat)."""
        return self._leaks or shown_pairs(
            {each.task: "\n".join(t for _, t in each.messages) for each in self._openings.values()},
            {each.task: each.answer for each in self._openings.values()},
        )

    @property
    def _leaks(self) -> dict[int, str]:
        repeated = {
            opening.task: excerpt
            for opening in self._openings.values()
            if len(opening.answer) >= SHORTEST
            and (excerpt := _completed_above(opening.messages[-1][1], opening.answer))
        }
        if self._distinct([*repeated]) >= MARKED_TASKS:
            return repeated
        shown = {
            opening.task: given
            for opening in self._openings.values()
            if (given := given_answer(opening.messages, opening.answer))
        }
        marked = [task for task, given in shown.items() if given.marked]
        if self._distinct(marked) < MARKED_TASKS:
            few = self._distinct([*shown]) < TASKS
            if few or len(shown) >= HALF * len(self._openings):
                return {}
        if _at_least(len(shown), self._by_chance()) > CHANCE:
            return {}
        return {task: given.excerpt for task, given in shown.items()}

    def _distinct(self, tasks: Sequence[int]) -> int:
        return len({self._openings[task].answer.casefold() for task in tasks})

    def _by_chance(self) -> float:
        """In how many tasks an example would give the answer if answers were dealt at random: the
        mean by all pairs of a task and another task's answer."""
        answers = {opening.answer.casefold() for opening in self._openings.values()}
        found = pairs = 0
        for opening in self._openings.values():
            for other in answers - {opening.answer.casefold()}:
                pairs += 1
                found += given_answer(opening.messages, other) is not None
        return len(self._openings) * found / pairs if pairs else float("inf")


def _completed_above(text: str, answer: str) -> str:
    """The line that the policy is to complete where the same one stands above with the answer;
    empty where none does."""
    for match in [*OPEN_LINE.finditer(text)][-OPEN_LINES:]:
        start = match.start()
        if len(match["line"].strip()) < SHORT_LINE:
            start = text.rfind("\n", 0, max(0, start - 1)) + 1
        line = text[start : match.end()].strip()
        for space in ("", " ", "\n"):
            completed = f"\n{line}{space}{answer}".casefold()
            if completed in f"\n{text[:start]}".casefold():
                return completed.strip()
    return ""


def _at_least(count: int, mean: float) -> float:
    """The probability of `count` or more by a Poisson distribution with this mean."""
    if mean == float("inf"):
        return 1.0
    return 1.0 - sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(count))


def given_answer(messages: Sequence[tuple[str, str]], answer: str) -> Given | None:
    """Where messages, pairs of role and text, give the answer as that of an example: behind a word
    for replies, or as a reply of the assistant's; in the last message only behind a mark."""
    form = r"\s+".join(map(re.escape, answer.split()))
    pattern = re.compile(f"{OUTPUT}{OPENING}{form}{CLOSING}", re.IGNORECASE | re.MULTILINE)
    last = messages[-1][1]
    if entry := _example_entry(last, form):
        return Given(entry, True)
    if entry := _repeated_pair(last, form):
        return Given(entry, _wants_rule(last))  # without a rule, pairs may be there to look up
    if len(answer) < SHORTEST:
        return None
    found = None
    for place, (role, text) in enumerate(messages):
        for given in _given(pattern, form, role, text):
            if given.marked:
                return given
            found = found or (given if place + 1 < len(messages) else None)
    return found


def _example_entry(text: str, form: str) -> str:
    """The line of an example, such as `borage: 412`, that names what the last line asks for and has
    this answer; empty where there is none."""
    mark = MARK.search(text)
    lines = [line for line in text.splitlines() if line.strip()]
    if mark is None or len(lines) < 2:
        return ""
    names = {word.casefold() for word in NAME.findall(lines[-1])}
    pattern = rf"^\W{{0,4}}(\w[\w -]{{2,39}}?) ?[:=|] ?\W{{0,2}}{form}\W{{0,2}}$"
    entries = re.finditer(pattern, text[mark.end() :], re.IGNORECASE | re.MULTILINE)
    return next((each[0].strip() for each in entries if each[1].casefold() in names), "")


def _repeated_pair(text: str, form: str) -> str:
    """The pair of an input and this answer, such as `abc -> bcd`, where the input stands below once
    more: it is what the rule is to be applied to. Empty where no rule is to be found."""
    if not re.search(form, text, re.IGNORECASE):
        return ""
    if not _wants_rule(text) and not _pairs_are_alike(text):
        return ""
    between = rf"\s{{0,4}}(?:\bout(?:put)?\b\W{{0,3}}|{OUTPUT}|[:=|\t]|\s{{2}})\W{{0,6}}"
    pairs = rf"^(?P<left>[^\n]{{2,200}}?){between}{form}\W{{0,2}}$"
    matches = re.finditer(pairs, text, re.IGNORECASE | re.MULTILINE)
    for match in islice(matches, MOST_PAIRS):
        given = REMARK.sub("", INPUT.sub("", match["left"])).strip(" \"'`")
        below = re.search(rf"(?<!\w){re.escape(given)}(?!\w)", text[match.end() :], re.IGNORECASE)
        if len(given) >= SHORTEST_INPUT and below:
            return match[0].strip()
    return ""


def _wants_rule(text: str) -> bool:
    return RULE.search(text) is not None and LOOKUP.search(text) is None


def _pairs_are_alike(text: str) -> bool:
    """Whether most pairs with an arrow begin or end alike, or have the same letters: they show how
    one follows from the other, and are no table to look up."""
    pairs = [[*map(str.casefold, pair)] for pair in ARROWED.findall(text)[:MOST_PAIRS]]
    names = [name for pair in pairs for name in pair]
    least, most = min(names, default=""), max(names, default="")
    # Of all names, as in node12 -> node97.
    same = sum(
        1 for _ in takewhile(lambda each: each[0] == each[1], zip(least, most, strict=False))
    )
    alike = sum(_is_alike(left[same:], right[same:]) for left, right in pairs)
    return len(pairs) >= FEWEST_PAIRS and alike > HALF * len(pairs)


def _is_alike(left: str, right: str) -> bool:
    half = max(SHORTEST_STEM, min(len(left), len(right)) // 2)
    ends = left[:half] == right[:half] or left[-half:] == right[-half:]
    return (ends and left != right) or (left != right and sorted(left) == sorted(right))


def _given(pattern: re.Pattern[str], form: str, role: str, text: str) -> Iterator[Given]:
    if role == "assistant" and re.fullmatch(rf"\W*{form}\W*", text, re.IGNORECASE):
        yield Given(text[:AROUND], False)
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - MARKED_BEFORE) : match.start()]
        excerpt = text[max(0, match.start() - AROUND) : match.end()]
        yield Given(excerpt, bool(MARK.search(before)))
