"""The value of an answer that is a calculation, such as `(3 + 4) * 6`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction

SHAPE = re.compile(r"[\d\s+*/()x\u00d7\u00f7-]{3,80}")
SIGNS = str.maketrans({"x": "*", "\u00d7": "*", "\u00f7": "/"})
OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def whole_value(answer: str) -> int | None:
    """The whole number that a calculation of two whole numbers or more gives; None for any other
    text."""
    if not SHAPE.fullmatch(answer):
        return None
    try:
        tree = ast.parse(answer.strip().translate(SIGNS), mode="eval").body
        value = _value(tree) if isinstance(tree, ast.BinOp) else None
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return int(value) if value is not None and value.denominator == 1 else None


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() as number):
            return Fraction(number)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_value(left), _value(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
    raise ValueError(f"no arithmetic: {ast.dump(node)}")
