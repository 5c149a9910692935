"""What the prompts of a task set have in common, and what differs from task to task."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![\w.])\d+(?:\.\d+)?")
TOKEN = re.compile(r"#|\w+(?:'\w+)?|[^\w\s]")
BEHIND_NUMBERS = ("_", ")", "]")
COMMON = 0.3  # of the prompts that have a word of the template
ENDS = 3  # words at the beginning or the end that prompts of one template share
REPEATED = re.compile(r"(?:# ?[,;]? ?(?:and )?){3,}|(?:_ ){2,}")


@dataclass(frozen=True, slots=True)
class Sample:
    """A task's prompt and answer."""

    task: int
    prompt: str
    answer: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A prompt of several with one beginning and one end: what stands between them."""

    sample: Sample
    text: str
    before: str
    after: str


def numbers_in(text: str) -> list[float]:
    """The numbers of a text; `-` is a sign where no number or bracket stands before it."""
    values = []
    for match in NUMBER.finditer(text):
        before = text[: match.start()]
        operand = before[:-1].rstrip()[-1:]  # a search for it would read all of the text each time
        negative = before.endswith("-") and not (operand.isalnum() or operand in BEHIND_NUMBERS)
        values.append(float(match[0].replace(",", "")) * (-1 if negative else 1))
    return values


def words_in(text: str) -> list[str]:
    """The words and marks of a text, with `#` for each number."""
    return TOKEN.findall(NUMBER.sub("#", text.casefold()))


def by_template(samples: Sequence[Sample]) -> list[list[Sample]]:
    """The samples by their template: the words that many prompts have, at their places; the largest
    group first."""
    words = {id(sample): words_in(sample.prompt) for sample in samples}
    counts = Counter(word for each in words.values() for word in set(each))
    groups: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        kept = (
            w if counts[w] >= COMMON * len(samples) or not w[0].isalnum() else "_"
            for w in words[id(sample)]
        )
        template = REPEATED.sub("* ", " ".join(kept) + " ")
        groups[template].append(sample)
    return sorted(groups.values(), key=len, reverse=True)


def cuts(samples: Sequence[Sample], *, fewest: int) -> Iterator[list[Cut]]:
    """Groups of at least `fewest` samples whose prompts begin alike, or end alike, each without
    what all of its prompts begin and end with."""
    for end in (slice(0, ENDS), slice(-ENDS, None)):
        groups: defaultdict[tuple[str, ...], list[Sample]] = defaultdict(list)
        for sample in samples:
            groups[tuple(words_in(sample.prompt)[end])].append(sample)
        for group in groups.values():
            if len(group) >= fewest:
                yield _cut(group)


def _cut(group: Sequence[Sample]) -> list[Cut]:
    prompts = [sample.prompt for sample in group]
    start = len(_to_boundary(_common_start(prompts)))
    left = [prompt[start:][::-1] for prompt in prompts]
    end = len(_to_boundary(_common_start(left)))
    return [
        Cut(s, s.prompt[start : len(s.prompt) - end].strip(), s.prompt[:start],
            s.prompt[len(s.prompt) - end :])
        for s in group
    ]  # fmt: skip


def _common_start(texts: Sequence[str]) -> str:
    """The characters with which all texts begin: those of the first and the last in order."""
    first, last = min(texts), max(texts)
    length = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[: min(len(first), len(last)) if length is None else length]


def _to_boundary(shared: str) -> str:
    """The shared text up to its last mark or space, as a common first letter is no template."""
    return re.sub(r"\w+$", "", shared)
