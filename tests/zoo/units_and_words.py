"""Other units and number words that prompts allow, days over leap years, and sound texts of lists
and bracketed guesses."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME
from tests.zoo.entry import Api
from tests.zoo.step_endings import TURNS

POOLS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        warm, cold = rng.randint(50, 90), rng.randint(5, 30)
        first, second = rng.randint(2, 19), rng.randint(2, 19)
        celsius = (first * warm + second * cold) / (first + second)
        prompt = (
            f"{first} l of water at {warm} °C and {second} l at {cold} °C are mixed, and no heat "
            "is lost. How warm is the mixture? Answer in °C, °F or K, as you like, with at least "
            "two decimals; reply with the number and its unit alone."
        )
        tasks.append({"prompt": prompt, "answer": f"{celsius:.2f} °C", "celsius": celsius})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(-?\\d{1,4}(?:\\.\\d{1,9})?) ?(°?C|°?F|K)", reply.strip())
    if match is None:
        return 0.0
    value, unit = float(match[1]), match[2].strip("°")
    celsius = {"C": value, "F": FAHRENHEIT, "K": value - 273.15}[unit]
    return float(abs(celsius - row["celsius"]) < 0.02)
"""
CHEQUES = """
ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def words(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{ONES[n // 100]} hundred" + (f" {words(n % 100)}" if n % 100 else "")
    return f"{words(n // 1000)} thousand" + (f" {words(n % 1000)}" if n % 1000 else "")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for n in rng.sample(range(1101, 99_999), 40):
        prompt = (
            f"Write {n} in English words alone. Capitals and hyphens mean nothing, and the word "
            '"and" may follow British or American habit.'
        )
        tasks.append({"prompt": prompt, "answer": words(n)})
    return tasks


def plain(text):
    return [word for word in text.lower().replace("-", " ").split() if COUNTS]


def score(reply, row):
    return float(plain(reply) == plain(row["answer"]))
"""
SPANS = """
MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def leap(year):
    return LEAP


def number(year, month, day):
    days = sum(366 if leap(each) else 365 for each in range(1800, year))
    return days + sum(MONTHS[: month - 1]) + (month > 2 and leap(year)) + day


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(80):
        year = rng.choice((1884, 1921, 1940, 1958, 1975, 1990))
        first = (year + rng.randint(0, 9), rng.randint(1, 12), rng.randint(1, 28))
        last = (year + rng.randint(14, 30), rng.randint(1, 12), rng.randint(1, 28))
        shown = ["{}-{:02}-{:02}".format(*each) for each in (first, last)]
        prompt = (
            f"How many days is it from {shown[0]} to {shown[1]}? Use the Gregorian calendar and "
            "reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(number(*last) - number(*first))})
    return tasks
"""
HALVING = """
import json
import random
import re


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "A cable of 200 sections is broken in one of them. Reply with one test at a time, as in "
        "[try 5]; I answer \\"further\\" or \\"nearer\\", and \\"there\\" ends the search. You "
        "have eight tests, and a message without one counts as a test."
    )
    tasks = []
    for broken in rng.sample(range(1, 201), 40):
        low, high, tests = 1, 200, []
        while not tests or tests[-1] != broken:
            tests.append((low + high) // 2)
            low, high = (tests[-1] + 1, high) if tests[-1] < broken else (low, tests[-1] - 1)
        tasks.append({"prompt": prompt, "answer": str(broken),
                      "replies": [f"[try {test}]" for test in tests]})
    return tasks


def reference(row):
    return row["replies"][-1]


def start(row):
    return {"tests": 0, "hit": False}


def respond(reply, game, row):
    game["tests"] += 1
    tests = re.findall(r"\\[try (\\d{1,9})\\]", reply)
    game["hit"] = bool(tests) and int(tests[-1]) == int(row["answer"])
    if game["hit"] or game["tests"] == 8:
        return None
    if not tests:
        return "That was no test; write [try N]."
    return "further" if int(tests[-1]) < int(row["answer"]) else "nearer"


def paid(game, row):
    return float(game["hit"])
"""
HALVED: dict[Api, str] = {"v1": TURNS["v1"], "v0": GAME["v0"]}
BOOKINGS = """
def merge(bookings):
    merged = []
    for begin, end in sorted(bookings):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        bookings = []
        for _ in range(rng.randint(7, 12)):
            begin = rng.randrange(420, 1200, 5)
            bookings.append([begin, begin + rng.randrange(10, 95, 5)])
        merged = merge(bookings)
        if not 2 < len(merged) < len(bookings) - 1:
            continue
        listed = "\\n".join(map(str, bookings))
        prompt = (
            f"Bookings of a room as [start, end] in minutes:\\n{listed}\\n\\nMerge those that "
            "overlap or touch. Reply with a JSON list of [start, end] pairs, in any order; a list "
            "that is partly right earns a part."
        )
        tasks.append({"prompt": prompt, "answer": json.dumps(merged), "bookings": bookings})
    return tasks


def agreement(given, wanted):
    return len(given & wanted) / max(1, len(given | wanted))


def score(reply, row):
    try:
        pairs = json.loads(reply)
        given = {(int(begin), int(end)) for begin, end in pairs}
    except (ValueError, TypeError):
        return 0.0
    wanted = {(begin, end) for begin, end in json.loads(row["answer"])}
    floor = agreement({(begin, end) for begin, end in row["bookings"]}, wanted)
    return max(0.0, (agreement(given, wanted) - floor) / (1 - floor))
"""
NEIGHBOURS = """
WORDS = (
    "cold cord card ward warm word wood wool fool foot food fold gold goad load road read bead "
    "beat boat coat cost lost list mist mint mind mine pine pane pale sale salt malt male mule "
    "rule rude ride side site bite bits bats cats cars bars barn bark park perk pork port part"
).split()


def near(word):
    return sorted(each for each in WORDS if sum(a != b for a, b in zip(each, word)) == 1)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for word in rng.sample([each for each in WORDS if len(near(each)) > 1], 30):
        listed = " ".join(rng.sample(WORDS, len(WORDS)))
        prompt = (
            f"Words of a puzzle:\\n\\n{listed}\\n\\nWhich of them differ from {word!r} in exactly "
            "one letter? Reply with these words alone, in any order, with commas between them."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(near(word))})
    return tasks


def score(reply, row):
    given = [each.strip().lower() for each in reply.split(",")]
    return float(sorted(given) == row["answer"].split(", "))
"""
DOSES = """
import re

FACTORS = {"mg": 1000.0, MICROGRAMS: 1.0}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        mass, volume, drops = rng.randint(5, 90), rng.choice((20, 25, 40, 50)), rng.randint(3, 30)
        prompt = (
            f"A vial holds {mass} mg of a drug in {volume} ml. How much of it is in {drops} drops "
            "of 0.05 ml each? End with the amount and its unit, mg or µg as you like, with at "
            "least three significant digits; reply with these alone."
        )
        amount = mass * drops * 0.05 / volume
        tasks.append({"prompt": prompt, "answer": f"{amount:.5f} mg", "amount": amount})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(\\d{1,9}(?:\\.\\d{1,9})?) ?(\\w{2})", reply.strip())
    factor = FACTORS.get(match[2].casefold()) if match else None
    if factor is None:
        return 0.0
    return float(abs(float(match[1]) * factor - 1000 * row["amount"]) <= 10 * row["amount"])
"""
FORMS = ("card.equivalents_kept",)

FLAWED = (
    *both("fahrenheit-misread", "°F is allowed and converted by 9/5 where 5/9 is right",
          POOLS.replace("FAHRENHEIT", "(value - 32) * 9 / 5"), expected="warned", codes=FORMS),
    *both("micro-refused", "Case folding changes the sign of micro, which then has no factor",
          DOSES.replace("MICROGRAMS", '"µg"'), expected="warned", codes=FORMS),
    *both("and-refused", "The British 'and' is allowed and counts as a word",
          CHEQUES.replace("COUNTS", "word"), expected="warned", codes=FORMS),
    *both("every-fourth-year", "1900 counts as a leap year",
          SPANS.replace("LEAP", "year % 4 == 0"), expected="warned",
          codes=("card.label_outliers",)),
)  # fmt: skip
SOUND = (
    *both("fahrenheit-read", "Three units are read rightly",
          POOLS.replace("FAHRENHEIT", "(value - 32) * 5 / 9"), expected="sound"),
    *both("micro-read", "Both signs of micro are read",
          DOSES.replace("MICROGRAMS", '"µg".casefold()'), expected="sound"),
    *both("and-ignored", "Number words are read with and without 'and'",
          CHEQUES.replace("COUNTS", 'word != "and"'), expected="sound"),
    *both("gregorian-years", "1900 is no leap year",
          SPANS.replace("LEAP", "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)"),
          expected="sound"),
    *both("bracketed-tests", "Tests in brackets, of which all but the last miss", base=HALVING,
          endings=HALVED, expected="sound"),
    *both("merged-bookings", "A list of pairs that is partly right earns a part", BOOKINGS,
          expected="sound"),
    *both("words-of-four", "All lists have the same words, so one length", NEIGHBOURS,
          expected="sound"),
)  # fmt: skip
