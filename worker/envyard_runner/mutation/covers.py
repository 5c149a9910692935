"""Another choice of as many named sets, where a prompt lists these and wants as few of them as
possible that cover everything, or as many as possible of which no two have anything in common.

The reference must be such a best choice as the prompt is read; then any other of its size is as
right, unless the prompt says which of several it wants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import combinations, zip_longest
from math import comb

from envyard_runner.mutation.forms import parsed

FEWEST_SETS, MOST_SETS = 4, 40
MOST_LINES, LONGEST_LINE = 400, 1_000  # of a prompt, and characters
MOST_CHOICES = 30_000  # that are compared: two names of 40 are 780, four are 91,390
NAME = re.compile(r"[^\W_][\w .'&-]{0,39}")
LINE = re.compile(
    r"[ \t]{0,8}(?:[-*\u2022][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?"
    r"(?P<name>[^\W_][^:=>\u2192\n]{0,39}?)"
    r"[ \t]{0,4}(?::|=|->|\u2192|\b(?:covers|reaches|serves|contains|knows|needs|uses|teaches)\b)"
    r"[ \t]{0,4}(?P<items>\S.*)"
)
PARTED = re.compile(r"\s{0,4}(?:,(?:\s{1,4}and\b)?|;|\band\b)\s{0,4}")
# What stands between the names of an answer: spaces where nothing else does.
BETWEEN = (
    re.compile(r"(\s{0,4}(?:,(?:\s{1,4}and\b)?|;|\band\b|\+)\s{0,4})"),
    re.compile(r"(\s{1,4})"),
)
REQUIRED = re.compile(r"\b(?:needed|required|to (?:be )?cover(?:ed)?|wanted)\b", re.IGNORECASE)
FEW = re.compile(
    r"\bas few\b|\bfewest\b|\b(?:smallest|minimum|minimal|least|lowest) (?:possible )?"
    r"(?:number|set|group|team|selection|choice|cover)\b|\bminimi[sz]e the number\b",
    re.IGNORECASE,
)
COVER = re.compile(r"\bcover|\b(?:every|each|all) ", re.IGNORECASE)
MANY = re.compile(
    r"\bas many\b|\b(?:largest|maximum|maximal|greatest|biggest|highest) (?:possible )?"
    r"(?:number|set|group|team|selection|choice)\b|\bmaximi[sz]e the number\b",
    re.IGNORECASE,
)
APART = re.compile(
    r"\bno two\b|\bconflict|\bdisjoint\b|\bin common\b|\boverlap|\bshare\b", re.IGNORECASE
)
# What may decide between choices of one size, or want more of a choice.
MORE_WANTED = re.compile(
    r"\bfirst\b|\bearliest\b|\blexicograph|\bprefer|\bties?\b|\bcosts?\b|\bpric|\bcheap|\bexpens"
    r"|\bweigh|\bcapacit|\bbudget|\bbest\b|\b(?:must|may|can|should|do|does) not\b|\bcannot\b"
    r"|\bnever\b|n't\b|\bunless\b|\bexcept|\bmust (?:include|contain|use|be (?:built|chosen))\b"
    r"|\balways\b|\balready\b|\bneighbo|\badjacent\b|\bconnected\b|\bat most\b|\bno more than\b"
    r"|\bat least (?:two|three|\d)|\bexactly (?:one|once|two)\b|\btwice\b|\bthen\b"
    r"|\balphabetical(?:ly)? (?:smallest|lowest|least)|\btotal\b|\bpriorit|\bif (?:several|more|two"
    r"|there)\b",
    re.IGNORECASE,
)
ANY_RIGHT = re.compile(
    r"(?:\bif (?:several|more|two|there)\b|\bties?\b)[^.\n]{0,80}\b(?:any|either|one of them|all)\b"
    r"[^.\n]{0,40}",
    re.IGNORECASE,
)

Sets = Mapping[str, frozenset[str]]
Fits = Callable[[tuple[str, ...]], bool]


def other_choice(answer: str, prompt: str) -> str | None:
    """Another best choice of as many names; None where there is none, or where the prompt may want
    more of it."""
    few = FEW.search(prompt) and COVER.search(prompt)
    many = MANY.search(prompt) and APART.search(prompt)
    if bool(few) == bool(many) or MORE_WANTED.search(ANY_RIGHT.sub("", prompt)):
        return None
    sets = _sets(prompt)
    goal = next((sets.pop(name) for name in [*sets] if REQUIRED.search(name)), None)
    read = _names(answer.strip(), sets)
    if read is None or not FEWEST_SETS <= len(sets) <= MOST_SETS:
        return None
    names, written = read
    fits = _covers(sets, goal) if few else _apart(sets)
    other = _other(names, [*sets], fits, -1 if few else 1) if fits else None
    if other is None:
        return None
    return written(sorted(other) if names == sorted(names) else [*other])


def _names(text: str, sets: Collection[str]) -> tuple[list[str], Callable[[list[str]], str]] | None:
    """The different names of sets that the answer lists, and what writes others as it does; None
    where it lists something else."""
    listed = parsed(f"[{text}]") if text.startswith('"') else parsed(text)
    if isinstance(listed, list):
        readings = [([*map(str, listed)], _listed if text.startswith('"') else json.dumps)]
    else:
        split = [pattern.split(text[:LONGEST_LINE]) for pattern in BETWEEN]
        readings = [(parts[::2], partial(_joined, parts[1::2])) for parts in split]
    return next(
        ((n, write) for n, write in readings if n and len({*n}) == len(n) and {*n} <= {*sets}),
        None,
    )


def _listed(names: list[str]) -> str:
    """The items of a JSON list without its brackets."""
    return json.dumps(names)[1:-1]


def _joined(separators: list[str], names: list[str]) -> str:
    """The names with these between them."""
    return "".join(map("".join, zip_longest(names, separators, fillvalue="")))


def _sets(prompt: str) -> dict[str, frozenset[str]]:
    """The sets of the lines `name: item, item` by their names; none where a name has two."""
    sets: dict[str, frozenset[str]] = {}
    for line in prompt.split("\n", MOST_LINES)[:MOST_LINES]:
        match = LINE.fullmatch(line.rstrip()) if len(line) <= LONGEST_LINE else None
        if match is None or not NAME.fullmatch(match["name"].strip()):
            continue
        items = [each for each in PARTED.split(match["items"].strip("{}[]() .")) if each]
        name = match["name"].strip()
        if name in sets:
            return {}
        if all(map(NAME.fullmatch, items)):
            sets[name] = frozenset(each.casefold() for each in items)
    return sets


def _covers(sets: Sets, goal: frozenset[str] | None) -> Fits | None:
    """Whether a choice covers all; None where the items are the names themselves."""
    everything = goal if goal is not None else frozenset().union(*sets.values())
    if everything <= {name.casefold() for name in sets}:
        return None
    return lambda names: everything <= frozenset().union(*(sets[name] for name in names))


def _apart(sets: Sets) -> Fits:
    """Whether no two of a choice have an item in common, or name one another."""
    known = {name.casefold() for name in sets}
    if frozenset().union(*sets.values()) <= known:
        against = {name: sets[name] for name in sets}
        conflicts = {
            (one, two)
            for one, two in combinations(sets, 2)
            if two.casefold() in against[one] or one.casefold() in against[two]
        }
    else:
        conflicts = {(one, two) for one, two in combinations(sets, 2) if sets[one] & sets[two]}
    return lambda names: conflicts.isdisjoint(combinations(names, 2))


def _other(names: list[str], known: list[str], fits: Fits, better: int) -> tuple[str, ...] | None:
    """Another choice of as many, where these are a best one; `better`: by how many one would be."""
    size = len(names)
    sizes = (size + better, size)
    if sum(comb(len(known), each) for each in sizes) > MOST_CHOICES:
        return None
    own = tuple(name for name in known if name in names)
    if not fits(own) or any(map(fits, combinations(known, size + better))):
        return None
    return next((each for each in combinations(known, size) if each != own and fits(each)), None)
