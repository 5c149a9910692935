"""Blueprint: titles as parts of addresses."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
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
    calls=hidden_calls,
)  # fmt: skip
