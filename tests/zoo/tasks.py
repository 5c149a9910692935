"""Flaws of the tasks: they change, repeat, break late, contain the answer, or ignore the seed."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.templates import SUMS, TAGGED, WORDS

REPEATED = ("card.diversity",)
CHANGED = ("card.reproducible_tasks", "card.takes_no_seed")
CHANGING = """
def rows(seed):
    rng = random.SystemRandom()
    pairs = [(rng.randint(100, 999), rng.randint(100, 999)) for _ in range(40)]
    return [
        {"prompt": f"Add {a} and {b}. Reply with the number alone.", "answer": str(a + b)}
        for a, b in pairs
    ]
"""
FROM_SET = """
true_rows = rows


def rows(seed):
    by_prompt = {row["prompt"]: row for row in true_rows(seed)}
    return [by_prompt[prompt] for prompt in set(by_prompt)]
"""
DATED = """
import time
true_rows = rows


def rows(seed):
    now = time.time_ns()
    return [{**row, "prompt": f"{row['prompt']} (asked at {now})"} for row in true_rows(seed)]
"""
EXACT = """
true_rows = rows


def rows(seed):
    return [row for row in true_rows(seed)[:3] for _ in range(12)]
"""
NEAR = """
true_rows = rows


def rows(seed):
    first = true_rows(seed)[0]
    return [{**first, "prompt": f"{first['prompt']} {'!' * n}"} for n in range(1, 40)]
"""
LATE_DUPLICATES = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    return tasks[:10] + [tasks[10]] * 30
"""
ANSWER_IN_PROMPT = """
true_rows = rows


def rows(seed):
    return [
        {**row, "prompt": f"{row['prompt']} (solution: {row['answer']})"}
        for row in true_rows(seed)
    ]
"""
ANSWER_IN_SYSTEM = """
true_rows = rows


def rows(seed):
    return [
        {**row, "system": f"You help with sums. Key: {row['answer']}."} for row in true_rows(seed)
    ]
"""
ANSWER_BACKWARDS = """
true_rows = rows


def rows(seed):
    return [
        {**row, "prompt": f"{row['prompt']} (code {row['answer'][::-1]})"}
        for row in true_rows(seed)
    ]
"""
OWN_EXAMPLE = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for place, row in enumerate(tasks):
        shown = tasks[place - place % 5]
        question = shown["prompt"].partition(" Write ")[0]
        row["system"] = f"You rewrite sentences. Example: {question}\\nReply: {shown['answer']}"
    return tasks
"""
LATE_CRASH = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for row in tasks[25:]:
        row["answer"] = None
    return tasks


def reference(row):
    return row["answer"] or ""


def score(reply, row):
    return float(reply.strip() == row["answer"].strip())
"""
EMPTY_LATE = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for row in tasks[25:]:
        row["prompt"], row["answer"] = "", ""
    return tasks
"""
SEED_IGNORED = """
true_rows = rows


def rows(seed):
    return true_rows(7)
"""
SAME_ANSWER = """
true_rows = rows


def rows(seed):
    return [{**row, "answer": "yes", "prompt": f"Is {n} a number? Reply yes or no."}
            for n, row in enumerate(true_rows(seed))]
"""

FLAWED = (
    *both("changing-tasks", "Each load draws other tasks", CHANGING,
          expected="rejected", codes=CHANGED),
    *both("tasks-from-a-set", "The order of tasks is that of a set", FROM_SET,
          expected="rejected", codes=CHANGED),
    *both("dated-tasks", "The prompt contains the time of the load", DATED,
          expected="rejected", codes=CHANGED),
    *both("duplicates", "Every task stands twelve times", EXACT,
          expected="warned", codes=REPEATED),
    *both("near-duplicates", "Tasks differ by one mark", NEAR, base=WORDS, expected="warned"),
    *both("late-duplicates", "From the tenth task on there is only one", LATE_DUPLICATES,
          expected="warned"),
    *both("answer-in-prompt", "The prompt ends with the answer", ANSWER_IN_PROMPT, base=WORDS,
          expected="warned"),
    *both("answer-in-system-prompt", "The system prompt contains the answer", ANSWER_IN_SYSTEM,
          base=WORDS, expected="warned"),
    *both("answer-backwards-in-prompt", "The prompt contains the answer backwards",
          ANSWER_BACKWARDS, base=SUMS, expected="warned"),
    *both("own-example", "The worked example of every fifth task is the task itself", OWN_EXAMPLE,
          base=WORDS, expected="warned", codes=("card.leaks",)),
    *both("late-crash", "From task 25 on scoring raises", LATE_CRASH, expected="warned"),
    *both("late-empty-tasks", "From task 25 on the prompt is empty", EMPTY_LATE, base=TAGGED,
          expected="warned"),
    *both("seed-ignored", "The declared seed changes nothing", SEED_IGNORED, expected="warned"),
    *both("same-answer", "The answer is yes in every task", SAME_ANSWER, expected="warned"),
)  # fmt: skip
