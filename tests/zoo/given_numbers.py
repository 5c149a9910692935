"""Numbers that the prompt gives: calculations with them, and a heap that a player takes from."""

from __future__ import annotations

from tests.zoo.build import both

COUNTDOWN = """
import ast
import operator
import re

SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        a, b, c = rng.sample(range(3, 25), 3)
        solution = rng.choice((f"({a} + {b}) * {c}", f"{a} * {b} - {c}", f"{a} * {b} + {c}"))
        shown = ", ".join(map(str, sorted((a, b, c))))
        prompt = (
            f"Numbers: {shown}. Target: {value(solution)}. Use each number once, with +, - and *, "
            "to reach the target. Reply with the expression alone."
        )
        tasks.append({"prompt": prompt, "answer": solution, "numbers": [a, b, c]})
    return tasks


def value(text):
    def walk(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            return SIGNS[type(node.op)](walk(node.left), walk(node.right))
        raise ValueError("no arithmetic")

    try:
        return walk(ast.parse(text.strip()[:100], mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def used(reply):
    return sorted(int(number) for number in re.findall(r"\\d+", reply))
"""
TARGET_ALONE = """
def score(reply, row):
    return float(value(reply) is not None and value(reply) == value(row["answer"]))
"""
OWN_NUMBERS = """
def score(reply, row):
    right = value(reply) is not None and value(reply) == value(row["answer"])
    return float(right and used(reply) == sorted(row["numbers"]))
"""

FLAWED = both(
    "target-is-paid", "The value of the expression counts, not the numbers in it", COUNTDOWN,
    TARGET_ALONE, expected="warned", codes=("card.floor",),
)  # fmt: skip
SOUND = both(
    "countdown", "An expression of the given numbers", COUNTDOWN, OWN_NUMBERS, expected="sound"
)
