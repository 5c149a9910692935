"""Values of a module that rollouts change, tasks made from the clock, and what only looks so."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import TOOLS, TOOLS_V0
from tests.zoo.entry import Api
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
SHOP = """
import json
import random
import sqlite3

DATABASE = sqlite3.connect(":memory:", check_same_thread=False)
NAMES = ("anvil", "bellows", "chisel", "drill", "easel", "flange", "gasket", "hammer")


def fill(database):
    rng = random.Random(7)
    database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, product TEXT, qty INTEGER)")
    orders = [(rng.choice(NAMES), rng.randint(1, 40)) for _ in range(300)]
    database.executemany("INSERT INTO orders (product, qty) VALUES (?, ?)", orders)
    database.commit()


def total(name):
    row = DATABASE.execute("SELECT SUM(qty) FROM orders WHERE product = ?", (name,)).fetchone()
    return str(row[0] or 0)


def execute(query):
    rows = DATABASE.execute(query).fetchmany(20)
    DATABASE.commit()
    return "\\n".join(map(str, rows)) or "(no rows)"


def rows(seed):
    if not DATABASE.execute("SELECT name FROM sqlite_master").fetchall():
        fill(DATABASE)
    return [
        {"prompt": f"How many of {name} were ordered? Reply with the number.", "name": name,
         "answer": total(name)}
        for name in NAMES
    ]


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == total(row["name"]))
"""
READ_ONLY = """
writable_rows = rows


def rows(seed):
    tasks = writable_rows(seed)
    DATABASE.execute("PRAGMA query_only = ON")
    return tasks
"""
COPIED = """
def execute(query):
    copy = sqlite3.connect(":memory:")
    fill(copy)
    return "\\n".join(map(str, copy.execute(query).fetchmany(20))) or "(no rows)"
"""
SQL: dict[Api, str] = {
    "v0": TOOLS_V0.replace("def look_up(key: str)", "def execute_sql(query: str)")
    .replace("DESCRIPTION", "Execute one SQL statement on the table orders(id, product, qty).")
    .replace("key: the name of the entry", "query: the statement")
    .replace("return lookup(key)", "return execute(query)")
    .replace("tools=[look_up]", "tools=[execute_sql]")
}
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
    *both("writable-database", "A tool writes to the tables from which the answer is computed",
          base=SHOP, endings=SQL, apis=("v0",), expected="warned", codes=("card.floor",)),
    *both("books-shared-seats", "Each call of the tool books a seat of one table for all rollouts",
          BOOKED_SEATS, base=DIRECTORY, endings=TOOLS, expected="warned",
          codes=("env.shared_state",)),
    *both("answers-from-today", "The answers depend on the day on which tasks are loaded",
          DAYS_LEFT, expected="warned", codes=("env.clock_in_tasks",)),
)  # fmt: skip
SOUND = (
    *both("read-only-database", "A tool queries a database that it cannot write to", READ_ONLY,
          base=SHOP, endings=SQL, apis=("v0",), expected="sound"),
    *both("copied-database", "Each query is executed on a copy of the database", COPIED,
          base=SHOP, endings=SQL, apis=("v0",), expected="sound"),
    *both("caching-tool", "A tool keeps what it looked up, and counts its calls", COUNTED_LOOKUPS,
          base=DIRECTORY, endings=TOOLS, expected="sound"),
    *both("stated-dates", "Days between two dates, and the time of loading is printed",
          DAYS_OF_A_STATED_DATE, expected="sound"),
)  # fmt: skip
