"""Verifiers that pay queries without rows, patterns for every text and functions without a body."""

from __future__ import annotations

from tests.zoo.build import both

BOATS = """
import json
import random
import re
import sqlite3

PORTS = "Oban Leith Ayr Wick Tain Nairn".split()


def fleet(seed):
    dice = random.Random(seed)
    boats = sqlite3.connect(":memory:", check_same_thread=False)
    boats.execute("CREATE TABLE boats(name TEXT, port TEXT, tons INTEGER)")
    rows = [(f"Boat {n}", dice.choice(PORTS), dice.randint(2, 90)) for n in range(60)]
    boats.executemany("INSERT INTO boats VALUES (?, ?, ?)", rows)
    return boats


def rows(seed):
    dice = random.Random(seed)
    tasks = []
    for port in PORTS:
        for tons in dice.sample(range(5, 40), 6):
            prompt = (
                "Table boats(name TEXT, port TEXT, tons INTEGER). Write a SQLite query for the "
                f"names of boats of {port} above {tons} tons, in one ```sql block."
            )
            query = f"SELECT name FROM boats WHERE port = '{port}' AND tons > {tons}"
            tasks.append({"prompt": prompt, "answer": query})
    return tasks


def reference(row):
    return f"```sql\\n{row['answer']}\\n```"


def result(seed, query):
    boats = fleet(seed)
    try:
        return set(boats.execute(query).fetchall())
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        boats.close()


def query_of(reply):
    blocks = re.findall(r"```sql\\s*(.*?)```", reply, re.DOTALL)
    return blocks[0] if len(blocks) == 1 else ""


def score(reply, row):
    query = query_of(reply)
    if not query.lstrip().upper().startswith("SELECT"):
        return 0.0
    return float(all(result(s, query) == result(s, row["answer"]) for s in (1, 2, 3)))
"""
NO_FOREIGN_ROWS = """
def score(reply, row):
    given = result(1, query_of(reply) or "not a query")
    return float(given is not None and not given - result(1, row["answer"]))
"""
PLATES = """
import json
import random
import re
import string

SHAPES = {
    "two letters and three digits": lambda d: "".join(d.choices("ABCDEF", k=2) +
                                                      d.choices("0123456789", k=3)),
    "three digits, a dash and two letters": lambda d: "".join(d.choices("0123456789", k=3)) + "-" +
                                                      "".join(d.choices("ABCDEF", k=2)),
    "four small letters and a digit": lambda d: "".join(d.choices("abcdef", k=4)) +
                                                d.choice("0123456789"),
}
PATTERNS = dict(zip(SHAPES, (r"[A-Z]{2}\\d{3}", r"\\d{3}-[A-Z]{2}", r"[a-z]{4}\\d")))


def rows(seed):
    dice = random.Random(seed)
    tasks = []
    for number in range(36):
        shape = sorted(SHAPES)[number % 3]
        texts = [SHAPES[shape](dice) for _ in range(6)]
        prompt = (
            f"Plates have {shape}, as {texts[0]} and {texts[1]}. Write a regular expression that "
            "fully matches such plates and nothing else. Reply with it alone."
        )
        row = {"prompt": prompt, "texts": texts, "answer": PATTERNS[shape]}
        tasks.append(row)
    return tasks


def reference(row):
    return row["answer"]


def matches(reply, texts):
    try:
        return [bool(re.fullmatch(reply.strip(), text)) for text in texts]
    except re.error:
        return [False]


def score(reply, row):
    wrong = [text[::-1] for text in row["texts"]] + [text + "x" for text in row["texts"]]
    return float(all(matches(reply, row["texts"])) and not any(matches(reply, wrong)))
"""
ONLY_MATCHING = """
def score(reply, row):
    return float(bool(reply.strip()) and all(matches(reply, row["texts"])))
"""
FUNCTIONS = """
import json
import random
import subprocess
import sys

OPERATIONS = {"double": "2 * n", "square": "n * n", "negative": "-n", "next": "n + 1",
              "tens": "n // 10", "rest": "n % 7"}


def rows(seed):
    tasks = []
    for name, text in OPERATIONS.items():
        for style in ("Keep it short.", "Use plain code.", "Use one line.", "Use no imports."):
            prompt = (
                f"Write a Python function {name}(n) that returns {text}. {style} "
                "Reply with the code alone."
            )
            tasks.append({"prompt": prompt, "name": name,
                          "answer": f"def {name}(n):\\n    return {text}"})
    return tasks


def reference(row):
    return row["answer"]


def outcomes(code, name):
    program = f"{code}\\nimport json\\nprint(json.dumps([{name}(n) for n in (3, 14, 65)]))"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
    return json.loads(ended.stdout.splitlines()[-1])


def score(reply, row):
    try:
        return float(outcomes(reply, row["name"]) == outcomes(row["answer"], row["name"]))
    except Exception:
        return 0.0
"""
IN_PROCESS = """
def outcomes(code, name):
    scope = {}
    exec(code, scope)
    return [scope[name](n) for n in (3, 14, 65)]
"""
NOT_WRONG = """
def score(reply, row):
    try:
        given = outcomes(reply, row["name"])
    except Exception:
        return 0.0
    right = outcomes(row["answer"], row["name"])
    return float(all(a == b for a, b in zip(given, right) if a is not None))
"""
FLOOR = ("card.floor",)

SHARED_FLEET = """
OPEN = fleet(7)


def found(query):
    try:
        return sorted(OPEN.execute(query).fetchall())
    except (sqlite3.Error, sqlite3.Warning):
        return None


def score(reply, row):
    given = found(query_of(reply) or "not a query")
    return float(given is not None and given == found(row["answer"]))
"""
FLAWED = (
    *both("deletes-what-is-queried", "The reply's statement may write to the table that the right "
          "query then reads", SHARED_FLEET, base=BOATS, expected="warned", codes=FLOOR),
    *both("pays-queries-without-rows", "The query's rows need only be among the right ones",
          NO_FOREIGN_ROWS, base=BOATS, expected="rejected", codes=FLOOR),
    *both("pays-any-pattern", "Only texts that must match are tried", ONLY_MATCHING, base=PLATES,
          expected="rejected", codes=FLOOR),
    *both("pays-any-pattern-unreferenced", "Only texts that must match are tried, no reference",
          ONLY_MATCHING, base=PLATES, with_reference=False, apis=("v0",),
          expected="rejected", codes=FLOOR),
    *both("pays-empty-functions", "A result of None is not compared", NOT_WRONG, base=FUNCTIONS,
          expected="warned", codes=FLOOR),
    *both("functions-in-process", "Code of replies may end the process that scores", IN_PROCESS,
          base=FUNCTIONS, expected="rejected", codes=("run.crashed",)),
)  # fmt: skip
SOUND = (
    *both("queries", "Queries whose rows must be the same on three databases", base=BOATS,
          expected="sound"),
    *both("patterns", "Patterns that must match some texts and no others", base=PLATES,
          expected="sound"),
    *both("functions", "Functions whose results must be the same", base=FUNCTIONS,
          expected="sound"),
)  # fmt: skip
