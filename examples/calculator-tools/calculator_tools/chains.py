"""Seeded chains of operations, written as a list of instructions or as one formula."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

from calculator_tools.arithmetic import LIMIT, compute

WORDS = {
    "add": "Add {b}.",
    "subtract": "Subtract {b}.",
    "multiply": "Multiply by {b}.",
    "divide": "Divide by {b} and drop the remainder.",
    "remainder": "Divide by {b} and keep only the remainder.",
}
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "//", "remainder": "%"}


@dataclass(frozen=True, slots=True)
class Chain:
    """A starting number, the operations on it, and where each leads."""

    steps: tuple[tuple[str, int, int], ...]
    """(operation, a, b) with the numbers that really occur."""
    written_as_formula: bool

    @property
    def answer(self) -> int:
        """The result of the last step."""
        return compute(*self.steps[-1])

    @property
    def text(self) -> str:
        """The question as the policy reads it."""
        start = self.steps[0][1]
        if not self.written_as_formula:
            steps = " ".join(WORDS[name].format(b=b) for name, _, b in self.steps)
            return f"Start with {start}. {steps} What number do you get?"
        formula = str(start)
        for name, _, b in self.steps:
            formula = f"({formula} {SIGNS[name]} {b})"
        meaning = "// is the quotient rounded down and % its remainder"
        return f"What is {formula[1:-1]}? Here {meaning}."


def _operand(rng: random.Random, name: str, value: int) -> int:
    if name == "multiply":
        return rng.randint(103, 9_973)
    if name in ("divide", "remainder"):
        return rng.randint(11, max(12, min(9_973, value // 50)))
    return rng.randint(1_009, max(1_010, min(value - 1, 9_999_991)))


def chain(rng: random.Random, *, length: int) -> Chain:
    """A chain whose numbers stay positive, between 10_000 and the limit until the last step."""
    steps: list[tuple[str, int, int]] = []
    value = rng.randint(10_007, 999_983)
    while len(steps) < length:
        last = len(steps) == length - 1
        names = ["add", "subtract", "multiply", "divide"] + ["remainder"] * last
        name = "multiply" if not steps else rng.choice(names)
        b = _operand(rng, name, value)
        result = compute(name, value, b)
        if (10_000 if not last else 10) <= result < LIMIT:
            steps.append((name, value, b))
            value = result
    return Chain(tuple(steps), written_as_formula=rng.random() < 0.5)


def split_of(text: str) -> str:
    """The split a question belongs to, decided by its own bytes: no seed can move it."""
    return "eval" if hashlib.sha256(text.encode()).digest()[0] < 51 else "train"


def chains(*, seed: int, split: str, shortest: int, longest: int) -> Iterator[Chain]:
    """Distinct chains of one split, without end; no question contains its answer."""
    rng = random.Random(f"calculator-tools/{seed}")
    texts: set[str] = set()
    while True:
        drawn = chain(rng, length=rng.randint(shortest, longest))
        text = drawn.text
        if text in texts or split_of(text) != split or str(drawn.answer) in text:
            continue
        texts.add(text)
        yield drawn
