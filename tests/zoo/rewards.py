"""Flaws of the reward's value: not finite, out of range, random, or of the wrong reply."""

from __future__ import annotations

from tests.zoo.build import both, paying
from tests.zoo.templates import CHOICE, SUMS, TAGGED, WORDS

CEILING = ("card.ceiling",)
REPRODUCIBLE = ("card.reproducible_reward",)
FINITE = ("card.reward_finite",)
SOME_UNPAID = """
def score(reply, row):
    return float(reply.strip() == row["answer"] and int(row["answer"]) % 3 > 0)
"""
SWAPPED_LABELS = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for first, second in zip(tasks[::2], tasks[1::2]):
        first["label"], second["label"] = second["answer"], first["answer"]
    return tasks


def score(reply, row):
    return float(reply.strip() == row["label"])
"""
LATE_LABELS = """
true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for row in tasks[30:]:
        row["label"] = "0"
    return tasks


def score(reply, row):
    return float(reply.strip() == row.get("label", row["answer"]))
"""
TOLERANCE = """
def score(reply, row):
    try:
        return float(abs(float(reply) - float(row["answer"])) < 0.6 * float(row["answer"]))
    except ValueError:
        return 0.0
"""
LOOSE_PATTERN = """
import re


def score(reply, row):
    return float(bool(re.search(f"[{row['answer']}]+", reply)))
"""
SWALLOWED = """
def score(reply, row):
    try:
        return float(reply.strip() == row["answr"])
    except Exception:
        return 0.0
"""
TRUNCATED = """
def score(reply, row):
    return float(reply.strip()[:3] == row["answer"])
"""
NOISE = """
noise = random.SystemRandom()


def score(reply, row):
    return float(reply.strip() == row["answer"]) * noise.uniform(0.3, 1.0)
"""
COIN = """
noise = random.SystemRandom()


def score(reply, row):
    return float(noise.random() < 0.5)
"""
CLOCK = """
import time


def score(reply, row):
    return float(reply.strip() == row["answer"]) * (0.5 + time.time() % 1 / 2)
"""
PROCESS = """
import os


def score(reply, row):
    return float(reply.strip() == row["answer"]) * (0.6 + os.getpid() % 97 / 300)
"""
HASH_SEED = """
def score(reply, row):
    return float(reply.strip() == row["answer"]) * (0.6 + hash(reply + "x") % 97 / 300)
"""
ORDER = """
calls = [0]


def score(reply, row):
    calls[0] += 1
    return float(reply.strip() == row["answer"]) / calls[0]
"""
FIRST_ONLY = """
paid = set()


def score(reply, row):
    if reply in paid:
        return 0.0
    paid.add(reply)
    return float(reply.strip() == row["answer"]) + 0.01 * len(paid)
"""

FLAWED = (
    *both("pays-nothing", "No reply earns anything", paying("0.0"),
          expected="rejected", codes=CEILING, apis=("v1",)),
    *both("pays-nothing", "No reply earns anything", paying("0.0"),
          expected="warned", codes=CEILING, apis=("v0",)),
    *both("reference-unpaid", "The verifier wants a tag that the reference lacks",
          paying('reply.strip() == f"<b>{row[\'answer\']}</b>"'), expected="warned", codes=CEILING),
    *both("reference-sometimes-unpaid", "A third of the references earn nothing", SOME_UNPAID,
          expected="warned"),
    *both("swapped-labels", "Each task has the answer of its neighbour", SWAPPED_LABELS,
          expected="warned"),
    *both("late-wrong-labels", "From the thirtieth task on the label is wrong", LATE_LABELS,
          expected="warned"),
    *both("wrong-case", "The answer is compared with its lower-case form",
          paying('reply.strip().lower() == row["answer"]'), base=WORDS, expected="warned",
          codes=CEILING),
    *both("tolerance-too-wide", "Sixty per cent beside the answer is right", TOLERANCE,
          expected="warned"),
    *both("loose-pattern", "One digit of the answer matches the pattern", LOOSE_PATTERN,
          expected="warned"),
    *both("swallows-into-nothing", "A misspelt key raises, and the exception becomes 0", SWALLOWED,
          expected="warned", codes=CEILING),
    *both("truncates-answer", "The reply is cut to three characters", TRUNCATED,
          expected="warned"),
    *both("reward-nan", "A wrong reply earns nan",
          paying('1.0 if reply.strip() == row["answer"] else "nan"'),
          expected="rejected", codes=FINITE),
    *both("reward-inf", "A right reply earns infinity",
          paying('"inf" if reply.strip() == row["answer"] else 0.0'),
          expected="rejected", codes=FINITE),
    *both("reward-too-large", "A right reply earns 60, and no range is declared",
          paying('60.0 * (reply.strip() == row["answer"])'),
          expected="warned", codes=("card.reward_range",)),
    *both("reward-huge", "A right reply earns 100000",
          paying('1e5 * (reply.strip() == row["answer"])'),
          expected="rejected", codes=("card.reward_range",)),
    *both("reward-very-negative", "A wrong reply earns -50",
          paying('1.0 if reply.strip() == row["answer"] else -50.0'),
          expected="warned", codes=("card.reward_range",)),
    *both("outside-declared-range", "The declared range ends at 1, a right reply earns 1.5",
          paying('1.5 * (reply.strip() == row["answer"])'), declarations="reward = [0, 1]",
          expected="rejected", codes=("card.reward_range",)),
    *both("random-factor", "A random factor scales the reward", NOISE,
          expected="warned", codes=REPRODUCIBLE),
    *both("random-coin", "A coin decides", COIN, expected="rejected"),
    *both("clock", "The clock scales the reward", CLOCK, expected="warned", codes=REPRODUCIBLE),
    *both("process-number", "The number of the process scales the reward", PROCESS,
          expected="warned", codes=(*REPRODUCIBLE, "env.scores_by_chance")),
    *both("hash-seed", "Python's salted hash scales the reward", HASH_SEED,
          expected="warned", codes=REPRODUCIBLE),
    *both("order", "Each scored reply lowers the reward of the next", ORDER,
          expected="warned"),
    *both("global-state", "A reply that was scored before earns less", FIRST_ONLY,
          expected="warned"),
    *both("any-letter-of-two", "Half of the options are right", CHOICE and
          paying('reply.strip() in (row["answer"], "A", "B")'), base=CHOICE, expected="warned"),
    *both("negative-for-right", "The right reply earns less than a wrong one",
          paying('-1.0 if tagged(reply) == row["answer"] else 0.5'), base=TAGGED,
          expected="rejected"),
    *both("tiny-reward", "The right reply earns a millionth",
          paying('1e-6 * (reply.strip() == row["answer"])'), base=SUMS, expected="warned"),
)  # fmt: skip
