"""The regular expressions and labels by which a wheel's scoring code finds what it reads.

A verifier reads an answer, or a verdict, where a pattern matches or behind a label. Replies that
have exactly these places are tried. Read from the code alone; no pattern is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

LONGEST_PATTERN = 300  # characters
LONGEST_LABEL = 40
MAX_DEPTH = 50  # of sums of texts
FEWEST_LETTERS = 3
READS = frozenset({"compile", "search", "match", "fullmatch", "findall", "finditer"})
# Methods of texts whose first argument stands before what is read.
BEHIND = frozenset({"startswith", "removeprefix", "partition", "rpartition", "split", "rsplit"})
BEHIND |= {"index", "rindex", "find", "rfind"}


@dataclass(frozen=True, slots=True)
class ScoringPattern:
    """One regular expression of the scoring code; `verbose` patterns ignore their white space."""

    text: str
    verbose: bool = False


def patterns_in(root: ast.AST, values: Mapping[str, str]) -> Iterator[ScoringPattern]:
    """The patterns that calls of `re` name, in the order of the code; `values` are the texts of
    variables that they may name."""
    for node in ast.walk(root):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *rest]) if name in READS:
                text = _text(first, values)
                if text and _letters(text) and is_plain(text):
                    options = [*rest, *(each.value for each in node.keywords)]
                    yield ScoringPattern(text, any(map(_is_verbose, options)))


def labels_in(root: ast.AST, values: Mapping[str, str]) -> Iterator[str]:
    """The texts behind which methods such as `partition` and `startswith` read."""
    for node in ast.walk(root):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in BEHIND:
                options = first.elts if isinstance(first, ast.Tuple) else [first]
                texts = (_text(each, values) for each in options)
                yield from (text for text in texts if text and _is_label(text))


def counted_in(root: ast.AST, values: Mapping[str, str]) -> Iterator[str]:
    """The texts that the code counts in another one, such as the marks of what was done."""
    for node in ast.walk(root):
        match node:
            case ast.Call(func=ast.Attribute(attr="count"), args=[first, *_]):
                text = _text(first, values)
                if text and _is_label(text):
                    yield text


def _is_label(text: str) -> bool:
    return len(text) <= LONGEST_LABEL and _letters(text) >= FEWEST_LETTERS and is_plain(text)


def keys_in(root: ast.AST) -> Iterator[str]:
    """The keys of objects that the code reads."""
    for node in ast.walk(root):
        match node:
            case (
                ast.Subscript(slice=ast.Constant(value=str() as key), ctx=ast.Load())
                | ast.Call(
                    func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]
                )
            ):
                if len(key) <= LONGEST_LABEL and key.isprintable():
                    yield key


def texts_of(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """The texts of the variables that these statements assign."""
    values: dict[str, str] = {}
    for each in statements:
        if not isinstance(each, ast.Assign | ast.AnnAssign):
            continue
        targets = each.targets if isinstance(each, ast.Assign) else [each.target]
        text = _text(each.value, values) if each.value is not None else None
        if text:
            values |= {target.id: text for target in targets if isinstance(target, ast.Name)}
    return values


def is_plain(text: str) -> bool:
    """Whether each character is printable, or ends a line or a column: a reply with others, such as
    half of a surrogate pair, could not be sent."""
    return text.replace("\n", "").replace("\t", "").isprintable()


def _text(node: ast.expr, values: Mapping[str, str], depth: int = 0) -> str | None:
    """A text of the code, with the variables that it names; None where it is not known, too long
    or made of too many parts."""
    if depth > MAX_DEPTH:
        return None
    match node:
        case ast.Constant(value=str() as text):
            return text if len(text) <= LONGEST_PATTERN else None
        case ast.Name(id=name):
            return values.get(name)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([left, right], values, depth)
        case ast.JoinedStr(values=parts):
            return _joined(parts, values, depth)
        case ast.FormattedValue(value=value, format_spec=None):
            return _text(value, values, depth + 1)
    return None


def _joined(parts: Iterable[ast.expr], values: Mapping[str, str], depth: int) -> str | None:
    joined = ""
    for each in parts:
        text = _text(each, values, depth + 1)
        if text is None or len(joined) + len(text) > LONGEST_PATTERN:
            return None
        joined += text
    return joined


def _is_verbose(option: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("VERBOSE", "X")
        for each in ast.walk(option)
    )


def _letters(text: str) -> int:
    return sum(each.isalpha() for each in text)
