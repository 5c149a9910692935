"""Blueprint: bills with discounts, tax and shipping."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.rounding", "share", [250, 5]),
        ("PKG.bill", "line_total", [[4, 999, 10]]),
        ("PKG.bill", "total", [[[1, 10, 0], [1, 10, 0], [1, 10, 0]], 4]),
        ("PKG.bill", "shipping", [[[1, 5000, 0]], 0]),
    ]
    for _ in range(15):
        lines = [
            [rng.randint(1, 9), rng.randint(5, 2500), rng.choice((0, 5, 10, 33))]
            for _ in range(rng.randint(1, 5))
        ]
        calls.append(("PKG.bill", "total", [lines, rng.choice((0, 7, 19, 21))]))
        calls.append(("PKG.bill", "shipping", [lines, 19]))
    return calls


INVOICE = Blueprint(
    noun="invoice",
    files={
        "PKG/rounding.py": '''\
"""Money in whole cents."""


def share(cents, percent):
    """`percent` of an amount that is not negative, in cents, half a cent rounded up."""
    return (cents * percent + 50) // 100
''',
        "PKG/bill.py": '''\
"""Lines and totals of a bill; a line is [quantity, unit price in cents, discount in percent]."""

from PKG.rounding import share


def line_total(line):
    """Price of one line after its discount."""
    quantity, price, discount = line
    gross = quantity * price
    return gross - share(gross, discount)


def total(lines, tax_percent):
    """Sum of the lines plus tax, the tax rounded once, on the sum."""
    net = sum(line_total(line) for line in lines)
    return net + share(net, tax_percent)


def shipping(lines, tax_percent):
    """490 cents below 50 euros, free from there on."""
    return 0 if total(lines, tax_percent) >= 5000 else 490
''',
    },
    tests='''\
from PKG.bill import line_total, total


def test_a_line_without_discount():
    assert line_total([3, 200, 0]) == 600


def test_tax_on_a_round_sum():
    assert total([[1, 1000, 0]], 20) == 1200
''',
    bugs=(
        Bug("PKG/rounding.py", "(cents * percent + 50) // 100", "cents * percent // 100",
            "Tax is one cent too low on many bills, as if half cents were dropped."),
        Bug("PKG/bill.py", "share(gross, discount)", "share(price, discount)",
            "The discount does not grow when I buy more than one of a thing."),
        Bug("PKG/bill.py", "net + share(net, tax_percent)",
            "net + sum(share(line_total(line), tax_percent) for line in lines)",
            "The tax of bills with many small lines does not match the tax of their sum."),
        Bug("PKG/bill.py", ">= 5000", "> 5000",
            "A bill of exactly 50 euros is charged for shipping; it should be free from 50 on."),
    ),
    calls=hidden_calls,
)  # fmt: skip
