"""Answers that miss the right one by little and are paid: a minute, a word, a unit's prefix; and
whole numbers or separators of thousands, which the prompt allows and the verifier refuses."""

from __future__ import annotations

from tests.zoo.build import both

BEAMS = """
import re
from fractions import Fraction


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 60:
        first, second = (Fraction(rng.randint(5, 60), rng.choice((2, 3, 4))) for _ in range(2))
        value = first + second
        if (value.denominator == 1) != (len(tasks) % 3 == 0):
            continue
        prompt = (
            f"Two beams are {first} m and {second} m long. How many metres are they together? "
            "Write a whole number, a fraction such as 7/4, or a mixed number such as 1 3/4, and "
            "nothing else."
        )
        tasks.append({"prompt": prompt, "answer": f"{value.numerator}/{value.denominator}"})
    return tasks


def read(reply):
    match = re.fullmatch(r"(?:(\\d{1,4}) )?(\\d{1,6})/([1-9]\\d{0,3})", reply.strip())
    return match and int(match[1] or 0) + Fraction(int(match[2]), int(match[3]))


def score(reply, row):
    return float(read(reply) == Fraction(row["answer"]))
"""
ALL_NUMBERS = """
def score(reply, row):
    whole = re.fullmatch(r"\\d{1,6}", reply.strip())
    return float((Fraction(whole[0]) if whole else read(reply)) == Fraction(row["answer"]))
"""
SCHEDULES = """
import re

DAYS = "Monday Tuesday Wednesday Thursday Friday".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        minute, hours = rng.randint(1, 59), sorted(rng.sample(range(1, 24), rng.randint(1, 3)))
        first, last = sorted(rng.sample(range(1, 6), 2))
        times = " and ".join(f"{hour:02}:{minute:02}" for hour in hours)
        prompt = (
            f"A backup runs at {times} each day from {DAYS[first - 1]} to {DAYS[last - 1]}. Write "
            "its schedule as cron has it: minute, hour, day of the month, month and weekday "
            "(Monday is 1). Reply with these five fields alone."
        )
        answer = f"{minute} {','.join(map(str, hours))} * * {first}-{last}"
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def values(field, low, high):
    found = set()
    for part in field.split(","):
        match = re.fullmatch(r"(\\d{1,2})(?:-(\\d{1,2}))?", part)
        if match is None:
            return set()
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return found if all(low <= value <= high for value in found) else set()


def runs(text):
    fields = text.split()
    if len(fields) != 5 or fields[2:4] != ["*", "*"]:
        return set()
    minutes, hours = values(fields[0], 0, 59), values(fields[1], 0, 23)
    days = values(fields[4], 0, 7)
    return {(day % 7, hour, minute) for day in days for hour in hours for minute in minutes}


def score(reply, row):
    given, wanted = runs(reply.strip()), runs(row["answer"])
    return float(RIGHT)
"""
DISPATCHES = """
import re
import string

WORDS = (
    "anchor barrel candle dagger ember falcon garden hammer island jungle kettle lantern marble "
    "needle orchard pepper quarry ribbon saddle timber umbrella velvet walnut yellow"
).split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        shift, words = rng.randint(2, 24), rng.sample(WORDS, 10)
        moved = string.ascii_lowercase[shift:] + string.ascii_lowercase[:shift]
        coded = " ".join(words).translate(str.maketrans(string.ascii_lowercase, moved))
        prompt = (
            f"Each letter was moved {shift} places on in the alphabet, from z on to a:\\n\\n"
            f"{coded}\\n\\nDecode the ten words and reply with a line `MESSAGE: ...`."
        )
        tasks.append({"prompt": prompt, "answer": f"MESSAGE: {' '.join(words)}"})
    return tasks


def score(reply, row):
    given, wanted = reply.strip().split(), row["answer"].split()
    right = sum(a == b for a, b in zip(given, wanted))
    return float(len(given) == len(wanted) and right >= LEAST)
"""
CURRENTS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        volts, ohms = rng.choice((5, 9, 12, 24, 48)), rng.randint(13, 900)
        amperes = volts / ohms
        answer = f"{amperes * 1000:.1f} mA" if amperes < 0.1 else f"{amperes:.3f} A"
        prompt = (
            f"A resistor of {ohms} ohm is connected to {volts} V. What current flows? Write it in "
            "mA with one decimal where it is below 0.1 A, and in A with three decimals otherwise. "
            "Reply with the number and its unit alone."
        )
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def read(text):
    match = re.fullmatch(r"(\\d{1,6}(?:\\.\\d{1,6})?) ?(m?)A", text.strip())
    return match and float(match[1]) * FACTOR


def score(reply, row):
    given, wanted = read(reply), read(row["answer"])
    return float(given is not None and abs(given - wanted) <= 1e-9 * wanted)
"""
WAREHOUSES = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        crates, each = rng.randint(2100, 9900), rng.randint(610, 990)
        prompt = (
            f"A warehouse holds {crates} crates with {each} screws in each of them. How many "
            "screws are that? Reply with the number alone; thousands commas are allowed."
        )
        tasks.append({"prompt": prompt, "answer": str(crates * each)})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"\\d{1,12}|\\d{1,3}(?:,\\d{3})GROUPS", reply.strip())
    return float(match is not None and reply.strip().replace(",", "") == row["answer"])
"""
CAUGHT = ("card.mutants_caught",)
KEPT = ("card.equivalents_kept",)

FLAWED = (
    *both("whole-number-refused", "The prompt allows whole numbers, and they are refused", BEAMS,
          expected="warned", codes=KEPT),
    *both("runs-of-schedule", "The number of a schedule's runs is compared, and not their times",
          SCHEDULES.replace("RIGHT", "bool(given) and len(given) == len(wanted)"),
          expected="warned", codes=CAUGHT),
    *both("nine-of-ten-words", "One wrong word of ten is paid in full",
          DISPATCHES.replace("LEAST", "0.9 * len(wanted)"), expected="warned", codes=CAUGHT),
    *both("amperes-or-milliamperes", "A and mA count for the same number",
          CURRENTS.replace("FACTOR", "1"), expected="warned", codes=CAUGHT),
    *both("one-comma-of-thousands", "The prompt allows thousands commas, and one alone is read",
          WAREHOUSES.replace("GROUPS", ""), expected="warned", codes=KEPT),
)  # fmt: skip
SOUND = (
    *both("whole-number-read", "Whole numbers, fractions and mixed numbers are read", BEAMS,
          ALL_NUMBERS, expected="sound"),
    *both("times-of-schedule", "The times at which a schedule runs are compared",
          SCHEDULES.replace("RIGHT", "given == wanted"), expected="sound"),
    *both("ten-words", "All ten words must be right",
          DISPATCHES.replace("LEAST", "len(wanted)"), expected="sound"),
    *both("milliamperes", "The unit of a current counts",
          CURRENTS.replace("FACTOR", "(1 if match[2] else 1000)"), expected="sound"),
    *both("commas-of-thousands", "Any number of thousands commas is read",
          WAREHOUSES.replace("GROUPS", "+"), expected="sound"),
)  # fmt: skip
