"""Seconds to find repeated prompts among 100,000: `python -m benchmarks.card.near_duplicates`.

A hundredth equal an earlier prompt, a hundredth differ from one by a word of fifty. Limit: 30
seconds on one core.
"""

from __future__ import annotations

import random
import sys
import time

from envyard_runner.survey.near_duplicates import repeated

PROMPTS, WORDS, VOCABULARY = 100_000, 50, 20_000
LIMIT = 30.0


def prompts(n: int, seed: int = 0) -> list[str]:
    """Prompts of 50 random words; of each hundred one is a copy and one nearly is."""
    rng = random.Random(seed)
    texts: list[str] = []
    for number in range(n):
        words = [f"w{rng.randrange(VOCABULARY)}" for _ in range(WORDS)]
        if number % 100 == 98:
            words = rng.choice(texts).split()
        elif number % 100 == 99:
            words = rng.choice(texts).split()
            words[-1] = "other"
        texts.append(" ".join(words))
    return texts


def main() -> int:
    """Print what was found and the seconds; 1 where the limit is exceeded."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else PROMPTS
    texts = prompts(n)
    began = time.process_time()
    exact, near = repeated(texts)
    seconds = time.process_time() - began
    print(f"{n} prompts: {exact} exact, {near} near duplicates, {seconds:.1f} CPU seconds")
    return int(n == PROMPTS and seconds > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
