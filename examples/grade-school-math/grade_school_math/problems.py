"""The seeded stream of problems and the split each belongs to."""

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grade_school_math.stories import STORIES


@dataclass(frozen=True, slots=True)
class WordProblem:
    """One problem: its text, the worked solution ending in `#### answer`, and the answer."""

    text: str
    solution: str
    answer: str


def split_of(text: str) -> str:
    """The split a problem belongs to, decided by its own bytes: no seed can move it."""
    return "eval" if hashlib.sha256(text.encode()).digest()[0] < 51 else "train"


def problems(*, seed: int, split: str) -> Iterator[WordProblem]:
    """Distinct problems of one split, without end; the text never contains the answer."""
    rng = random.Random(f"grade-school-math/{seed}")
    texts: set[str] = set()
    while True:
        text, steps, answer = rng.choice(STORIES)(rng)
        if text in texts or split_of(text) != split or str(answer) in re.findall(r"\d+", text):
            continue
        texts.add(text)
        yield WordProblem(text, "\n".join([*steps, f"#### {answer}"]), str(answer))
