"""Labels that contradict what is known of their subject or what their prompt states; sound ones
beside each."""

from __future__ import annotations

from tests.zoo.build import both

RISKS = """
import json
import random
from fractions import Fraction

NAMES = "Amara Bashir Chiara Dmitri Elif Farid Greta Hiroshi Ingrid Jonas Katya Luca".split()
ILLNESSES = ("cystic fibrosis", "phenylketonuria", "Wilson disease", "galactosaemia")
FAMILIES = {
    "{}'s sister has it; their parents are healthy": Fraction(SIBLING),
    "{} has a brother with it": Fraction(SIBLING),
    "{}'s father has it": Fraction(1),
    "{} is a known carrier": Fraction(1),
    "{}'s mother is a carrier, and {}'s father has tested negative": Fraction(1, 2),
}


def rows(seed):
    rng, tasks = random.Random(seed), {}
    while len(tasks) < 90:
        one, other = rng.sample(NAMES, 2)
        illness, frequency = rng.choice(ILLNESSES), rng.randint(20, 99)
        family, chance = rng.choice(list(FAMILIES.items()))
        family = family.replace("{}", one).replace(" it", f" {illness}")
        prompt = (
            f"{one} and {other} are healthy. They ask about {illness}, an autosomal recessive "
            f"disorder. {family}. Nothing is known about {other}'s family; one person in "
            f"{frequency} is a carrier. What is the probability that their first child has "
            f"{illness}? Reply with a fraction alone."
        )
        tasks[prompt] = str(chance / frequency / 4)
    return [{"prompt": prompt, "answer": answer} for prompt, answer in tasks.items()]


def score(reply, row):
    try:
        return float(Fraction(reply.replace(" ", "")) == Fraction(row["answer"]))
    except (ValueError, ZeroDivisionError):
        return 0.0
"""

FLAWED = (
    *both("healthy-siblings-in-two", "Healthy siblings of affected persons are carriers in one of "
          "two cases", RISKS.replace("SIBLING", "1, 2"), expected="warned",
          codes=("card.label_outliers",)),
)  # fmt: skip
SOUND = (
    *both("healthy-siblings-in-three", "Healthy siblings of affected persons are carriers in two "
          "of three cases", RISKS.replace("SIBLING", "2, 3"), expected="sound"),
)  # fmt: skip
