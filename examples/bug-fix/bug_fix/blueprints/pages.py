"""Blueprint: splitting a list into pages."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.counting", "page_count", [0, 5]),
        ("PKG.counting", "page_count", [11, 5]),
        ("PKG.counting", "page_count", [3, 0]),
        ("PKG.slicing", "page_items", [[], 1, 3]),
        ("PKG.slicing", "page_items", [list(range(9)), 2, 3]),
        ("PKG.slicing", "links", [2, 20, 5]),
    ]
    for _ in range(12):
        total, size, number = rng.randint(1, 40), rng.randint(1, 9), rng.randint(-2, 12)
        calls.append(("PKG.slicing", "page_items", [list(range(total)), number, size]))
        calls.append(("PKG.slicing", "links", [number, total, size, rng.randint(1, 3)]))
    return calls


PAGES = Blueprint(
    noun="pages",
    files={
        "PKG/counting.py": '''\
"""How many pages a list fills."""


def page_count(total, size):
    """Pages needed for `total` items; an empty list still has one page."""
    if size < 1:
        raise ValueError("size must be at least 1")
    return max(1, -(-total // size))


def clamp(number, total, size):
    """The nearest existing page number, counted from 1."""
    return min(max(number, 1), page_count(total, size))
''',
        "PKG/slicing.py": '''\
"""What stands on a page, and which page links to show."""

from PKG.counting import clamp, page_count


def page_items(items, number, size):
    """The items of a page; numbers out of range give the nearest page."""
    number = clamp(number, len(items), size)
    start = (number - 1) * size
    return items[start : start + size]


def links(number, total, size, around=1):
    """Page numbers next to `number`, at most `around` away, within the existing pages."""
    last = page_count(total, size)
    number = clamp(number, total, size)
    return list(range(max(1, number - around), min(last, number + around) + 1))
''',
    },
    tests='''\
from PKG.counting import page_count
from PKG.slicing import page_items


def test_ten_items_fill_two_pages_of_five():
    assert page_count(10, 5) == 2


def test_the_first_page_holds_the_first_items():
    assert page_items(list("abcdef"), 1, 2) == ["a", "b"]
''',
    bugs=(
        Bug("PKG/counting.py", "max(1, -(-total // size))", "max(1, total // size)",
            "With 11 rows and 5 rows a page I get two pages; the last row is unreachable."),
        Bug("PKG/counting.py", "max(1, -(-total // size))", "-(-total // size)",
            "An empty search result has 0 pages, but the template expects page 1 of 1."),
        Bug("PKG/slicing.py", "start = (number - 1) * size", "start = number * size - 1",
            "Page 2 of my list starts with the last row of page 1 instead of the next one."),
        Bug("PKG/slicing.py", "min(last, number + around) + 1", "min(last, number + around)",
            "The link to the next page is missing from the pager, on every page."),
    ),
    calls=hidden_calls,
)  # fmt: skip
