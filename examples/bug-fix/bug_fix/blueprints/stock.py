"""Blueprint: costs and profits of a stock, oldest first."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.batches", "take", [[[2, 5], [3, 7]], 4]),
        ("PKG.batches", "take", [[[2, 5]], 2]),
        ("PKG.batches", "take", [[[2, 5]], 3]),
        ("PKG.book", "profit", [[["buy", 2, 5], ["buy", 2, 9], ["sell", 1, 9], ["sell", 2, 9]]]),
    ]
    for _ in range(12):
        entries, stock = [], 0
        for _ in range(rng.randint(2, 9)):
            if stock and rng.random() < 0.5:
                count = rng.randint(1, stock)
                stock -= count
                entries.append(["sell", count, rng.randint(5, 40)])
            else:
                count = rng.randint(1, 9)
                stock += count
                entries.append(["buy", count, rng.randint(2, 30)])
        calls.append(("PKG.book", "profit", [entries]))
        calls.append(("PKG.book", "worth", [entries]))
    return calls


LEDGER = Blueprint(
    noun="stock",
    files={
        "PKG/batches.py": '''\
"""Batches of a good, the oldest first; a batch is [count, price of one]."""


def take(batches, count):
    """What `count` pieces cost, oldest first, and the batches left; ValueError if too few."""
    if sum(have for have, _ in batches) < count:
        raise ValueError("not enough in stock")
    cost, left = 0, []
    for have, price in batches:
        used = min(have, count)
        count -= used
        cost += used * price
        if have > used:
            left.append([have - used, price])
    return [cost, left]
''',
        "PKG/book.py": '''\
"""A book of purchases and sales; an entry is ["buy", count, price] or ["sell", count, price]."""

from PKG.batches import take


def profit(entries):
    """What the sales brought minus what the sold pieces had cost."""
    batches, made = [], 0
    for kind, count, price in entries:
        if kind == "buy":
            batches = batches + [[count, price]]
        else:
            cost, batches = take(batches, count)
            made += count * price - cost
    return made


def worth(entries):
    """What the pieces still in stock had cost."""
    batches = []
    for kind, count, price in entries:
        if kind == "buy":
            batches = batches + [[count, price]]
        else:
            batches = take(batches, count)[1]
    return sum(count * price for count, price in batches)
''',
    },
    tests='''\
from PKG.book import profit, worth


def test_one_batch():
    assert profit([["buy", 4, 10], ["sell", 1, 15]]) == 5


def test_nothing_sold():
    assert worth([["buy", 4, 10]]) == 40
''',
    bugs=(
        Bug("PKG/batches.py", "count -= used\n        cost += used * price", "cost += used * price",
            "Selling from two batches costs far more than what was sold."),
        Bug("PKG/batches.py", "< count:", "<= count:",
            "I cannot sell my last piece: it says that there is not enough in stock."),
        Bug("PKG/book.py", "batches = batches + [[count, price]]\n        else:\n            cost",
            "batches = [[count, price]] + batches\n        else:\n            cost",
            "The profit is computed with the newest prices; the oldest pieces are sold first."),
        Bug("PKG/book.py", "made += count * price - cost", "made = count * price - cost",
            "The profit only ever shows the last sale."),
    ),
    calls=hidden_calls,
)  # fmt: skip
