"""Texts that regular expressions of the scoring code match, built without executing any.

The patterns are of a stranger's wheel, so they are parsed (by the parser of Python's own `re`) and
never run: a hostile one could take for ever.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from re import _constants as kind  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from envyard.contract.code_checks.scoring_patterns import ScoringPattern, is_plain

LONGEST = 200  # characters of one text
FEWEST_LETTERS = 3
MOST_REPEATS = 40
MOST_STEPS = 2_000  # of one text: its items, and the members of their classes
KEPT = 2_000  # texts; a run needs the same ones for each of its mutants
MARK = "\x00"  # an answer's place; a plain text has none
PREFERRED = "ae \n-.:"  # of a class without digits
SPACED = re.compile(r"(?<! ) {1,3}([:=])")
PRINTABLE = [chr(code) for code in range(33, 127)]


class Unmatchable(ValueError):
    """No text is built for this pattern."""


@dataclass(slots=True)
class Builder:
    """Build one text for a pattern: `branch` of each alternative (from the end where negative), and
    `number` for each run of digits. `answer` stands in the place of `group`."""

    branch: int = 0
    number: str = "10"
    group: int | None = None
    answer: str = ""
    groups: dict[int, str] = field(default_factory=dict)
    literal: list[str] = field(default_factory=list)
    steps: int = 0

    def build(self, items: Iterable[tuple[Any, Any]]) -> str:
        """The text of a sequence of the parsed pattern; raises Unmatchable."""
        text = ""
        for name, value in items:
            self.steps += 1
            text += self._one(name, value)
            if len(text) > LONGEST or self.steps > MOST_STEPS:
                raise Unmatchable
        return text

    def _one(self, name: Any, value: Any) -> str:
        if name is kind.LITERAL:
            self.literal.append(chr(value))
            return chr(value)
        if name is kind.NOT_LITERAL:
            return "b" if value == ord("a") else "a"
        if name is kind.ANY:
            return "a"
        if name is kind.IN:
            self.steps += len(value)
            return _member(value, self.number[:1])
        if name is kind.BRANCH:
            options = value[1]
            return self.build(options[min(self.branch, len(options) - 1)])
        if name is kind.SUBPATTERN:
            return self._group(value[0], value[3])
        if name in (kind.MAX_REPEAT, kind.MIN_REPEAT, kind.POSSESSIVE_REPEAT):
            return self._repeated(*value)
        if name is kind.ATOMIC_GROUP:
            return self.build(value)
        if name is kind.GROUPREF:
            return self.groups.get(value, "")
        if name in (kind.AT, kind.ASSERT, kind.ASSERT_NOT):
            return ""
        raise Unmatchable

    def _group(self, number: int | None, items: Any) -> str:
        if number is not None and number == self.group:
            return self.answer
        text = self.build(items)
        if number is not None:
            self.groups[number] = text
        return text

    def _repeated(self, least: int, most: int, items: Any) -> str:
        if least > MOST_REPEATS:
            raise Unmatchable
        member = _class_of(items)
        self.steps += len(member or ())
        if member is not None and _takes(member, "1") and not _takes(member, "a"):
            wanted = self.number if least <= len(self.number) <= most else self.number[:1]
            digits = wanted if all(_takes(member, each) for each in wanted) else ""
            return digits.ljust(least, "0") if digits or least else ""
        if member is not None and _takes(member, " ") and not _takes(member, "a"):
            return " " * max(least, min(1, most))
        if _holds_group(items, self.group) or (member is not None and _takes(member, "a")):
            least = max(least, min(1, most))
        return "".join(self.build(items) for _ in range(least))


def samples(patterns: Iterable[ScoringPattern], *, branch: int, number: str) -> Iterator[str]:
    """One text for each pattern that has a word of its own, with this branch of each alternative
    and this number; patterns that cannot be parsed have none."""
    yield from filter(None, (_sample(each, branch, number) for each in patterns))


@lru_cache(maxsize=KEPT)
def _sample(pattern: ScoringPattern, branch: int, number: str) -> str:
    builder = Builder(branch=branch, number=number)
    text = _built(builder, _parsed(pattern)).strip()
    is_own = sum(each.isalpha() for each in builder.literal) >= FEWEST_LETTERS
    return text if is_own and is_plain(text) else ""


def surroundings_of_groups(patterns: Iterable[ScoringPattern]) -> Iterator[tuple[str, str]]:
    """What stands before and behind the only group of each pattern, where that is not nothing."""
    yield from filter(None, map(_surroundings, patterns))


@lru_cache(maxsize=KEPT)
def _surroundings(pattern: ScoringPattern) -> tuple[str, str] | None:
    parsed = _parsed(pattern)
    if parsed is None or parsed.state.groups != 2:  # the whole text is counted as a group
        return None
    before, mark, after = _built(Builder(group=1, answer=MARK), parsed).partition(MARK)
    is_place = mark and (before + after).strip() and is_plain(before + after)
    return (before, after) if is_place else None


def _built(builder: Builder, parsed: Any) -> str:
    """The text of a parsed pattern; empty without one."""
    try:
        # White space before a colon and around the whole is optional in nearly all patterns.
        return SPACED.sub(r"\1", builder.build(parsed or ())).strip(" ")
    except (Unmatchable, RecursionError):
        return ""


def _parsed(pattern: ScoringPattern) -> Any:
    """The parsed pattern; None where it cannot be parsed. The parser warns of some patterns."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return parser.parse(pattern.text, re.VERBOSE if pattern.verbose else 0)
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


def _class_of(items: Any) -> Any:
    """The class of a sequence that is one character, such as `\\d` or `[\\d.]`; None otherwise."""
    items = list(items)
    if len(items) != 1:
        return None
    name, value = items[0]
    if name is kind.IN:
        return value
    if name is kind.LITERAL:
        return [(name, value)]
    return None


def _member(members: Any, digit: str) -> str:
    """A character of a class, this digit where it has digits."""
    characters = (digit, "1", *PREFERRED, *PRINTABLE)
    taken: str | None = next((each for each in characters if _takes(members, each)), None)
    if taken is None:
        raise Unmatchable
    return taken


def _takes(members: Any, character: str) -> bool:
    """Whether a class has this character."""
    code, negated, taken = ord(character), False, False
    for name, value in members:
        if name is kind.NEGATE:
            negated = True
        elif name is kind.LITERAL:
            taken |= value == code
        elif name is kind.RANGE:
            taken |= value[0] <= code <= value[1]
        elif name is kind.CATEGORY:
            taken |= _in_category(value, character)
    return taken != negated


def _in_category(category: Any, character: str) -> bool:
    return {
        kind.CATEGORY_DIGIT: character.isdecimal(),
        kind.CATEGORY_NOT_DIGIT: not character.isdecimal(),
        kind.CATEGORY_SPACE: character.isspace(),
        kind.CATEGORY_NOT_SPACE: not character.isspace(),
        kind.CATEGORY_WORD: character.isalnum() or character == "_",
        kind.CATEGORY_NOT_WORD: not (character.isalnum() or character == "_"),
    }.get(category, False)


def _holds_group(items: Any, group: int | None) -> bool:
    return group is not None and any(
        name is kind.SUBPATTERN and value[0] == group for name, value in items
    )
