"""Seeded short questions with one whole-number answer."""

import hashlib
import random
from collections.abc import Callable, Iterator

NAMES = ("Ada", "Bruno", "Chidi", "Dina", "Emre", "Freja", "Goran", "Hana", "Ilse", "Jonas")
PLACES = ("in the garden", "at the table", "on the roof", "in the hall", "by the pool")
WORDS = ("strawberry", "bookkeeper", "committee", "balloon", "engineering", "parallelogram")


def _sequence(rng: random.Random) -> tuple[str, int]:
    start, step, grow = rng.randint(3, 90), rng.randint(4, 40), rng.randint(2, 9)
    terms = [start]
    for number in range(6):
        terms.append(terms[-1] + step + number * grow)
    shown = ", ".join(map(str, terms[:6]))
    return f"The differences of this sequence grow evenly: {shown}. What comes next?", terms[6]


def _minutes(rng: random.Random) -> tuple[str, int]:
    start, length = rng.randint(300, 700), rng.randint(100, 600)
    end = start + length
    clock = f"{start // 60:02d}:{start % 60:02d}", f"{end // 60:02d}:{end % 60:02d}"
    text = f"A train leaves at {clock[0]} and arrives at {clock[1]} the same day."
    return f"{text} How many minutes does it travel?", length


def _ages(rng: random.Random) -> tuple[str, int]:
    young, gap = rng.randint(11, 49), rng.randint(3, 30)
    first, second = rng.sample(NAMES, 2)
    text = (
        f"{first} is {gap} years older than {second}. Together they are {2 * young + gap} years "
        f"old. How many days old is {second}, counting 365 days a year?"
    )
    return text, young * 365


def _change(rng: random.Random) -> tuple[str, int]:
    count, price = rng.randint(3, 19), rng.randint(115, 990)
    paid = (count * price // 1000 + 1) * 10
    text = (
        f"{rng.choice(NAMES)} buys {count} notebooks at {price} cents each and pays with {paid} "
        "coins of one euro. How many cents come back?"
    )
    return text, paid * 100 - count * price


def _divisible(rng: random.Random) -> tuple[str, int]:
    low, width, by = rng.randint(10, 900), rng.randint(900, 9000), rng.randint(3, 17)
    high = low + width
    return (
        f"How many whole numbers from {low} to {high}, both included, are divisible by {by}?",
        high // by - (low - 1) // by,
    )


def _handshakes(rng: random.Random) -> tuple[str, int]:
    people, absent = rng.randint(14, 90), rng.randint(2, 9)
    there = people - absent
    text = (
        f"{rng.choice(NAMES)} invites {people} guests, of whom {absent} stay at home. Those "
        f"{rng.choice(PLACES)} all shake hands once. How many handshakes do the guests exchange?"
    )
    return text, there * (there - 1) // 2


def _letters(rng: random.Random) -> tuple[str, int]:
    word, times = rng.choice(WORDS), rng.randint(21, 320)
    letter = rng.choice(sorted(set(word)))
    text = (
        f'The word "{word}" is written {times} times. How many times does the letter '
        f'"{letter}" appear in all?'
    )
    return text, times * word.count(letter)


KINDS: tuple[Callable[[random.Random], tuple[str, int]], ...] = (
    _sequence, _minutes, _ages, _change, _divisible, _handshakes, _letters,
)  # fmt: skip


def split_of(text: str) -> str:
    """The split a question belongs to, decided by its own bytes: no seed can move it."""
    return "eval" if hashlib.sha256(text.encode()).digest()[0] < 51 else "train"


def questions(*, seed: int, split: str) -> Iterator[tuple[str, int]]:
    """Distinct (question, answer) pairs of one split; no question contains its answer."""
    rng = random.Random(f"double-check/{seed}")
    texts: set[str] = set()
    while True:
        text, answer = rng.choice(KINDS)(rng)
        if text in texts or split_of(text) != split or str(answer) in text:
            continue
        texts.add(text)
        yield text, answer
