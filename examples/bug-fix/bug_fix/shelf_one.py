"""Blueprints: pages, intervals, invoices, slugs."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call

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
    calls=lambda rng: pages_calls(rng),
)  # fmt: skip


def pages_calls(rng: random.Random) -> list[Call]:
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


INTERVALS = Blueprint(
    noun="spans",
    files={
        "PKG/merge.py": '''\
"""Joining half-open spans [start, end]."""


def merge(spans):
    """Sorted spans with overlapping and touching ones joined."""
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined
''',
        "PKG/measure.py": '''\
"""Lengths and gaps of spans."""

from PKG.merge import merge


def covered(spans):
    """How much the spans cover, counting overlaps once."""
    return sum(end - start for start, end in merge(spans))


def gaps(spans, start, end):
    """The parts of [start, end] that no span covers."""
    free, at = [], start
    for low, high in merge(spans):
        if low > at:
            free.append([at, min(low, end)])
        at = max(at, high)
        if at >= end:
            break
    if at < end:
        free.append([at, end])
    return free
''',
    },
    tests='''\
from PKG.measure import covered
from PKG.merge import merge


def test_distant_spans_stay_apart():
    assert merge([[5, 6], [1, 2]]) == [[1, 2], [5, 6]]


def test_distant_spans_add_up():
    assert covered([[0, 3], [10, 14]]) == 7
''',
    bugs=(
        Bug("PKG/merge.py", "joined[-1][1] = max(joined[-1][1], end)", "joined[-1][1] = end",
            "A short booking inside a long one makes the long one end too early."),
        Bug("PKG/merge.py", "start <= joined[-1][1]", "start < joined[-1][1]",
            "Bookings 9-10 and 10-11 should become one block, but I see two."),
        Bug("PKG/measure.py", "at = max(at, high)", "at = high + 1",
            "Free time always begins a minute late after a booking."),
        Bug("PKG/measure.py", "    if at < end:\n", "    if at < end and not free:\n",
            "The free time at the end of the day is missing when there was a break before."),
    ),
    calls=lambda rng: interval_calls(rng),
)  # fmt: skip


def interval_calls(rng: random.Random) -> list[Call]:
    calls: list[Call] = [
        ("PKG.merge", "merge", [[[1, 9], [2, 3]]]),
        ("PKG.merge", "merge", [[[9, 10], [10, 11]]]),
        ("PKG.measure", "gaps", [[[2, 3], [5, 6]], 0, 10]),
        ("PKG.measure", "covered", [[]]),
    ]
    for _ in range(12):
        spans = []
        for _ in range(rng.randint(1, 6)):
            start = rng.randint(0, 40)
            spans.append([start, start + rng.randint(1, 12)])
        calls.append(("PKG.merge", "merge", [spans]))
        calls.append(("PKG.measure", "covered", [spans]))
        calls.append(("PKG.measure", "gaps", [spans, 5, rng.randint(20, 60)]))
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
    calls=lambda rng: invoice_calls(rng),
)  # fmt: skip


def invoice_calls(rng: random.Random) -> list[Call]:
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


SLUGS = Blueprint(
    noun="titles",
    files={
        "PKG/slug.py": '''\
"""Titles as parts of an address."""


def slugify(title, limit=40):
    """Lower-case letters and digits, everything else one hyphen, cut at a word if too long."""
    words, word = [], ""
    for char in title.lower() + " ":
        if char.isascii() and char.isalnum():
            word += char
        elif word:
            words.append(word)
            word = ""
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > limit:
            break
        slug = longer
    return slug or "untitled"
''',
        "PKG/names.py": '''\
"""Slugs that do not collide."""

from PKG.slug import slugify


def unique(title, taken):
    """The title's slug, with -2, -3, ... where it is taken."""
    base = slugify(title)
    if base not in taken:
        return base
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"
''',
    },
    tests='''\
from PKG.names import unique
from PKG.slug import slugify


def test_a_plain_title():
    assert slugify("Red Apples") == "red-apples"


def test_a_free_name_is_kept():
    assert unique("Red Apples", []) == "red-apples"
''',
    bugs=(
        Bug("PKG/slug.py", 'title.lower() + " "', "title.lower()",
            "The last word of a title never makes it into the address."),
        Bug("PKG/slug.py", "elif word:", "else:",
            "Titles with a comma or two spaces get addresses with double hyphens."),
        Bug("PKG/slug.py", "len(longer) > limit", "len(longer) >= limit",
            "A title whose address is exactly as long as the limit loses its last word."),
        Bug("PKG/names.py", 'while f"{base}-{number}" in taken', 'if f"{base}-{number}" in taken',
            "The fourth page with one title overwrites the third one."),
    ),
    calls=lambda rng: slug_calls(rng),
)  # fmt: skip


def slug_calls(rng: random.Random) -> list[Call]:
    calls: list[Call] = [
        ("PKG.slug", "slugify", ["Hello, big  World"]),
        ("PKG.slug", "slugify", ["one two", 7]),
        ("PKG.slug", "slugify", ["!!!"]),
        ("PKG.names", "unique", ["a b", ["a-b", "a-b-2", "a-b-3"]]),
    ]
    words = ("Blue", "cat", "42nd", "Street", "& Sons", "no.", "Zoe's", "", "end-to-end", "x")
    for _ in range(15):
        title = " ".join(rng.choices(words, k=rng.randint(1, 8)))
        calls.append(("PKG.slug", "slugify", [title, rng.randint(4, 30)]))
        taken = [["x", "x-2"], ["cat"], ["x", "x-2", "x-3", "x-4"]][rng.randrange(3)]
        calls.append(("PKG.names", "unique", [rng.choice(("x", "cat", "X!", title)), taken]))
    return calls
