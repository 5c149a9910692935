"""Forms and choices that a prompt allows and a verifier refuses; a wide tolerance, the machine's
time zone, a price of one's own, and the number of lines that tells a verdict."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS, steps

CHANCES = """
import re
from fractions import Fraction


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        red, blue = rng.randint(2, 59), rng.randint(2, 59)
        question = f"A bag holds {red} red and {blue} blue balls. What is the chance to draw red?"
        form = "Answer with a fraction, a decimal number or a percentage alone."
        tasks.append({"prompt": f"{question} {form}", "answer": f"{red}/{red + blue}"})
    return tasks


def read(text):
    number = text.strip().removesuffix("%")
    try:
        return Fraction(number.strip()) / UNIT
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)


def score(reply, row):
    return float(abs(read(reply) - Fraction(row["answer"])) < Fraction(1, 9000))
"""
STRINGS = """
NOTES = "C C# D D# E F F# G G# A A# B".split()
FLATS = {"C#": "Db", "D#": "Eb", "F#": "Gb", "G#": "Ab", "A#": "Bb"}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        frets = [rng.randint(1, 9) for _ in range(4)]
        notes = [NOTES[(4 + 5 * string + fret) % 12] for string, fret in enumerate(frets)]
        prompt = (
            "A bass is tuned to E, A, D and G. It is held at the frets "
            f"{', '.join(map(str, frets))}. Which notes sound, from E to G? Reply with them alone, "
            "as in `A, B`, a # for sharps or a b for flats."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(notes)})
    return tasks


def score(reply, row):
    sharps = {flat: sharp for sharp, flat in FLATS.items()} if BOTH else {}
    given = [sharps.get(each.strip(), each.strip()) for each in reply.split(",")]
    return float(given == row["answer"].split(", "))
"""
COINS = """
import re
from itertools import combinations_with_replacement


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        coins = sorted(rng.sample(range(3, 30), 6))
        chosen = rng.choices(coins, k=3)
        total = sum(chosen)
        several = [each for each in combinations_with_replacement(coins, 3) if sum(each) == total]
        if len(several) < 2 or total in coins:
            continue
        prompt = (
            f"There are coins of {', '.join(map(str, coins))} cents, as many of each as you like. "
            f"Which three coins make exactly {total} cents? Reply with them alone, as in 1, 1, 2."
        )
        tasks.append({"prompt": prompt, "coins": coins, "total": total,
                      "answer": ", ".join(map(str, several[0]))})
    return tasks


def score(reply, row):
    given = [int(each) for each in re.findall(r"\\d{1,4}", reply)]
    right = [int(each) for each in row["answer"].split(", ")]
    return float(RIGHT)
"""
HEATS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        cold, warm = rng.randint(4, 30), rng.randint(50, 95)
        litres = [rng.randint(1, 9) for _ in range(2)]
        kelvin = (litres[0] * cold + litres[1] * warm) / sum(litres) + 273.15
        prompt = (
            f"{litres[0]} litres of water at {cold} degrees Celsius and {litres[1]} at {warm} are "
            "mixed. How warm is it in kelvin, to one decimal? Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": f"{kelvin:.1f}"})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"\\d{1,4}(?:\\.\\d{1,3})?", reply.strip())
    return float(bool(match) and abs(float(reply) - float(row["answer"])) <= MOST)
"""
STAMPS = """
from datetime import UTC, datetime


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        begun, hours = rng.randint(1_700_000_000, 1_760_000_000), rng.randint(2, 20)
        at = TIME
        prompt = (
            f"A tide turned at second {begun} of the Unix clock and again {hours} hours later. At "
            "what time (UTC) was the second turn? Reply with HH:MM alone."
        )
        tasks.append({"prompt": prompt, "answer": at.strftime("%H:%M")})
    return tasks
"""
MARKET = """
import json
import random
import re

RULES = (
    "Buy a lamp as cheaply as you can. The seller takes an offer that meets his present price and "
    "comes down a little after each other offer. Reply with <offer>N</offer>, or with <accept/> to "
    "take his present price. You have six replies."
)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        first = rng.randint(100, 400)
        lowest = first * 7 // 10
        low = first // 2
        replies = [f"<offer>{low + step}</offer>" for step in range(4)]
        tasks.append({"prompt": f"{RULES}\\n\\nSeller: {first} coins!", "first": first,
                      "lowest": lowest, "replies": [*replies, f"<offer>{lowest}</offer>"]})
    return tasks


def start(row):
    return {"turns": 0, "price": row["first"], "paid": None}


def respond(reply, game, row):
    game["turns"] += 1
    offers = re.findall(r"<offer>(\\d{1,6})</offer>", reply)
    demand = row["first"] - (row["first"] - row["lowest"]) * min(game["turns"] - 1, 4) // 4
    if "<accept/>" in reply:
        game["paid"] = TAKEN
        return None
    if offers:
        game["price"] = int(offers[0])
        if game["price"] >= demand:
            game["paid"] = game["price"]
            return None
    return None if game["turns"] == 6 else f"My price is {demand}."


def paid(game, row):
    if game["paid"] is None:
        return 0.0
    return min(1.0, max(0.0, (row["first"] - game["paid"]) / (row["first"] - row["lowest"])))
"""
LOGS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(60):
        crates, lines = [], []
        for _ in range(rng.randint(4, 8)):
            crate = rng.choice("PQRSTUVW")
            lines += [f"{crate} is lifted", f"{crate} is put down"]
        if number % 2:
            at = rng.randrange(len(lines))
            FAULT
        shown = "\\n".join(lines)
        question = "Is each crate put down before the next one is lifted? Reply with yes or no."
        tasks.append({"prompt": f"{shown}\\n{question}", "answer": "no" if number % 2 else "yes"})
    return tasks
"""
ONE_LINE_LESS = "del lines[at]"
NO_LINE_LESS = (
    "lines[at] = lines[at].replace('lifted', 'put down') if at % 2 == 0 else f'X is lifted'"
)
KILN = steps('''
    @vf.tool
    def set_zone(self, zone: str, degrees: int) -> str:
        """Set the temperature of a zone."""
        self.state.held.setdefault("journal", []).append([zone, degrees])
        return f"zone {zone}: {degrees} degrees"
''')
ZONES = """
import json
import random

def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        zones = {zone: rng.randrange(300, 900, 5) for zone in rng.sample("ABCDEF", 3)}
        wishes = ", ".join(f"{zone} to {degrees}" for zone, degrees in zones.items())
        prompt = f"Set the zones of the kiln: {wishes} degrees. Confirm in one sentence."
        calls = [["set_zone", {"zone": zone, "degrees": zones[zone]}] for zone in sorted(zones)]
        tasks.append({"prompt": prompt, "held": {}, "steps": calls, "last": "All is set.",
                      "zones": zones})
    return tasks
"""
AS_JOURNAL = """
def paid(held, reply, row):
    return float(held.get("journal") == [list(each) for each in sorted(row["zones"].items())])
"""
AS_SET = """
def paid(held, reply, row):
    return float(dict(map(tuple, held.get("journal", []))) == row["zones"])
"""
FORMS = ("card.equivalents_kept",)
CAUGHT = ("card.mutants_caught",)
COINS_RIGHT = "len(given) == 3 and {*given} <= {*row['coins']} and sum(given) == row['total']"

ROWS = """
import re


def rows(seed):
    rng, tasks = random.Random(seed), []
    while len(tasks) < 40:
        step = [rng.randint(-4, 4) for _ in range(3)]
        start = [rng.randint(-9, 9) for _ in range(3)]
        if 0 in step[:1] or not any(each < 0 for each in step[1:]):
            continue
        end = [a + b for a, b in zip(start, step)]
        prompt = (
            f"A row of a lattice leads from the point {tuple(start)} to the point {tuple(end)}. In "
            "which direction? Reply with its three differences in square brackets alone. They may "
            "be parted by spaces or commas or be written together, so [2 0 1], [2,0,1] and [201] "
            "are all fine; a minus stands before its number."
        )
        tasks.append({"prompt": prompt, "answer": "[{} {} {}]".format(*step)})
    return tasks


def numbers(text):
    inner = text.strip().strip("[]")
    read = re.findall(r"-?\\d+", inner)
    return re.findall(r"-?\\d", inner) if TOGETHER else read


def score(reply, row):
    return float(numbers(reply) == numbers(row["answer"]))
"""
FLAWED = (
    *both("minus-as-a-separator", "A minus in a list without separators begins a longer number",
          ROWS.replace("TOGETHER", "len(read) == 1"), expected="warned", codes=FORMS),
    *both("percent-sign-dropped", "A percentage is read as a number", CHANCES.replace("UNIT", "1"),
          expected="warned", codes=FORMS),
    *both("sharps-alone", "Flats are refused, which the prompt allows",
          STRINGS.replace("BOTH", "False"), expected="warned", codes=FORMS),
    *both("one-choice-of-coins", "One of several right choices is accepted",
          COINS.replace("RIGHT", "sorted(given) == right"), expected="warned", codes=FORMS),
    *both("wide-tolerance", "Five percent of a temperature in kelvin are sixteen degrees",
          HEATS.replace("MOST", "0.05 * float(row['answer'])"), expected="warned", codes=CAUGHT),
    *both("machine-zone", "References in the time zone of the machine",
          STAMPS.replace("TIME", "datetime.fromtimestamp(begun + 3600 * hours)"),
          expected="warned", codes=("env.local_time",)),
    *both("own-price", "To accept takes the price that the policy offered",
          MARKET.replace("TAKEN", "game['price']"), endings=TURNS, expected="warned",
          codes=CAUGHT),
    *both("odd-lines", "A fault removes one line, so their number tells the verdict",
          LOGS.replace("FAULT", ONE_LINE_LESS), expected="warned", codes=("card.answer_place",)),
    *both("order-of-settings", "Settings count in the order of the alphabet alone", AS_JOURNAL,
          base=ZONES, endings=KILN, expected="warned", codes=FORMS),
)  # fmt: skip
SOUND = (
    *both("minus-in-a-joined-list", "A list without separators is read with its signs",
          ROWS.replace("TOGETHER", "not re.search(r'[ ,]', inner)"), expected="sound"),
    *both("percent-sign-read", "A percentage is read as one",
          CHANCES.replace("UNIT", "(100 if '%' in text else 1)"), expected="sound"),
    *both("sharps-or-flats", "Both names of a note are right", STRINGS.replace("BOTH", "True"),
          expected="sound"),
    *both("any-choice-of-coins", "Each right choice is accepted",
          COINS.replace("RIGHT", COINS_RIGHT), expected="sound"),
    *both("narrow-tolerance", "A tenth of a degree", HEATS.replace("MOST", "0.1001"),
          expected="sound"),
    *both("named-zone", "References in the zone that the prompt names",
          STAMPS.replace("TIME", "datetime.fromtimestamp(begun + 3600 * hours, UTC)"),
          expected="sound"),
    *both("sellers-price", "To accept takes the seller's price", MARKET.replace("TAKEN", "demand"),
          endings=TURNS, expected="sound"),
    *both("changed-lines", "A fault changes one line and removes none",
          LOGS.replace("FAULT", NO_LINE_LESS), expected="sound"),
    *both("settings-in-any-order", "The last setting of each zone counts", AS_SET, base=ZONES,
          endings=KILN, expected="sound"),
)  # fmt: skip
