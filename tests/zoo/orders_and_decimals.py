"""Right answers that are refused: in another order, or with the decimals that the prompt asks for.

And sound environments whose prompts name the order, or whose verifiers have a tolerance.
"""

from __future__ import annotations

from tests.zoo.build import both

PRIMES = """
PRIMES = [n for n in range(11, 98) if all(n % d for d in range(2, n))]


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        first, second = sorted(rng.sample(PRIMES, 2))
        prompt = f"Write {first * second} as a product of two primes. Reply such as: 3 * 5"
        tasks.append({"prompt": prompt, "answer": f"{first} * {second}"})
    return tasks


def factors(text):
    return [part.strip() for part in text.split("*")]
"""
ONE_ORDER = """
def score(reply, row):
    return float(factors(reply) == factors(row["answer"]))
"""
ANY_ORDER = """
def score(reply, row):
    return float(sorted(factors(reply)) == sorted(factors(row["answer"])))
"""
NAMED_ORDER = """
unordered_rows = rows


def rows(seed):
    tasks = unordered_rows(seed)
    for row in tasks:
        row["prompt"] += ", the smaller prime first."
    return tasks
"""
SHARES = """
DIGITS = 1


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        a, b = rng.randint(100, 999), rng.choice([3, 7, 9, 11, 13])
        prompt = f"Divide {a} by {b}. Reply with the result to 3 decimals, the number alone."
        tasks.append({"prompt": prompt, "answer": str(round(a / b, DIGITS))})
    return tasks


def score(reply, row):
    try:
        return float(abs(float(reply) - float(row["answer"])) <= TOLERANCE)
    except ValueError:
        return 0.0
"""
EXACT = "TOLERANCE = 1e-9\n"
COARSE = "TOLERANCE = 0.06\n"
THREE = "DIGITS = 3\nTOLERANCE = 1e-9\n"
DICE = """
import itertools


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for first, second, least in itertools.product((6, 8, 10, 12), (6, 9, 12), (5, 7, 9, 11)):
        pairs = list(itertools.product(range(1, first + 1), range(1, second + 1)))
        share = sum(a + b >= least for a, b in pairs) / len(pairs)
        prompt = (
            f"You roll a die with {first} sides and one with {second}. What is the probability of "
            f"a sum of {least} or more? Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": f"{share:.10f}".rstrip("0")})
    rng.shuffle(tasks)
    return tasks
"""
SAME_TEXT = """
def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
NEAR = """
def score(reply, row):
    try:
        return float(abs(float(reply) - float(row["answer"])) < 1e-3)
    except ValueError:
        return 0.0
"""

FLAWED = (
    *both("one-order-of-factors", "A product is right in one order of its factors", PRIMES,
          ONE_ORDER, expected="warned", codes=("card.equivalents_kept",)),
    *both("rounded-references", "References have one decimal where three are asked for", SHARES,
          EXACT, expected="warned", codes=("card.reference_decimals",)),
    *both("ten-decimals-unasked", "Ten decimals are compared as text, and the prompt names none",
          DICE, SAME_TEXT, expected="warned", codes=("card.equivalents_kept",)),
)  # fmt: skip
SOUND = (
    *both("probabilities", "A tolerance where the prompt names no precision", DICE, NEAR,
          expected="sound"),
    *both("any-order-of-factors", "A product is right in each order", PRIMES, ANY_ORDER,
          expected="sound"),
    *both("smaller-factor-first", "The prompt names the order of the factors", PRIMES, NAMED_ORDER,
          ONE_ORDER, expected="sound"),
    *both("rounded-with-tolerance", "The tolerance covers the rounding of the references", SHARES,
          COARSE, expected="sound"),
    *both("trimmed-zeros", "Three decimals, without zeros at the end", SHARES, THREE,
          expected="sound"),
)  # fmt: skip
