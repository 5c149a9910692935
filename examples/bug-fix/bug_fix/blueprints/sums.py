"""Blueprint: the value of a sum."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    fixed = ("1 + 2 * 3", "10 - 3 - 2", "-2 + 5", "7", "(1 + 2) * 3", "2 *", "1 2", "(3", "4 & 5")
    calls: list[Call] = [("PKG.evaluate", "evaluate", [text]) for text in fixed]
    for _ in range(20):
        text = str(rng.randint(1, 30))
        for _ in range(rng.randint(1, 5)):
            part = str(rng.randint(1, 30))
            if rng.random() < 0.3:
                part = f"({part} {rng.choice('+-*')} {rng.randint(1, 9)})"
            text += f" {rng.choice('+-*')} {part}"
        calls.append(("PKG.evaluate", "evaluate", [text]))
    return calls


CALCULATOR = Blueprint(
    noun="sums",
    files={
        "PKG/tokens.py": '''\
"""A sum as a list of tokens."""


def tokens(text):
    """Whole numbers and + - * ( ) in order; ValueError for another sign."""
    found, number = [], ""
    for char in text + " ":
        if char.isdigit():
            number += char
            continue
        if number:
            found.append(int(number))
            number = ""
        if char in "+-*()":
            found.append(char)
        elif not char.isspace():
            raise ValueError("unknown sign")
    return found
''',
        "PKG/evaluate.py": '''\
"""The value of a sum, with the usual precedence."""

from PKG.tokens import tokens


def evaluate(text):
    """The value of a sum; ValueError if it is malformed."""
    queue = tokens(text)
    value = _sum(queue)
    if queue:
        raise ValueError("something is left over")
    return value


def _sum(queue):
    value = _product(queue)
    while queue and queue[0] in ("+", "-"):
        sign = queue.pop(0)
        term = _product(queue)
        value = value + term if sign == "+" else value - term
    return value


def _product(queue):
    value = _atom(queue)
    while queue and queue[0] == "*":
        queue.pop(0)
        value *= _atom(queue)
    return value


def _atom(queue):
    if not queue:
        raise ValueError("a number is missing")
    token = queue.pop(0)
    if token == "-":
        return -_atom(queue)
    if token == "(":
        value = _sum(queue)
        if not queue or queue.pop(0) != ")":
            raise ValueError("a bracket is not closed")
        return value
    if isinstance(token, int):
        return token
    raise ValueError("a number is missing")
''',
    },
    tests='''\
from PKG.evaluate import evaluate


def test_adding():
    assert evaluate("1 + 2 + 3") == 6


def test_multiplying():
    assert evaluate("4 * 5") == 20
''',
    bugs=(
        Bug("PKG/tokens.py", 'in text + " ":', "in text:",
            "A sum that ends in a number is refused; with a blank after the number it works."),
        Bug("PKG/evaluate.py", "        term = _product(queue)", "        term = _atom(queue)",
            "1 + 2 * 3 is refused with 'something is left over'."),
        Bug("PKG/evaluate.py", "        term = _product(queue)", "        term = _sum(queue)",
            "10 - 3 - 2 gives 9, but it is 5."),
        Bug("PKG/evaluate.py", "        return -_atom(queue)", "        return -_sum(queue)",
            "-2 + 5 gives -7, but it is 3."),
    ),
    calls=hidden_calls,
)  # fmt: skip
