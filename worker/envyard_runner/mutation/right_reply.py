"""A right reply with all that a change of the whole reply may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard_runner.mutation.alphabets import Alphabet
from envyard_runner.mutation.answers import Marked
from envyard_runner.mutation.wrong_answers import other_answer

# The changed reply, its answer before and after; None where nothing can be changed.
Changed = tuple[str, str, str] | None


@dataclass(frozen=True, slots=True)
class RightReply:
    """Its text, its answer and that answer's surroundings, the characters of all answers, the
    prompt and what the scoring code has."""

    text: str
    marked: Marked
    alphabet: Alphabet
    prompt: str = ""
    constants: ScoringConstants = NO_CONSTANTS

    @property
    def wrong(self) -> str:
        """The same reply with another answer."""
        return other_answer(self.text, self.alphabet)


def rewritten(change: Callable[[RightReply], str | None]) -> Callable[[RightReply], Changed]:
    """A change that gives another text of the whole reply, with its answer before and after."""

    def changed(right: RightReply) -> Changed:
        text = change(right)
        return (text, right.marked.answer, text) if text else None

    return changed
