"""What the calculator can do: five operations on whole numbers of up to 15 digits."""

from collections.abc import Callable

LIMIT = 10**15
"""Numbers stay below this: JSON readers that use floats still carry them exactly."""


def _floor(a: int, b: int) -> int:
    if b == 0:
        raise ValueError("b is 0, and nothing can be divided by 0")
    return a // b


def _remainder(a: int, b: int) -> int:
    return a - _floor(a, b) * b


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": _floor,
    "remainder": _remainder,
}


def compute(operation: str, a: int, b: int) -> int:
    """One operation; ValueError names the argument that breaks a rule."""
    for name, number in (("a", a), ("b", b)):
        if abs(number) >= LIMIT:
            raise ValueError(f"{name} has more than 15 digits; use smaller steps")
    return OPERATIONS[operation](a, b)
