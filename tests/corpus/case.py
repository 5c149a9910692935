"""What a case of the corpus is."""

from collections.abc import Callable
from dataclasses import dataclass, field

from envyard.contract.wheel import LIMITS, Limits
from tests import wheels


@dataclass(frozen=True)
class Case:
    """A wheel, and the code it is refused with; empty where it is accepted.

    The sentence that refuses it holds all `words`: the member, its value and the rule.
    """

    name: str
    build: Callable[[], bytes]
    code: str = ""
    words: tuple[str, ...] = ()
    filename: str = field(default_factory=wheels.filename)
    limits: Limits = LIMITS

    def __str__(self) -> str:
        return self.name
