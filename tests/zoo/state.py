"""Values of a module that rollouts change, tasks made from the clock, and what only looks so."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import TOOLS
from tests.zoo.sound_turns import DIRECTORY

BOOKED_SEATS = """
SEATS = {name: 60 + 7 * place for place, name in enumerate(NAMES)}
NUMBERS = {name: str(seats - 1) for name, seats in SEATS.items()}


def lookup(key):
    if SEATS.get(key, 0) < 1:
        return "sold out"
    SEATS[key] -= 1
    return f"one seat booked, {SEATS[key]} left"
"""
COUNTED_LOOKUPS = """
FOUND = {}
COUNTS = {"calls": 0}


def lookup(key):
    COUNTS["calls"] += 1
    if COUNTS["calls"] % 100 == 0:
        print(COUNTS["calls"], "calls")
    if key not in FOUND:
        FOUND[key] = NUMBERS.get(str(key).strip().lower(), "no such entry")
    return FOUND[key]
"""
DAYS_LEFT = """
from datetime import date, timedelta


def rows(seed):
    tasks = []
    for days in range(20, 60):
        month = (date.today() + timedelta(days=7 * days)).strftime("%B")
        prompt = f"Which month is it {days} weeks from now? Reply with its name alone."
        tasks.append({"prompt": prompt, "answer": month})
    return tasks
"""
DAYS_OF_A_STATED_DATE = """
from datetime import date, timedelta
import time

BEGAN = time.time()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        day = date(2024, 1, 1) + timedelta(days=rng.randint(0, 3000))
        then = day + timedelta(days=rng.randint(100, 999))
        prompt = f"How many days are from {day} to {then}? Reply with the number alone."
        tasks.append({"prompt": prompt, "answer": str((then - day).days)})
    print(f"made {len(tasks)} tasks in {time.time() - BEGAN:.3f} s")
    return tasks
"""

FLAWED = (
    *both("books-shared-seats", "Each call of the tool books a seat of one table for all rollouts",
          BOOKED_SEATS, base=DIRECTORY, endings=TOOLS, expected="warned",
          codes=("env.shared_state",)),
    *both("answers-from-today", "The answers depend on the day on which tasks are loaded",
          DAYS_LEFT, expected="warned", codes=("env.clock_in_tasks",)),
)  # fmt: skip
SOUND = (
    *both("caching-tool", "A tool keeps what it looked up, and counts its calls", COUNTED_LOOKUPS,
          base=DIRECTORY, endings=TOOLS, expected="sound"),
    *both("stated-dates", "Days between two dates, and the time of loading is printed",
          DAYS_OF_A_STATED_DATE, expected="sound"),
)  # fmt: skip
