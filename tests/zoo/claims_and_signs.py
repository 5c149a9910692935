"""Grades that a reply writes itself, signs that are not read and forms that a prompt allows; sound
puzzles whose answers name persons of one task each, and factors in any order."""

from __future__ import annotations

from tests.zoo.build import both

INVOICES = """
GOODS = "bolts hinges screws washers brackets hooks rivets nails".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        goods, number, each = rng.choice(GOODS), rng.randint(12, 90), rng.randint(13, 70)
        prompt = (
            f"'Please send us {number} boxes of {goods}, at {each} euros a box as before.' Reply "
            "with a JSON object that has the fields goods, boxes and total (in euros)."
        )
        wanted = {"goods": goods, "boxes": number, "total": number * each}
        tasks.append({"prompt": prompt, "answer": json.dumps(wanted)})
    return tasks


def score(reply, row):
    try:
        given, wanted = json.loads(reply), json.loads(row["answer"])
        graded = {"score": all(given[key] == value for key, value in wanted.items())}
        graded.update(given)
        return max(0.0, min(1.0, float(graded["score"])))
    except (ValueError, TypeError, KeyError):
        return 0.0
"""
REPORTS = """
import re

REPORT = "task: {task}\\nreply: {reply}\\nwanted: {answer}\\npoints: {points}/1\\n"


def score(reply, row):
    points = int(reply.strip() == row["answer"])
    report = REPORT.format(task=row["prompt"], reply=reply.strip(), answer=row["answer"],
                           points=points)
    reached, possible = re.search(r"points: (\\d{1,6})/([1-9]\\d{0,5})", report).groups()
    return min(1.0, int(reached) / int(possible))
"""
WEATHER = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        first, second = rng.randint(-90, 150), rng.randint(-90, 150)
        if first == second:
            continue
        prompt = (
            f"At six the thermometer showed {first / 10} °C, at noon {second / 10} °C. By how much "
            "did the temperature change? Reply with the change alone, with its sign, one decimal "
            "and its unit, as in +0.7 °C."
        )
        tasks.append({"prompt": prompt, "answer": f"{(second - first) / 10:+.1f} °C"})
    return tasks


def read(text):
    match = re.search(r"(\\d{1,3}\\.\\d) ?°C$", text.strip())
    return match and float(match[1])


def score(reply, row):
    return float(read(reply) == read(row["answer"]))
"""
CITIES = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(45):
        streets, each = rng.randint(210, 900), rng.randint(12, 95)
        years = rng.randint(12, 90) if number % 3 == 0 else 1
        prompt = (
            f"A town plants {each} trees in each of its {streets} streets every year. How many "
            f"trees does it plant in {years} year{'s' * (years > 1)}? Finish with a line "
            "`Trees: ` and the number; you may use commas for thousands."
        )
        tasks.append({"prompt": prompt, "answer": str(streets * each * years)})
    return tasks


def reference(row):
    return f"Trees: {row['answer']}"


def score(reply, row):
    match = re.search(r"^Trees: (\\d{1,12}|\\d{1,3},\\d{3})$", reply.strip(), re.MULTILINE)
    return float(match is not None and match[1].replace(",", "") == row["answer"])
"""
BOLD = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        tables, guests, left = rng.randint(12, 40), rng.randint(4, 9), rng.randint(3, 11)
        prompt = (
            f"A hall has {tables} tables for {guests} guests each, and {left} guests have left the "
            "full hall. How many are still there? Your last line must be `Answer: ` with the "
            "number, and may be in bold."
        )
        tasks.append({"prompt": prompt, "answer": str(tables * guests - left)})
    return tasks


def reference(row):
    return f"Answer: {row['answer']}"


def score(reply, row):
    match = re.search(r"^Answer: (?:\\*\\*)?(\\d{1,6})(?:\\*\\*)?\\s*\\Z", reply, re.MULTILINE)
    return float(match is not None and match[1] == row["answer"])
"""
KNIGHTS = """
import re
from itertools import product

NAMES = (
    "Ann Bo Cy Dan Eve Flo Gus Hal Ida Jan Kim Liv Max Nan Otto Pia Quin Rosa Sam Tess Uma Vic "
    "Walt Xena Yves Zoe Abel Bert Cleo Dora Emil Fay Gert Hugo Ines Joel Kurt Lea Moe Nils"
).split()


def holds(claim, kinds):
    who, value = claim
    return sum(kinds) == value if who is None else kinds[who] == value


def worded(claim, names):
    who, value = claim
    if who is None:
        return f"Exactly {value} of us {'is a knight' if value == 1 else 'are knights'}."
    return f"{names[who]} is a {'knight' if value else 'knave'}."


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 40:
        names = rng.sample(NAMES, rng.choice((2, 3, 3)))
        known = [(None, n) for n in range(len(names))]
        known += [(who, value) for who in range(len(names)) for value in (True, False)]
        claims = [rng.choice([each for each in known if each[0] != at]) for at in range(len(names))]
        fitting = [
            kinds for kinds in product((True, False), repeat=len(names))
            if all(holds(claim, kinds) == kind for claim, kind in zip(claims, kinds))
        ]
        if len(fitting) != 1:
            continue
        texts = " ".join(f"{name}: '{worded(claim, names)}'" for name, claim in zip(names, claims))
        prompt = (
            f"Knights tell the truth and knaves lie. {texts} Who is what? Reply with one line such "
            "as `PersonSIGNknight, OtherSIGNknave`, for all of them."
        )
        kinds = ("knight" if kind else "knave" for kind in fitting[0])
        answer = ", ".join(f"{name}SIGN{kind}" for name, kind in zip(names, kinds))
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def read(text):
    return dict(re.findall(r"(\\w{2,20})SIGN(knight|knave)\\b", text))


def score(reply, row):
    given, wanted = read(reply), read(row["answer"])
    return float(RIGHT)
"""
FACTORS = """
import re

PRIMES = [n for n in range(11, 120) if all(n % d for d in range(2, 11))]


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        first, second = sorted(rng.sample(PRIMES, 2))
        prompt = (
            f"Which two primes have the product {first * second}? Reply with both of them, in any "
            "order and joined by `and`."
        )
        tasks.append({"prompt": prompt, "answer": f"{first} and {second}"})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"(\\d{1,4}) and (\\d{1,4})", reply.strip())
    return float(match is not None and {*match.groups()} == {*row["answer"].split(" and ")})
"""
CAUGHT = ("card.mutants_caught",)
KEPT = ("card.equivalents_kept",)

FLAWED = (
    *both("mark-in-object", "The reply's own field `score` replaces the mark", INVOICES,
          expected="warned", codes=CAUGHT),
    *both("report-quotes-reply", "The points are read from a report that quotes the reply first",
          REPORTS, expected="rejected", codes=("card.floor",)),
    *both("sign-of-degrees", "The sign before a number of degrees is not read", WEATHER,
          expected="warned", codes=CAUGHT),
    *both("comma-below-million", "Commas are allowed, and numbers with two of them refused", CITIES,
          expected="warned", codes=KEPT),
    *both("bold-line", "The last line may be bold, and only its number is read so", BOLD,
          expected="warned", codes=KEPT),
)  # fmt: skip
SOUND = (
    *both("knights", "Each task has persons of its own, and all of them count",
          KNIGHTS.replace("SIGN", "=").replace("RIGHT", "given == wanted"), expected="sound"),
    *both("knights-among-others", "Names that no task asks for are ignored",
          KNIGHTS.replace("SIGN", ": ").replace("RIGHT", "wanted.items() <= given.items()"),
          expected="sound"),
    *both("two-primes", "Two factors in any order, joined by a word", FACTORS, expected="sound"),
)  # fmt: skip
