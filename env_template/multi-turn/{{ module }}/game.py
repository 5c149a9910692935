"""The game itself. No verifiers in here, so tests stay fast and plain."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_TURNS = 7
SPAN = 100
"""Seven guesses find any of 100 numbers, if each halves what is left."""

GUESS = re.compile(r"<guess>\s*(\d+)\s*</guess>")


@dataclass
class Game:
    """One game: the secret number and what has happened so far."""

    secret: int
    turns: int = 0
    won: bool = False

    def hear(self, reply: str) -> str | None:
        """Take one reply and say what the user answers; None when the game is over."""
        self.turns += 1
        found = GUESS.findall(reply)
        guess = int(found[0]) if len(found) == 1 else None
        self.won = guess == self.secret
        if self.won or self.turns >= MAX_TURNS:
            return None
        if guess is None:
            return "I need one number inside one tag: <guess>N</guess>"
        hint = "higher" if guess < self.secret else "lower"
        return f"My number is {hint} than {guess}. {MAX_TURNS - self.turns} guesses left."

    @property
    def reward(self) -> float:
        """1.0 for a number that was found, else 0.0."""
        return float(self.won)


def secrets(*, seed: int, count: int) -> Iterator[tuple[int, int]]:
    """`count` pairs (lowest possible number, secret number), every lowest number once."""
    rng = random.Random(f"{{ name }}/{seed}")
    for low in rng.sample(range(1, 100_000), count):
        yield low, rng.randrange(low, low + SPAN)
