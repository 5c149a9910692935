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
TARIFFS = """
import json
import random

CARRIERS = "Nordlast Transalba Kettner Viaduct Halden".split()


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(80):
        limits = sorted(rng.sample(range(100, 1600, 100), 4))
        rates = sorted(rng.sample(range(1510, 3990), 5), reverse=True)
        weight, fuel = rng.randrange(50, 1700, 50), rng.randint(5, 19)
        place = sum(limit COMPARED weight for limit in limits)
        table = "\\n".join(
            f"WORDS {limit} kg: EUR {rate / 100:.2f} per 100 kg"
            for limit, rate in zip([0, *limits], rates)
        )
        prompt = (
            f"{rng.choice(CARRIERS)} carries cargo at these rates:\\n{table}\\nThe rate of a "
            f"consignment applies to its whole weight. A surcharge of {fuel} % comes to it. STATED"
            f"What does a consignment of {weight} kg cost? Reply with the amount in EUR alone, "
            "with two decimals."
        )
        cents = (rates[place] * weight * (100 + fuel) + 5000) // 10000
        tasks.append({"prompt": prompt, "answer": f"{cents // 100}.{cents % 100:02}"})
    return tasks


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""

STATEMENTS = """
import json
import random
from datetime import date, timedelta


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(80):
        first = date(2021, 1, 1) + timedelta(days=rng.randrange(1500))
        days = [first + timedelta(days=at) for at in range(rng.randint(10, 28))]
        holidays = sorted(rng.sample(days, rng.randint(1, 3)))
        used = sum(day.weekday() != 6 for day in days) - sum(TAKEN for day in holidays)
        allowed, rate = rng.randint(2, 20), rng.randrange(60, 240) * 10
        prompt = (
            f"A ship discharges from {first:%A, %d %B %Y} to {days[-1]:%A, %d %B %Y}, both days "
            f"included.\\nLaytime allowed: {allowed} days.\\nHolidays of the port: "
            f"{', '.join(f'{day:%d %B %Y}' for day in holidays)}.\\nSundays and holidays do not "
            f"count. STATEDDays beyond the allowed ones cost USD {rate} each, and each day less "
            "earns half of that. Reply with `Result: demurrage USD <amount>` or `Result: despatch "
            "USD <amount>`."
        )
        side, amount = ("demurrage", rate) if used >= allowed else ("despatch", rate // 2)
        answer = f"Result: {side} USD {abs(used - allowed) * amount}"
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
TWICE = STATEMENTS.replace("TAKEN", "True")
OBSERVED = "A holiday on a Sunday takes another day in lieu. "


def tariffs(compared: str, words: str, stated: str = "") -> str:
    """Tasks with prices by weight; `compared` is how a limit and the weight are."""
    text = TARIFFS.replace("COMPARED", compared).replace("WORDS", words)
    return text.replace("STATED", stated)


CHEAPER = "A weight that is exactly a limit has the rate of the band below it. "

FLAWED = (
    *both("healthy-siblings-in-two", "Healthy siblings of affected persons are carriers in one of "
          "two cases", RISKS.replace("SIBLING", "1, 2"), expected="warned",
          codes=("card.label_outliers",)),
    *both("limits-below", "A weight from which on a rate applies is charged at the rate below it",
          tariffs("<", "from"), expected="warned", codes=("card.label_outliers",)),
    *both("sundays-taken-twice", "Holidays on a Sunday are taken twice from the laytime",
          TWICE.replace("STATED", ""), expected="warned", codes=("card.label_outliers",)),
)  # fmt: skip
SOUND = (
    *both("healthy-siblings-in-three", "Healthy siblings of affected persons are carriers in two "
          "of three cases", RISKS.replace("SIBLING", "2, 3"), expected="sound"),
    *both("limits-above", "A weight from which on a rate applies is charged at that rate",
          tariffs("<=", "from"), expected="sound"),
    *both("limits-over", "A weight over which a rate applies is charged at the rate below it",
          tariffs("<", "over"), expected="sound"),
    *both("limits-below-as-stated", "A weight from which on a rate applies is charged at the rate "
          "below it, as the prompt states", tariffs("<", "from", CHEAPER), expected="sound"),
    *both("sundays-taken-once", "Holidays on a Sunday are taken once from the laytime",
          STATEMENTS.replace("TAKEN", "day.weekday() != 6").replace("STATED", ""),
          expected="sound"),
    *both("sundays-in-lieu", "Holidays on a Sunday take another day, as the prompt states",
          TWICE.replace("STATED", OBSERVED), expected="sound"),
)  # fmt: skip
