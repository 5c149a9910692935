"""Arithmetic written out in steps of one digit: `worked("23 * 45")`.

A small model learns the carries of a result whose last digit comes first, so each step has its
result twice: `23 * 5 (511) 115`. A product of two long numbers is a sum of such products.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

OPERATIONS: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Div: ("/", operator.floordiv),
}


def worked(expression: str) -> tuple[list[str], int]:
    """The steps of the expression in the order of evaluation, and its value."""
    return walk(ast.parse(expression, mode="eval").body)


def walk(node: ast.expr) -> tuple[list[str], int]:
    """The same for a part of it; raises ValueError for anything but numbers and operations."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return [], node.value
    if not isinstance(node, ast.BinOp) or type(node.op) not in OPERATIONS:
        raise ValueError(f"{ast.unparse(node)} is no operation on whole numbers")
    before, a = walk(node.left)
    more, b = walk(node.right)
    sign, compute = OPERATIONS[type(node.op)]
    steps = product(a, b) if sign == "*" else [step(a, sign, b, compute(a, b))]
    return [*before, *more, *steps], compute(a, b)


def step(a: int, sign: str, b: int, result: int) -> str:
    """One operation; a quotient is written from its first digit on, as in long division."""
    if "/" in sign:
        return f"{a} {sign} {b} = {result}"
    return f"{a} {sign} {b} ({str(result)[::-1]}) {result}"


def product(a: int, b: int) -> list[str]:
    """One step for each digit of the shorter number, then the sums."""
    if len(str(a)) < len(str(b)):
        a, b = b, a
    steps: list[str] = []
    total = 0
    for place, digit in enumerate(reversed(str(b))):
        part = a * int(digit)
        steps.append(step(a, "*", int(digit), part))
        shifted = part * 10**place
        if place:
            steps.append(step(total, "+", shifted, total + shifted))
        total += shifted
    return steps


def with_workings(line: str) -> str:
    """A line `label: expression = value` with the steps before the value; another line as it is."""
    match = re.fullmatch(r"(.*: )(.+) = (\d+)", line)
    if match is None:
        return line
    label, expression, value = match.groups()
    steps, _ = worked(expression)
    return f"{label}{expression} = {', '.join(steps)} = {value}"


def thoughts(question: str) -> str:
    """The way to the answer of a question of double-check, one line; ValueError for another."""
    for pattern, way in WAYS:
        match = re.search(pattern, question)
        if match:
            return ", ".join(way(*match.groups()))
    raise ValueError(f"no way is known to the answer of: {question}")


def chained(*expressions: str) -> list[str]:
    """The steps of expressions; `_` in one stands for the value of the one before."""
    steps: list[str] = []
    value = 0
    for expression in expressions:
        more, value = worked(expression.replace("_", str(value)))
        steps += more
    return steps


def next_term(*terms: str) -> list[str]:
    """The last difference grows as it did before."""
    a, b, c = map(int, terms)
    return chained(f"{c} - {b}", f"{b} - {a}", f"{c - b} - {b - a}", f"{c - b} + _", f"{c} + _")


def handshakes(people: str, absent: str) -> list[str]:
    """Each of the present with each other one."""
    there = int(people) - int(absent)
    return chained(f"{people} - {absent}", f"{there} - 1", f"{there} * _", "_ / 2")


def letters(word: str, times: str, letter: str) -> list[str]:
    """How often the word has the letter, times the words."""
    return chained(f"{times} * {word.count(letter)}")


def multiples(low: str, high: str, by: str) -> list[str]:
    """The multiples up to the end, less those before the start."""
    end = int(high) // int(by)
    return (
        chained(f"{low} - 1", f"_ // {by}")
        + chained(f"{high} // {by}")
        + chained(f"{end} - {(int(low) - 1) // int(by)}")
    )


WAYS: tuple[tuple[str, Callable[..., list[str]]], ...] = (
    (r"(\d+), (\d+), (\d+)\. What comes next", next_term),
    (r"at (\d+):(\d+) and arrives at (\d+):(\d+)", lambda h, m, hour, minute: chained(
        f"{int(hour)} - {int(h)}", "60 * _", f"_ + {int(minute)}", f"_ - {int(m)}")),
    (r"is (\d+) years older .* are (\d+) years", lambda gap, both: chained(
        f"{both} - {gap}", "_ / 2", "365 * _")),
    (r"buys (\d+) notebooks at (\d+) cents .* with (\d+) coins", lambda count, price, paid: chained(
        f"{price} * {count}", f"{paid}00 - _")),
    (r"from (\d+) to (\d+), .* by (\d+)", multiples),
    (r"invites (\d+) guests, of whom (\d+) stay", handshakes),
    (r'"(\w+)" is written (\d+) times.* letter "(\w)"', letters),
)  # fmt: skip
