"""Flaws that only many tasks show, and sound environments that resemble them."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.templates import V0

CONTRADICTING = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    wrong = [{**row, "answer": str(int(row["answer"]) + 7)} for row in tasks[10:13]]
    return tasks + wrong
"""
MANY = """
def rows(seed, count=3000):
    rng = random.Random(seed)
    return [
        {"prompt": f"Add {a} and {b}. Reply with the number alone.", "answer": str(a + b)}
        for a, b in ((rng.randint(100, 9999), rng.randint(100, 9999)) for _ in range(count))
    ]
"""
REPEATED_LATE = """
many_rows = rows


def rows(seed):
    tasks = many_rows(seed)
    return tasks[:1500] + [tasks[1500]] * 1500
"""
BROKEN_LATE = """
many_rows = rows


def rows(seed):
    for number, row in enumerate(many_rows(seed)):
        if number == 2500:
            raise KeyError("question")
        yield row
"""
ENDLESS = """
def rows(seed):
    rng = random.Random(seed)
    while True:
        a, b = rng.randint(100, 99999), rng.randint(100, 99999)
        yield {"prompt": f"Add {a} and {b}. Reply with the number alone.", "answer": str(a + b)}
"""
WITH_SPLITS = V0.replace(
    "    return vf.SingleTurnEnv(dataset=dataset, rubric",
    "    held_out = Dataset.from_list([column(row) for row in evaluation_rows(seed)])\n"
    "    return vf.SingleTurnEnv(dataset=dataset, eval_dataset=held_out, rubric",
)
SHARED = """
def evaluation_rows(seed):
    return rows(seed + 100)[:15] + rows(seed)[5:10]
"""
DISJOINT = """
def evaluation_rows(seed):
    return rows(seed + 100)[:15]
"""
OTHER_RULE = """
import re


def evaluation_rows(seed):
    tasks = rows(seed + 100)[:15]
    for row in tasks:
        first, second = map(int, re.findall(r"\\d+", row["prompt"]))
        row["answer"] = str(abs(first - second))
    return tasks
"""
HARDER = """
def evaluation_rows(seed):
    rng = random.Random(seed + 100)
    pairs = [(rng.randint(10**6, 10**7), rng.randint(10**6, 10**7)) for _ in range(15)]
    return [
        {"prompt": f"Add {a} and {b}. Reply with the number alone.", "answer": str(a + b)}
        for a, b in pairs
    ]
"""
STRICT = """
def score(reply, row):
    if row.get("split") == "eval":
        return float(reply == row["answer"])
    return float(reply.strip() == row["answer"])


def evaluation_rows(seed):
    return [{**row, "split": "eval"} for row in rows(seed + 100)[:15]]
"""

FLAWED = (
    *both("contradicting-labels", "Three prompts stand twice, with two answers", CONTRADICTING,
          expected="warned", codes=("card.contradictions",), apis=("v0",)),
    *both("late-copies-of-many", "The second half of 3,000 tasks is one task", MANY, REPEATED_LATE,
          expected="warned", codes=("card.diversity",)),
    *both("late-error-of-many", "Task 2,500 of 3,000 raises while it is loaded", MANY, BROKEN_LATE,
          expected="warned", codes=("card.late_tasks",), apis=("v1",)),
    *both("shared-splits", "A quarter of the evaluation tasks are training tasks", SHARED,
          expected="warned", codes=("card.splits_overlap",), apis=("v0",),
          endings={"v0": WITH_SPLITS}),
    *both("other-rule-in-evaluation", "Evaluation answers are differences, training answers sums",
          OTHER_RULE, expected="warned", codes=("card.splits_differ",), apis=("v0",),
          endings={"v0": WITH_SPLITS}),
    *both("strict-in-evaluation", "Scoring reads the split, and is strict in evaluation alone",
          STRICT, expected="warned", codes=("env.scores_by_split",), apis=("v0",),
          endings={"v0": WITH_SPLITS}),
)  # fmt: skip

SOUND = (
    *both("many-tasks", "3,000 tasks", MANY, expected="sound"),
    *both("endless-tasks", "A generator of tasks without an end", ENDLESS, expected="sound",
          apis=("v1",)),
    *both("disjoint-splits", "An evaluation split apart from training", DISJOINT, expected="sound",
          apis=("v0",), endings={"v0": WITH_SPLITS}),
    *both("harder-evaluation", "Evaluation tasks of the same kind with larger numbers", HARDER,
          expected="sound", apis=("v0",), endings={"v0": WITH_SPLITS}),
)  # fmt: skip
