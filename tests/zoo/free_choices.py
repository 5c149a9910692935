"""What a prompt leaves to the policy: the text in a mark, one of several routes, a form of numbers
or times, the order of named values and the capitals of words."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS

TITLES = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        place, thing = rng.choice(["Ghent", "Brno", "Porto", "Leiden"]), rng.choice(
            ["fair", "regatta", "auction", "parade"])
        guests, rain = rng.randint(120, 990), rng.randint(2, 9)
        news = [f"After {rain} days of rain the {thing} of {place} opened on Sunday.",
                f"It was {guests} guests who came.", "The mayor was there.", "All was sold."]
        rng.shuffle(news)
        prompt = (
            f"{' '.join(news)}\\n\\nWrite a title of at most four words that names the place, the "
            "event and the number of guests. Put it between an opening <title> tag and its "
            "closing tag."
        )
        tasks.append({"prompt": prompt, "facts": [place.lower(), thing, str(guests)],
                      "answer": f"{place} {thing}: {guests}"})
    return tasks


def reference(row):
    return f"<title>{row['answer']}</title>"


def score(reply, row):
    marked = re.findall(r"<title>(.*?)</title>", reply, re.DOTALL)
    if len(marked) != 1 or len(marked[0].split()) > 4:
        return 0.0
    words = set(re.findall(r"\\w+", READ.lower()))
    return float(words.issuperset(row["facts"]))
"""
CANALS = """
import re
from itertools import permutations

LOCKS = "Amsel Boje Dohle Erpel Falke Greif".split()


def cost(route, canals):
    steps = [canals.get(tuple(sorted(step))) for step in zip(route, route[1:])]
    return None if None in steps else sum(steps)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        pairs = [pair for pair in permutations(LOCKS, 2) if pair[0] < pair[1]]
        canals = {pair: rng.randint(2, 5) for pair in rng.sample(pairs, 9)}
        start, goal = rng.sample(LOCKS, 2)
        others = [each for each in LOCKS if each not in (start, goal)]
        routes = [[start, *between, goal] for n in (1, 2) for between in permutations(others, n)]
        known = sorted((cost(each, canals), each) for each in routes if cost(each, canals))
        least = [each for total, each in known if total == known[0][0]]
        direct = canals.get(tuple(sorted((start, goal))), 99)
        if len(least) < 2 or direct <= known[0][0]:
            continue
        listed = "\\n".join(f"{a} - {b}: {hours} hours" for (a, b), hours in canals.items())
        prompt = (
            f"Canals, usable in both directions:\\n{listed}\\n\\nGive a quickest route from "
            f"{start} to {goal}; if several are equally quick, any of them is right. Reply with "
            f"the route alone, in the form {start} -> ... -> {goal}."
        )
        tasks.append({"prompt": prompt, "canals": [[*each, canals[each]] for each in canals],
                      "answer": " -> ".join(least[0]), "hours": known[0][0]})
    return tasks


def score(reply, row):
    canals = {(a, b): hours for a, b, hours in row["canals"]}
    given, right = reply.strip().split(" -> "), row["answer"].split(" -> ")
    ends = (given[0], given[-1]) == (right[0], right[-1])
    return float(RIGHT)
"""
THIRDS = """
import re
from fractions import Fraction


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        first, second = (Fraction(rng.randint(1, 60), rng.choice((3, 7, 11))) for _ in range(2))
        value = first - second
        if value.denominator == 1 or abs(value) < 1:
            continue
        prompt = (
            f"Compute {first} - {second}. Answer with a fraction or a mixed number alone, as in "
            "17/5 or 3 2/5."
        )
        tasks.append({"prompt": prompt, "answer": str(value)})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(-?)(?:(\\d{1,4}) )?(\\d{1,6})/(\\d{1,4})", reply.strip())
    if match is None or not int(match[4]):
        return 0.0
    whole, part = int(match[2] or 0), Fraction(int(match[3]), int(match[4]))
    sign = -1 if match[1] else 1
    return float((VALUE if match[2] else sign * part) == Fraction(row["answer"]))
"""
FERRIES = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        left, minutes = rng.randint(420, 1080), rng.randint(20, 280)
        at = left + minutes
        prompt = (
            f"A ferry leaves at {left // 60:02}:{left % 60:02} and takes {minutes} minutes. When "
            "does it land? Reply with the time alone, by the 24-hour clock, as in 15:04, or by "
            "the 12-hour clock, as in 3:04 pm."
        )
        tasks.append({"prompt": prompt, "answer": f"{at // 60:02}:{at % 60:02}"})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(\\d{1,2}):(\\d\\d)(?: ?([ap])m)?", reply.strip().lower())
    if match is None:
        return 0.0
    hours = HOURS if match[3] else int(match[1])
    return float(f"{hours:02}:{match[2]}" == row["answer"])
"""
REGISTERS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        held = dict(zip("PQR", rng.sample(range(10, 90), 3)))
        opening = ", ".join(f"{name} is {value}" for name, value in held.items())
        lines = []
        for _ in range(3):
            (first, second), number = rng.sample("PQR", 2), rng.randint(11, 60)
            lines.append(f"Add {number} to {first}, then add {first} to {second}.")
            held[first] += number
            held[second] += held[first]
        prompt = (
            f"At first {opening}. Carry out these lines in the given order: {' '.join(lines)} "
            "What do P, Q and R hold then? Reply with `NAME=VALUE` for each, separated by commas."
        )
        tasks.append({"prompt": prompt, "held": held,
                      "answer": ", ".join(f"{name}={value}" for name, value in held.items())})
    return tasks


def score(reply, row):
    pairs = re.findall(r"\\b([PQR])\\s?=\\s?(-?\\d+)\\b", reply)
    values = [(name, int(value)) for name, value in pairs]
    return float(RIGHT)
"""
HUNT = """
import json
import random
import re

HERBS = ["Basil", "Chives", "Dill", "Fennel", "Lovage", "Mint", "Sage", "Thyme"]
RULES = (
    "I think of three of these herbs in a certain order: " + ", ".join(HERBS) + ". You have three "
    "replies; write three herbs with a comma between them, in capitals or not. I say after each "
    "reply which places are right."
)


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        secret = [herb.lower() for herb in rng.sample(HERBS, 3)]
        wrong = [secret[0], *rng.sample([h.lower() for h in HERBS if h.lower() not in secret], 2)]
        tasks.append({"prompt": f"{RULES}\\n\\nA first reply might be {', '.join(wrong).title()}: "
                      "its first herb alone is right.", "secret": secret,
                      "replies": [", ".join(wrong), ", ".join(secret)]})
    return tasks


def start(row):
    return {"turns": 0, "solved": False}


def respond(reply, game, row):
    game["turns"] += 1
    herbs = [herb.strip() for herb in READ.split(",")]
    game["solved"] = herbs == row["secret"]
    if game["solved"] or game["turns"] == 3:
        return None
    places = [str(at + 1) for at, pair in enumerate(zip(herbs, row["secret"]))
              if pair[0] == pair[1]]
    return f"Right places: {', '.join(places) or 'none'}."


def paid(game, row):
    return float(game["solved"])
"""
CAUGHT = ("card.mutants_caught",)
FORMS = ("card.equivalents_kept",)

FLAWED = (
    *both("facts-beside-mark", "The mark is read for its length, the reply for its facts",
          TITLES.replace("READ", "reply"), expected="warned", codes=CAUGHT),
    *both("one-route-of-several", "One of several quickest routes is accepted",
          CANALS.replace("RIGHT", "given == right"), expected="warned", codes=FORMS),
    *both("sign-of-whole-part", "The fraction is added to a whole number below zero",
          THIRDS.replace("VALUE", "sign * whole + part"), expected="warned", codes=FORMS),
    *both("noon-at-24", "Twelve hours are added to 12:10 pm too",
          FERRIES.replace("HOURS", "int(match[1]) + 12 * (match[3] == 'p')"),
          expected="warned", codes=FORMS),
    *both("values-without-names", "The values count, whichever names they have",
          REGISTERS.replace(
              "RIGHT", "sorted(v for _, v in values) == sorted(row['held'].values())"),
          expected="warned", codes=CAUGHT),
    *both("herbs-in-small-letters", "Capitals are refused, which the prompt allows",
          HUNT.replace("READ", "reply"), endings=TURNS, expected="warned", codes=FORMS),
)  # fmt: skip
SOUND = (
    *both("facts-in-mark", "Length and facts of the mark count",
          TITLES.replace("READ", "marked[0]"), expected="sound"),
    *both("any-quickest-route", "Every quickest route is accepted",
          CANALS.replace("RIGHT", "ends and cost(given, canals) == row['hours']"),
          expected="sound"),
    *both("sign-of-mixed-number", "The sign is that of the whole mixed number",
          THIRDS.replace("VALUE", "sign * (whole + part)"), expected="sound"),
    *both("noon-at-12", "12:10 pm is ten minutes past noon",
          FERRIES.replace("HOURS", "int(match[1]) % 12 + 12 * (match[3] == 'p')"),
          expected="sound"),
    *both("named-values", "Named values are read in any order",
          REGISTERS.replace("RIGHT", "len(values) == 3 and dict(values) == row['held']"),
          expected="sound"),
    *both("herbs-in-any-letters", "Capitals mean nothing, as the prompt says",
          HUNT.replace("READ", "reply.lower()"), endings=TURNS, expected="sound"),
)  # fmt: skip
