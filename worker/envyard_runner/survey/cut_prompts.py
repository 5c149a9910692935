"""Prompts that are cut at a number of characters, so that what the answer needs is missing.

Where many of the longest prompts are of nearly one length and some of these end within a word, as
no shorter one does, something has cut them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from envyard_runner.survey.listing import WHOLE

FEWEST, SHARE = 5, 0.04  # of the longest prompts, and their share of all
BAND = 0.05  # by which the longest prompts differ in length: a question may stand before the text
PARAGRAPHS = 4  # that are judged each; a question may follow the text that is cut
LENGTHS = 10  # different ones of the others
USUAL = 0.25  # share of the others with one length, from which on a form decides it
FEWEST_BROKEN, BROKEN = 2, 0.25  # of the longest prompts that end within a word
ODD = 0.5  # of the longest prompts that end with another kind of character than the others do
SHORTEST_PROSE, WORDS = 200, 25  # characters, and words of a text
MANY, NEARLY_ALL, ENDS = 20, 0.9, 5  # texts, their share of all, and different last words
FINAL = (*".!?:;)]}\"'`",)
ENDS_IN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z")
WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?=[\W\d_])")


def cut_prompts(prompts: Sequence[str]) -> list[int]:
    """The places of the longest prompts, or of those with the longest paragraph at one place, where
    they are cut; none elsewhere.

    Those that the survey itself shortens are not judged.
    """
    if cut := _cut(prompts):
        return cut
    paragraphs = [prompt.split("\n\n", PARAGRAPHS) for prompt in prompts]
    fewest = min(map(len, paragraphs), default=0)
    parts = [[each[at] for each in paragraphs] for at in range(fewest - 1)]
    return next(filter(None, map(_cut, parts)), []) or next(filter(None, map(_all_cut, parts)), [])


def _all_cut(texts: Sequence[str]) -> list[int]:
    """The places of all, where nearly all are prose of one length and end anywhere: none is that by
    nature."""
    length, count = next(iter(Counter(map(len, texts)).most_common(1)), (0, 0))
    cut = [at for at, text in enumerate(texts) if len(text) == length]
    if length < SHORTEST_PROSE or count < max(MANY, NEARLY_ALL * len(texts)):
        return []
    if _are_lists(texts):
        return []
    ends = Counter(texts[at][-1:] in FINAL for at in cut)
    last = {words[-1] for at in cut if (words := texts[at].split())}
    prose = all(len(texts[at].split()) > WORDS for at in cut)
    return cut if prose and ends[True] < ODD * count and len(last) >= ENDS else []


def _are_lists(texts: Sequence[str]) -> bool:
    """Whether all texts have the same words in some order, or each has words of one length: such
    lists are of one length by nature."""
    words = [sorted(WORD.findall(f"{text} ")) for text in texts]
    shuffled = all(each == words[0] for each in words)
    return shuffled or all(len({*map(len, each)}) == 1 for each in words)


def _cut(prompts: Sequence[str]) -> list[int]:
    lengths = Counter(map(len, prompts))
    longest = max(lengths, default=0)
    band = (1 - BAND) * longest
    others = {length: count for length, count in lengths.items() if length < band}
    cut = [at for at, prompt in enumerate(prompts) if len(prompt) >= band]
    if longest >= WHOLE or len(cut) < max(FEWEST, SHARE * len(prompts)):
        return []
    if len(others) < LENGTHS or max(others.values()) > USUAL * sum(others.values()):
        return []
    words = {word.casefold() for prompt in prompts for word in WORD.findall(prompt)}
    broken = [at for at, prompt in enumerate(prompts) if _ends_within(prompt, words)]
    here = sum(len(prompts[at]) >= band for at in broken)
    elsewhere = len(broken) - here
    whole = [prompt for prompt in prompts if len(prompt) < band]
    ends = {kind for kind, count in Counter(map(_end, whole)).items() if count > SHARE * len(whole)}
    odd = sum(_end(prompts[at]) not in ends for at in cut)
    if elsewhere > SHARE * len(whole) or here < FEWEST_BROKEN:
        return []
    return cut if here >= BROKEN * len(cut) or odd >= ODD * len(cut) else []


def _end(prompt: str) -> str:
    """The kind of its last character: a mark is one of its own."""
    last = prompt[-1:]
    return "letter" if last.isalpha() else "digit" if last.isdigit() else last


def _ends_within(prompt: str, words: set[str]) -> bool:
    """Whether its last word stands nowhere before a mark or a space."""
    end = ENDS_IN_WORD.search(prompt)
    return end is not None and end[0].casefold() not in words
