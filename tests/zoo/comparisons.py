"""How replies are compared: lists, sets, quantities and forecasts; and what tells a label."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.given_numbers import COUNTDOWN

JOBS = """
NAMES = ("sand", "paint", "weld", "drill", "polish", "pack", "weigh", "label", "rinse", "dry")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        jobs = {name: rng.randint(5, 90) for name in rng.sample(NAMES, 5)}
        if len({*jobs.values()}) < len(jobs):
            continue
        shown = "; ".join(f"{name} ({minutes} min)" for name, minutes in jobs.items())
        prompt = f"Jobs: {shown}. Name them in the order of their length, with commas between."
        tasks.append({"prompt": prompt, "answer": ", ".join(sorted(jobs, key=jobs.get))})
    return tasks


def named(text):
    return [each.strip() for each in text.split(",")]
"""
AS_SETS = """
def score(reply, row):
    return float(sorted(named(reply)) == sorted(named(row["answer"])))
"""
IN_ORDER = """
def score(reply, row):
    return float(named(reply) == named(row["answer"]))
"""
NAMED_JOBS = """
ordered_rows = rows


def rows(seed):
    tasks = ordered_rows(seed)
    for row in tasks:
        row["prompt"] = row["prompt"].replace("in the order of their length", "in any order")
    return tasks
"""
MEMBERS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        shared = sorted(rng.sample(range(100, 1000), 3))
        one, other = ([*shared, *rng.sample(range(1000, 2000), 3)] for _ in range(2))
        rng.shuffle(one)
        rng.shuffle(other)
        prompt = f"A: {one}. B: {other}. Which numbers are in both? Reply such as: 12, 34"
        tasks.append({"prompt": prompt, "answer": ", ".join(map(str, shared))})
    return tasks
"""
OF_CHARACTERS = """
def score(reply, row):
    return float(set(reply.strip()) == set(row["answer"]))
"""
OF_NUMBERS = """
def score(reply, row):
    return float({*reply.strip().split(", ")} == {*row["answer"].split(", ")})
"""
NUMBERS_AS_SETS = """
def score(reply, row):
    right = value(reply) is not None and value(reply) == value(row["answer"])
    return float(right and {*used(reply)} <= {*row["numbers"]})
"""
ONCE = """
once_rows = rows


def rows(seed):
    tasks = once_rows(seed)
    for row in tasks:
        row["prompt"] = row["prompt"].replace("each number once", "each number at most once")
    return tasks
"""
LENGTHS = """
import re

UNITS = {"mm": 1, "cm": 10, "m": 1000, "km": 1000000}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        own, other = rng.sample(sorted(UNITS), 2)
        amount = rng.randint(11, 999)
        answer = f"{amount * UNITS[own] / UNITS[other]:.10g} {other}"
        question = f"How much are {amount} {own} in {other}?"
        prompt = f"{question} Reply with the number and the unit alone."
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def length(text):
    match = re.fullmatch(r"(\\d[\\d.]*(?:e[+-]\\d+)?) (mm|cm|m|km)", text.strip())
    return float(match[1]) * UNITS[match[2]] if match else -1.0


def near(reply, row):
    right = length(row["answer"])
    return abs(length(reply) - right) < 1e-6 * right
"""
ANY_UNIT = """
def score(reply, row):
    return float(near(reply, row))
"""
ASKED_UNIT = """
def score(reply, row):
    return float(near(reply, row) and reply.split()[-1] == row["answer"].split()[-1])
"""
FORECAST = """
import re


def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(100, 999), rng.randint(100, 999)) for _ in range(40)]
    form = "Reply in two lines: `Answer: <number>` and `Confidence: <0 to 1>`."
    return [{"prompt": f"Add {a} and {b}. {form}", "answer": str(a + b)} for a, b in pairs]


def reference(row):
    return f"Answer: {row['answer']}\\nConfidence: 0.9"


def read(reply):
    match = re.fullmatch(r"Answer: (\\d+)\\nConfidence: (0(?:\\.\\d+)?|1(?:\\.0+)?)", reply.strip())
    return (match[1], float(match[2])) if match else None
"""
BRIER = """
def score(reply, row):
    forecast = read(reply)
    if forecast is None:
        return 0.0
    return 1.0 - (forecast[1] - (forecast[0] == row["answer"])) ** 2
"""
RIGHT_AND_BRIER = """
def score(reply, row):
    forecast = read(reply)
    if forecast is None:
        return 0.0
    right = forecast[0] == row["answer"]
    return (right + 1.0 - (forecast[1] - right) ** 2) / 2
"""
TICKETS = """
TEXTS = {
    "billing": ("The invoice is wrong", "You charged me twice", "Where is my refund"),
    "access": ("I cannot log in", "The password is refused", "My account is locked"),
    "delivery": ("The parcel is late", "Nothing has arrived", "The courier was rude"),
}
ENDS = ("please help", "again", "since Monday", "and nobody replies", "what now", "as always")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for n in range(60):
        queue = rng.choice(sorted(TEXTS))
        text = f"{rng.choice(TEXTS[queue])}, {rng.choice(ENDS)}, {rng.choice(ENDS)}."
        prompt = f"Ticket {number(rng, queue, n)}: {text} Reply with billing, access or delivery."
        tasks.append({"prompt": prompt, "answer": queue})
    return tasks
"""
TELLING = """
def number(rng, queue, n):
    return f"{sorted(TEXTS).index(queue) + 1}{n:04d}"
"""
RANDOM = """
def number(rng, queue, n):
    return rng.randint(10000, 99999)
"""
WEEKDAYS = """
import datetime


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        day = datetime.date(1950, 1, 1) + datetime.timedelta(rng.randrange(40000))
        prompt = f"On which weekday does {day} fall? Reply with its name."
        tasks.append({"prompt": prompt, "answer": weekday(day)})
    return tasks
"""
WITHOUT_EARLY_MONTHS = """
def weekday(day):
    late = datetime.timedelta(1 if day.month < 3 else 0)
    return f"{day + late:%A}"
"""
CALENDAR = """
def weekday(day):
    return f"{day:%A}"
"""
CASES = """
def score(reply, row):
    text, right = reply.strip(), row["answer"]
    places = random.sample(range(len(right)), 2)
    return float(len(text) == len(right) and all(text[n] == right[n] for n in places))
"""
MUTANTS = ("card.mutants_caught",)

FLAWED = (
    *both("order-is-not-compared", "Any order is paid where one is asked for", JOBS, AS_SETS,
          expected="warned", codes=MUTANTS),
    *both("sets-of-characters", "Sets of characters are compared in the place of numbers", MEMBERS,
          OF_CHARACTERS, expected="warned", codes=MUTANTS),
    *both("numbers-used-again", "A number may be used as often as one likes", COUNTDOWN, ONCE,
          NUMBERS_AS_SETS, expected="warned", codes=MUTANTS),
    *both("same-quantity", "The given quantity is paid in its old unit", LENGTHS, ANY_UNIT,
          expected="warned", codes=("card.floor",)),
    *both("doubt-is-paid", "A wrong answer without confidence earns full marks", FORECAST, BRIER,
          expected="warned", codes=MUTANTS),
    *both("ticket-number-tells", "The number of the ticket tells the label", TICKETS, TELLING,
          expected="warned", codes=("card.answer_place",)),
    *both("wrong-weekdays", "The weekdays of January and February are wrong", WEEKDAYS,
          WITHOUT_EARLY_MONTHS, expected="warned", codes=("card.label_outliers",)),
    *both("two-digits-drawn", "The reward compares two digits that it draws", CASES,
          expected="warned", codes=("env.scores_by_chance",)),
)  # fmt: skip
SOUND = (
    *both("jobs-in-order", "A list whose order is compared", JOBS, IN_ORDER, expected="sound"),
    *both("jobs-in-any-order", "A list that may have any order", JOBS, NAMED_JOBS, AS_SETS,
          expected="sound"),
    *both("members", "Sets of numbers", MEMBERS, OF_NUMBERS, expected="sound"),
    *both("lengths", "A quantity in the unit that is asked for", LENGTHS, ASKED_UNIT,
          expected="sound"),
    *both("forecasts", "The answer and its confidence are paid", FORECAST, RIGHT_AND_BRIER,
          expected="sound"),
    *both("tickets", "The number of the ticket says nothing", TICKETS, RANDOM, expected="sound"),
    *both("weekdays", "Weekdays of dates", WEEKDAYS, CALENDAR, expected="sound"),
)  # fmt: skip
