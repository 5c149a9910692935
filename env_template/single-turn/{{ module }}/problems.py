"""Where the tasks come from: seeded, so everybody gets the same ones."""

import random
from collections.abc import Iterator

WORDS = (
    "apple banjo cedar drum eagle fable ginger hammer island jacket kettle lemon magnet needle "
    "ocean paper quartz river saddle tunnel umbrella violin window yellow zipper acorn button "
    "candle desert engine forest garden harbor insect jungle kitten ladder mirror napkin orange"
).split()


def problems(*, seed: int, count: int) -> Iterator[list[str]]:
    """`count` different lists of words, never in alphabetical order already."""
    rng = random.Random(f"{{ name }}/{seed}")
    seen: set[tuple[str, ...]] = set()
    while len(seen) < count:
        words = rng.sample(WORDS, rng.randint(5, 9))
        if tuple(words) not in seen and words != sorted(words):
            seen.add(tuple(words))
            yield words
