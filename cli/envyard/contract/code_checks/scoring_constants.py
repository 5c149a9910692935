"""The texts and numbers that a wheel's scoring code compares replies with.

A reward for words that stand in the code, or for one fixed value, is found by replying with them.
Read from the code alone; nothing is imported or run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from envyard.contract.code_checks.rollout_functions import Definitions
from envyard.contract.code_checks.scoring_patterns import (
    ScoringPattern,
    counted_in,
    keys_in,
    labels_in,
    patterns_in,
    texts_of,
)
from envyard.contract.needs.code import Code, index
from envyard.contract.sources import Sources

Each = TypeVar("Each")

MAX_WORDS = 80
LONGEST = 40  # characters of one text
FEWEST_LETTERS = 2
LARGEST = 10**15  # of a number; much longer ones have no decimal text
# Keys of what frameworks pass, and names of encodings: no words of a reply.
KEYS = frozenset(
    {
        "answer", "assistant", "choices", "completion", "content", "example_id", "function",
        "ignore", "info", "messages", "metrics", "name", "prompt", "question", "replace",
        "responses", "reward", "role", "state", "system", "task", "text", "tool", "tool_calls",
        "trajectory", "turn", "type", "user", "utf-8", "utf8",
    }
)  # fmt: skip
PLAIN = re.compile(r"[^\\\n\r\t\x00]*\w[^\\\n\r\t\x00]*")  # no escape of a regular expression


@dataclass(frozen=True, slots=True)
class ScoringConstants:
    """Texts of the scoring code in the order of the code (`words`), and the texts and numbers that
    it compares by `==` or as members of a collection (`compared`).

    `patterns` and `labels` are where it reads in a text, `keys` what it reads of objects,
    `counted` what it counts. All are bounded."""

    words: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    patterns: tuple[ScoringPattern, ...] = ()
    labels: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()


NO_CONSTANTS = ScoringConstants()


def scoring_constants(members: Mapping[str, bytes]) -> ScoringConstants:
    """The constants of the functions that rollouts call, and of variables they name."""
    sources = Sources.of(members)
    codes: dict[str, Code] = {}
    for name, file in sources.files.items():
        codes[name] = index(name, file, codes)
    functions = Definitions(codes).with_nested
    named = (
        part for each in functions for part in (each.node, *(value for _, value in each.variables))
    )
    parts = [*{id(part): part for part in named}.values()]  # many functions may name one value
    values = texts_of(each for code in codes.values() for each in code.file.tree.body)
    return ScoringConstants(
        _distinct(text for part in parts for text in _texts(part)),
        _distinct(text for part in parts for text in _compared(part)),
        _distinct(each for part in parts for each in patterns_in(part, values)),
        _distinct(text for part in parts for text in labels_in(part, values)),
        _distinct(key for part in parts for key in keys_in(part) if key not in KEYS),
        _distinct(text for part in parts for text in counted_in(part, values)),
    )


def _distinct(values: Iterable[Each]) -> tuple[Each, ...]:
    return tuple(islice(dict.fromkeys(values), MAX_WORDS))


def _texts(root: ast.AST) -> Iterator[str]:
    """Texts that could be words of a reply: not docstrings, keys, or parts of formatted texts."""
    skipped: set[int] = set()
    for node in ast.walk(root):
        match node:
            case ast.Expr(value=ast.Constant()):
                skipped.add(id(node.value))
            case ast.Subscript(slice=ast.Constant()):
                skipped.add(id(node.slice))
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(), *_]):
                skipped.add(id(node.args[0]))
            case ast.JoinedStr():
                skipped |= {id(each) for each in node.values}
            case ast.Constant(value=str() as text) if id(node) not in skipped and _is_word(text):
                yield text.strip()


def _is_word(text: str) -> bool:
    text = text.strip()
    letters = sum(each.isalnum() for each in text)
    return (
        letters >= FEWEST_LETTERS
        and len(text) <= LONGEST
        and text.isprintable()
        and PLAIN.fullmatch(text) is not None
        and text.casefold() not in KEYS
    )


def _compared(root: ast.AST) -> Iterator[str]:
    """Constants on either side of `==`, and members of collections in `in (...)`."""
    for node in ast.walk(root):
        if not isinstance(node, ast.Compare):
            continue
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.Eq):
                yield from _values([node.left, right])
            elif isinstance(operator, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
                yield from _values(right.elts)


def _values(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=str() as text) if _is_word(text):
                yield text.strip()
            case ast.Constant(value=int() | float() as number) if 1 < abs(number) < LARGEST:
                yield str(number)
