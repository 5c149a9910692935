"""What a known rule consists of, and how it reads answers that are labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

WORDS = re.compile(r"[^\W_]+")
YES, NO = "yes", "no"
VERDICTS = {
    **dict.fromkeys(
        ("yes", "y", "true", "compatible", "valid", "legal", "correct", "possible", "safe",
         "acceptable", "allowed", "permitted", "follows", "it follows"), YES),
    **dict.fromkeys(
        ("no", "n", "false", "incompatible", "not compatible", "invalid", "not valid", "illegal",
         "not legal", "incorrect", "impossible", "unsafe", "not safe", "unacceptable",
         "not allowed", "not permitted", "does not follow", "it does not follow"), NO),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Solved:
    """The right answers of one prompt in normal form. `wrong` are the other labels where an answer
    is one of a few; `form` is how a reader expects the first right one."""

    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    form: str = ""

    @property
    def shown(self) -> str:
        """A right answer as a reader expects it."""
        return self.form or self.right[0]

    def contradicts(self, answer: str) -> bool:
        """Whether an answer in normal form is of the right form and wrong."""
        return answer not in self.right and (not self.wrong or answer in self.wrong)


@dataclass(frozen=True, slots=True)
class KnownRule:
    """A subject: what its answers are, in words that follow `the answer is`, and how to solve it.

    `clue` is in every prompt of the subject. `solve` is None where a prompt leaves anything open.
    `normal` is empty for an answer of another form. `unless` recognises a prompt that asks for
    something else or defines another convention, and instructions that do so for all tasks.
    `foreign` recognises a prompt that shows another convention of the whole set. With `worded`,
    words that only contradictions have explain them: they ask for something else. Of `names`, such
    as those of months, some may be wrong, so they explain nothing.
    """

    text: str
    clue: re.Pattern[str]
    solve: Callable[[str], Solved | None]
    normal: Callable[[str], str]
    unless: Callable[[str], bool] = lambda _: False
    foreign: Callable[[str], bool] = lambda _: False
    worded: bool = False
    names: frozenset[str] = frozenset()


def pattern(words: str) -> re.Pattern[str]:
    """A pattern of words, in whichever case."""
    return re.compile(words, re.IGNORECASE)


def has(words: str) -> Callable[[str], bool]:
    """Whether a text has one of these words."""
    compiled = pattern(words)
    return lambda text: compiled.search(text) is not None


def words_of(answer: str) -> str:
    """The words of an answer, without case and marks."""
    return " ".join(WORDS.findall(answer.casefold()))


def verdict(answer: str) -> str:
    """Yes or no, in one of the words for them; empty for another answer."""
    return VERDICTS.get(words_of(answer), "")


def yes_or_no(holds: bool) -> Solved:
    """The label of what holds or does not."""
    return Solved((YES,), (NO,)) if holds else Solved((NO,), (YES,))


EITHER = Solved((YES, NO))
