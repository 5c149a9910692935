"""Entries whose number tells which is right, a tolerance that no prompt states, holidays that count
twice, and few problems behind many prompts; sound ones beside each."""

from __future__ import annotations

from tests.zoo.build import both

CASES = """
import json
import random

NAMES = "Abbott Barlow Chandra Duarte Ellison Fenwick Gallo Hartmann Ivers Jansen Kessler".split()
TOPICS = ("a waiver", "a late delivery", "an unsigned lease", "a sealed bid", "a drone flight")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        topic, *others = rng.sample(TOPICS, 5)
        cases = [("Supreme Court", topic), ("District Court", topic), ("Supreme Court", others[0]),
                 ("Court of Appeal", others[1]), ("Court of Appeal", others[2])]
        ORDER
        number, numbered, right = rng.randint(1000, 6000), [], ("Supreme Court", topic)
        for court, about in cases:
            number += rng.randint(7, 450)
            numbered.append((number, court, about))
        answer = next(number for number, *case in numbered if (*case,) == right)
        listed = "\\n".join(
            f"- {rng.choice(NAMES)} (docket {number}), {court}: decides on {about}."
            for number, court, about in sorted(numbered, key=lambda each: each[1] + each[2])
        )
        prompt = (
            f"A court must decide on {topic}. Decisions of the Supreme Court on the same question "
            f"bind it.\\n{listed}\\nWhich one must it follow? Reply with the docket number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(answer)})
    return tasks
"""
DILUTIONS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        volume, stock = rng.randint(4, 90) / 2, rng.choice((200, 400, 800))
        wanted = rng.randint(11, 99)
        answer = f"{volume * stock / wanted - volume:.1f}"
        prompt = (
            f"How much water must you add to {volume} mL of a {stock} mM stock, so that it has "
            f"{wanted} mM? Reply with the number of mL alone, rounded to one decimal.STATED"
        )
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def score(reply, row):
    try:
        given = float(reply.strip())
    except ValueError:
        return 0.0
    return float(abs(given - float(row["answer"])) <= SHARE * float(row["answer"]) + 0.1)
"""
CROSSES = """
import json
import random

NAMES = "Amara Beatriz Chiara Dilnoza Elif Freya Greta Hanako Ingrid Jelena Katya Leila".split()
ILLNESSES = ("cystic fibrosis", "Wilson disease", "galactosaemia", "alkaptonuria", "a trait")
PARENTS = {"is a carrier": 1, "is affected": 2, "has two normal copies": 0}


def chance(first, second):
    return f"{PARENTS[first] * PARENTS[second] * 25} %"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 120:
        one, other = rng.sample(NAMES, 2)
        first, second = rng.choice([*PARENTS]), rng.choice([*PARENTS])
        count = rng.randint(1, 99)
        prompt = (
            f"{one} and {other} ask about {rng.choice(ILLNESSES)}, which is autosomal recessive. "
            f"{one} {first}; {other} {second}. QUESTION"
        )
        answer = ANSWER
        if sum(row["answer"] == answer for row in tasks) < 40:
            tasks.append({"prompt": prompt, "answer": answer})
    return tasks
"""
NEXT = "They have {count} friends. How likely is their next child affected? Reply as in `75 %`."
OF_MANY = "How many of {count} such children are affected on average? Reply as in `7.25`."
NUMBER = 'f"{PARENTS[first] * PARENTS[second] * count / 4:g}"'
SETTLEMENTS = """
import json
import random
from datetime import date, timedelta

FIXED = [(1, 1), (1, 6), (5, 1), (8, 15), (11, 1), (12, 8), (12, 25), (12, 26)]


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        year = rng.randint(2010, 2040)
        holidays = [date(year, month, day) for month, day in FIXED]
        first = date(year, 1, 2) + timedelta(days=rng.randrange(270))
        last = first + timedelta(days=rng.randint(30, 90))
        span = [first + timedelta(days=at) for at in range((last - first).days + 1)]
        weekdays = sum(day.weekday() < 5 for day in span)
        taken = [day for day in holidays if first <= day <= last COUNTED]
        prompt = (
            f"Public holidays: {', '.join(f'{day:%d %B %Y}' for day in holidays)}.\\nA voyage "
            f"lasts from {first:%d %B %Y} to {last:%d %B %Y}. How many working days (Mondays to "
            "Fridays that are no holiday) has it, both dates included? Reply with the number alone."
        )
        tasks.append({"prompt": prompt, "answer": str(weekdays - len(taken))})
    return tasks
"""

FLAWED = (
    *both("docket-of-first", "The right decision always has the lowest number",
          CASES.replace("ORDER\n", "\n"), expected="warned", codes=("card.answer_place",)),
    *both("five-percent-off", "Numbers that are 5 % off are paid, and the prompt asks for decimals",
          DILUTIONS.replace("SHARE", "0.05").replace("STATED", ""), expected="warned",
          codes=("card.mutants_caught",)),
    *both("holidays-on-weekends", "Holidays on a weekend take a working day from the period",
          SETTLEMENTS.replace(" COUNTED", ""), expected="warned",
          codes=("card.label_outliers",)),
    *both("nine-crosses", "Nine problems with other names make 120 prompts",
          CROSSES.replace("QUESTION", NEXT).replace("ANSWER", "chance(first, second)"),
          expected="warned", codes=("card.diversity",)),
)  # fmt: skip
SOUND = (
    *both("docket-of-any", "Decisions have numbers in any order",
          CASES.replace("ORDER\n", "rng.shuffle(cases)\n"), expected="sound"),
    *both("five-percent-stated", "Numbers that are 5 % off are paid, as the prompt states",
          DILUTIONS.replace("SHARE", "0.05").replace("STATED", " A tolerance of 5 % applies."),
          expected="sound"),
    *both("holidays-on-weekdays", "Holidays from Monday to Friday alone take a working day",
          SETTLEMENTS.replace("COUNTED", "and day.weekday() < 5"), expected="sound"),
    *both("crosses-of-many", "The same crosses, and a number that counts",
          CROSSES.replace("QUESTION", OF_MANY).replace("ANSWER", NUMBER), expected="sound"),
)  # fmt: skip
