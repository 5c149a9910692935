"""Changes of answers that list several items."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from envyard_runner.mutation.by_prompt import ANY_ORDER, ORDER_WANTED, WRITTEN
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.hyphens import hyphenated
from envyard_runner.mutation.lines import are_items
from envyard_runner.mutation.pairs import are_entries
from envyard_runner.mutation.records import is_object
from envyard_runner.mutation.wrong_answers import shifted

FEWEST_ITEMS = 3
ITEM = r"[^\s,;<>{}\[\]]+(?: [^\s,;<>{}\[\]]+){0,3}"  # of one to four words
LISTED = re.compile(rf"{ITEM}(?:,[ ]?{ITEM}){{1,40}}")
NUMBER = re.compile(r"-?\d{1,12}")
CODE = re.compile(r"[A-Za-z]\d{1,3}")
TOKEN = re.compile(r"[\w-]+")
# A word that stands in a list: at the beginning of a line, or between commas, brackets or colons.
LISTED_WORD = re.compile(
    r"(?:^|[,(\[:|]|- |\band )[ \t]*([\w-]{1,40})(?=[ \t]*(?:$|[,)\].:|;]))", re.MULTILINE
)
FREE_NUMBER = re.compile(
    r"\b(?:at least|any|some|up to|at most|several(?! times)|a few|or more|as many|partial)\b",
    re.IGNORECASE,
)
# What a prompt says of items that stand in a list more than once.
REPEATS_COUNT = re.compile(
    r"\b(?:each|every) (?:time|occurrence|repeat|repetition)\b|\b(?:repeats|duplicates) (?:are )?"
    r"(?:count|kept|included|listed|written)|\bas (?:often|many times) as\b"
    r"|\bwith (?:repetitions?|repeats|duplicates|multiplicity)\b|\bkeep (?:repeats|duplicates)\b",
    re.IGNORECASE,
)
REPEATS_MAY_LACK = re.compile(
    r"\b(?:distinct|unique|different|once|sets?|without (?:repeats|repetitions?|duplicates)"
    r"|(?:repeats|duplicates) (?:\w+ ){0,3}(?:ignored|optional|not|nothing|no matter))\b",
    re.IGNORECASE,
)


def repeated(answer: str) -> str | None:
    """The first item in the place of all others, where an answer lists FEWEST_ITEMS or more: in
    JSON, by commas, by lines or by spaces."""
    text = answer.strip()
    listed = parsed(text)
    if isinstance(listed, list) and len(listed) >= FEWEST_ITEMS:
        return _if_changed(json.dumps([listed[0]] * len(listed), ensure_ascii=False), text)
    if is_object(text) or text.startswith("["):
        return None
    separator = re.search(r",\s*", text) or re.search(r"\n+", text) or re.search(r"\s+", text)
    items = text.split(separator[0].strip() or separator[0]) if separator else []
    if separator is None or len(items) < FEWEST_ITEMS:
        return None
    return _if_changed(separator[0].join([items[0]] * len(items)), text)


def added(answer: str, prompt: str) -> str | None:
    """One item more behind two or more, in JSON or by commas: another one of the prompt where that
    names all of the answer's (a verifier may ignore an item that no task has), else one that
    nothing names. Of values with names a reader may look for the names that it knows."""
    text = answer.strip()
    listed = parsed(text)
    if isinstance(listed, list) and len(listed) > 1 and _are_plain(listed):
        more = _more(listed, prompt)
        return None if more is None else json.dumps([*listed, more], ensure_ascii=False)
    if sequence := hyphenated(text, prompt):
        return _longer(sequence, prompt)
    if not LISTED.fullmatch(text) or are_entries(text):
        return None
    separator = ", " if ", " in text else ","
    more = _more(text.split(separator), prompt)
    return None if more is None else f"{text}{separator}{more}"


def dropped(answer: str, prompt: str) -> str | None:
    """One item less: the last of FEWEST_ITEMS or more, in JSON, by commas or by lines; none where
    the prompt may leave their number open."""
    text = answer.strip()
    if FREE_NUMBER.search(prompt):
        return None
    listed = parsed(text)
    if isinstance(listed, list) and len(listed) >= FEWEST_ITEMS and _are_plain(listed):
        return json.dumps(listed[:-1], ensure_ascii=False)
    if text.count("\n") >= FEWEST_ITEMS - 1 and are_items(text) and not WRITTEN.search(prompt):
        return text.rpartition("\n")[0].rstrip()
    if hyphenated(text, prompt):
        return text.rpartition("-")[0]
    if not LISTED.fullmatch(text) or text.count(",") < FEWEST_ITEMS - 1:
        return None
    return text.rpartition(",")[0]


def once(answer: str, prompt: str) -> str | None:
    """The list without the last of its items that stands in it before, where the prompt says that
    repeats count, or asks for an order, and does not want each item once."""
    text = answer.strip()
    order = ORDER_WANTED.search(prompt) and not ANY_ORDER.search(prompt)
    counts = REPEATS_COUNT.search(prompt) or (order and not REPEATS_MAY_LACK.search(prompt))
    if not counts or FREE_NUMBER.search(prompt):
        return None
    listed = parsed(text)
    if isinstance(listed, list) and _are_plain(listed):
        fewer = _without_repeat(listed)
        return json.dumps(fewer, ensure_ascii=False) if fewer else None
    if sequence := hyphenated(text, prompt):
        return "-".join(map(str, _without_repeat(sequence))) or None
    if not LISTED.fullmatch(text) or are_entries(text):
        return None
    separator = ", " if ", " in text else ","
    return separator.join(map(str, _without_repeat(text.split(separator)))) or None


def _without_repeat(items: Sequence[object]) -> list[object]:
    """The items without the last one that stands before too; empty where each stands once."""
    places = [at for at, item in enumerate(items) if item in items[:at]]
    return [*items[: places[-1]], *items[places[-1] + 1 :]] if places else []


def _longer(sequence: Sequence[str], prompt: str) -> str | None:
    """A sequence with one of its own items behind it, where its items have an order: a verifier may
    compare what both have, or which items there are."""
    if ANY_ORDER.search(prompt) or REPEATS_MAY_LACK.search(prompt):
        return None
    other = next((each for each in sequence if each != sequence[-1]), sequence[0])
    return "-".join([*sequence, other])


def _are_plain(items: list[object]) -> bool:
    """Whether all are texts, or all whole numbers."""
    return all(isinstance(each, str) for each in items) or all(
        isinstance(each, int) and not isinstance(each, bool) for each in items
    )


def _more(items: Sequence[object], prompt: str) -> object:
    """An item that is wrong beside these; None where the prompt names these and no others."""
    named = {word.casefold() for word in TOKEN.findall(prompt)}
    texts = [str(item).strip() for item in items]
    if not all(text.casefold() in named for text in texts):
        return _recombined(texts) or _another(items)
    known = {text.casefold() for text in texts}
    form = _form(texts[0])
    words = (TOKEN if "0" in form else LISTED_WORD).findall(prompt)
    others = (word for word in words if word.casefold() not in known)
    more = next((word for word in others if _form(word) == form), None)
    return int(more) if more is not None and isinstance(items[0], int) else more


def _recombined(texts: Sequence[str]) -> str | None:
    """Another code of the same form, such as a field of a board, of characters that these have at
    the same place."""
    if not all(CODE.fullmatch(text) for text in texts) or len({*map(_form, texts)}) > 1:
        return None
    codes = (first[0] + second[1:] for first in texts for second in texts)
    return next((code for code in codes if code not in texts), None)


def _form(text: str) -> str:
    """Its letters and digits by kind, those of a longer word as one."""
    kinds = re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d+", "0", text)))
    return re.sub(r"a{3,}", "aaa", kinds)


def _another(items: Sequence[object]) -> object:
    """An item of the same kind as the others, and none of them."""
    texts = [str(each).strip() for each in items]
    if not all(map(NUMBER.fullmatch, texts)):
        return shifted(max(texts, key=len), 2)
    number = max(map(int, texts)) + 13
    return number if isinstance(items[0], int) else str(number)


def _if_changed(after: str, before: str) -> str | None:
    return after if after != before else None


OF_LISTS: dict[str, Callable[[str, str], str | None]] = {
    "added": added,
    "dropped": dropped,
    "once": once,
}
