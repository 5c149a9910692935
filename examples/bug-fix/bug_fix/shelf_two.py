"""Blueprints: roman numerals, a calculator, a calendar, a stock ledger."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call

ROMAN = Blueprint(
    noun="numerals",
    files={
        "PKG/table.py": '''\
"""Roman signs by value, the largest first."""

SIGNS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]
VALUES = {sign: value for value, sign in SIGNS if len(sign) == 1}
''',
        "PKG/convert.py": '''\
"""Between numbers and Roman numerals."""

from PKG.table import SIGNS, VALUES


def to_roman(number):
    """The numeral of 1 to 3999; ValueError for anything else."""
    if not 1 <= number <= 3999:
        raise ValueError("only 1 to 3999 have a numeral")
    text = ""
    for value, sign in SIGNS:
        while number >= value:
            text += sign
            number -= value
    return text


def from_roman(text):
    """The number of a numeral in the usual form; ValueError for anything else."""
    total = 0
    for sign, following in zip(text, text[1:] + " "):
        value = VALUES.get(sign, 0)
        total += -value if VALUES.get(following, 0) > value else value
    if total < 1 or to_roman(total) != text:
        raise ValueError("not a numeral")
    return total
''',
    },
    tests='''\
from PKG.convert import from_roman, to_roman


def test_small_numbers():
    assert [to_roman(n) for n in (1, 2, 3, 5, 6)] == ["I", "II", "III", "V", "VI"]


def test_reading_a_sum():
    assert from_roman("XVI") == 16
''',
    bugs=(
        Bug("PKG/table.py", '"L"), (40, "XL"), (10', '"L"), (10',
            "44 is written XXXXIV instead of XLIV."),
        Bug("PKG/convert.py", "while number >= value", "while number > value",
            "Most numerals are cut short: 10 is written IX and 2 is written I."),
        Bug("PKG/convert.py", "> value else value", ">= value else value",
            "Reading XX or III fails with an error, although they are fine numerals."),
        Bug("PKG/convert.py", "or to_roman(total) != text", "or total > 3999",
            "IIII and IC are read as numbers; they should be refused with ValueError."),
    ),
    calls=lambda rng: roman_calls(rng),
)  # fmt: skip


def roman_calls(rng: random.Random) -> list[Call]:
    calls: list[Call] = [
        ("PKG.convert", "from_roman", [text])
        for text in ("XX", "III", "IIII", "IC", "MCMXCIV", "", "ABC")
    ]
    calls += [("PKG.convert", "to_roman", [number]) for number in (0, 10, 44, 3999, 4000)]
    for _ in range(20):
        calls.append(("PKG.convert", "to_roman", [rng.randint(1, 3999)]))
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
    calls=lambda rng: calculator_calls(rng),
)  # fmt: skip


def calculator_calls(rng: random.Random) -> list[Call]:
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


CALENDAR = Blueprint(
    noun="days",
    files={
        "PKG/years.py": '''\
"""Lengths of years and months in the Gregorian calendar."""

LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    """Every fourth year, but of the centuries only every fourth."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year, month):
    """Days of a month, January being 1."""
    return LENGTHS[month - 1] + (1 if month == 2 and is_leap(year) else 0)
''',
        "PKG/dates.py": '''\
"""Counting days; a date is [year, month, day]."""

from PKG.years import month_length


def day_of_year(date):
    """1 for the first of January."""
    year, month, day = date
    return sum(month_length(year, m) for m in range(1, month)) + day


def next_day(date):
    """The day after."""
    year, month, day = date
    if day < month_length(year, month):
        return [year, month, day + 1]
    if month < 12:
        return [year, month + 1, 1]
    return [year + 1, 1, 1]


def add_days(date, count):
    """The date `count` days later."""
    for _ in range(count):
        date = next_day(date)
    return date
''',
    },
    tests='''\
from PKG.dates import add_days, next_day
from PKG.years import is_leap


def test_a_usual_leap_year():
    assert is_leap(2024)
    assert not is_leap(2023)


def test_a_day_within_a_month():
    assert next_day([2023, 5, 4]) == [2023, 5, 5]
    assert add_days([2023, 5, 4], 3) == [2023, 5, 7]
''',
    bugs=(
        Bug("PKG/years.py", "(year % 100 != 0 or year % 400 == 0)", "year % 100 != 0",
            "29 February 2000 does not exist for this library, though it did."),
        Bug("PKG/years.py", "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
            "year % 4 == 0", "The library thinks that 1900 and 2100 are leap years."),
        Bug("PKG/dates.py", "for m in range(1, month)", "for m in range(1, month + 1)",
            "The first of January is said to be day 32 of the year."),
        Bug("PKG/dates.py", "    return [year + 1, 1, 1]", "    return [year, 1, 1]",
            "New Year's Eve is followed by the first of January of the same year."),
    ),
    calls=lambda rng: calendar_calls(rng),
)  # fmt: skip


def calendar_calls(rng: random.Random) -> list[Call]:
    calls: list[Call] = [
        ("PKG.years", "is_leap", [year]) for year in (1900, 2000, 2023, 2024, 2100, 2400)
    ]
    calls += [
        ("PKG.dates", "day_of_year", [[2023, 1, 1]]),
        ("PKG.dates", "next_day", [[2000, 2, 28]]),
        ("PKG.dates", "next_day", [[2023, 12, 31]]),
    ]
    for _ in range(12):
        date = [rng.randint(1890, 2110), rng.randint(1, 12), rng.randint(1, 28)]
        calls.append(("PKG.dates", "day_of_year", [date]))
        calls.append(("PKG.dates", "add_days", [date, rng.randint(0, 400)]))
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
    calls=lambda rng: ledger_calls(rng),
)  # fmt: skip


def ledger_calls(rng: random.Random) -> list[Call]:
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
