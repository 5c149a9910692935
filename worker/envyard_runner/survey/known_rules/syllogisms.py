"""Categorical syllogisms: two premises and a conclusion over three classes.

Without a word for it, classes may be empty or not: where both differ, both labels are right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from envyard_runner.survey.known_rules.entry import (
    EITHER,
    KnownRule,
    Solved,
    has,
    pattern,
    verdict,
    yes_or_no,
)

SENTENCE = re.compile(
    r"(?P<quantity>All|Every|Each|No|Some) (?P<subject>[\w-]+(?: [\w-]+){0,2}?) (?:are|is)"
    r"(?P<negated> not)? (?:an? )?(?P<object>[\w-]+(?: [\w-]+){0,2})",
    re.IGNORECASE,
)
MARK = re.compile(
    r"^(?:(?:(?:minor |major )?premises?|p|statement|conclusion|c)(?: ?\d)?[:.)]|\(?\d[.)]"
    r"|[-*\u2022]"
    r"|(?:therefore|hence|thus|so|it follows that)\b,?:?)\s*",
    re.IGNORECASE,
)
CONCLUDES = pattern(r"(?:\b(?:therefore|hence|thus|conclusion|it follows that|so),?:?|\u2234)\s+"
                    r"(?:conclusion: ?)?(?=all\b|every\b|each\b|no\b|some\b)")  # fmt: skip
BREAKS = re.compile(r"[.;\n?!]+")
NOT_EMPTY = has(
    r"\bat least one (?:member|element|thing|instance)\b|\bnon-?empty\b"
    r"|\bno (?:class|group|set|term) is empty\b"
    r"|\bexistential import (?:is assumed|holds)\b|\bassum\w+ existential import\b"
)
MAY_BE_EMPTY = has(r"\b(?:may|can|might|could) be empty\b|\bno existential import\b"
                   r"|\bwithout existential import\b")  # fmt: skip
ASKS = has(r"\b(?:valid|follows?|entail\w*)\b")
OTHERWISE = has(
    r"\b(?:unknown|uncertain|undetermined|neither|contradict\w*|cannot be determined|most|few|many"
    r"|only|counterexample|invalid if|sound argument|figure|mood)\b"
)
Form = tuple[str, str, str]  # A, E, I or O, with both classes


def sentence(text: str) -> Form | None:
    """The form of one sentence and its classes; None for any other."""
    plain = MARK.sub("", MARK.sub("", text.strip()))
    match = SENTENCE.fullmatch(plain)
    if match is None:
        return None
    quantity, negated = match["quantity"].casefold(), bool(match["negated"])
    classes = match["subject"].casefold(), match["object"].casefold()
    if classes[1].startswith("not ") or "not" in classes or " and " in " ".join(classes):
        return None
    if negated:
        return ("O", *classes) if quantity == "some" else None  # `all are not` has two readings
    return ({"no": "E", "some": "I"}.get(quantity, "A"), *classes)


def argument(prompt: str) -> list[Form]:
    """Two premises and the conclusion of a prompt; empty unless they are the only ones."""
    conclusions = [*CONCLUDES.finditer(prompt)]
    if len(conclusions) != 1:
        return []
    place = conclusions[0].end()
    before = [sentence(each) for each in BREAKS.split(prompt[: conclusions[0].start()])]
    behind = [sentence(each) for each in BREAKS.split(prompt[place:])]
    premises, after = [each for each in before if each], [each for each in behind if each]
    if len(premises) != 2 or len(after) != 1 or behind[0] is None:
        return []
    forms = [*premises, *after]
    classes = {each for _, *pair in forms for each in pair}
    return forms if len(classes) == 3 and all(one != other for _, one, other in forms) else []


def follows(forms: list[Form], *, empty: bool) -> bool:
    """Whether the conclusion holds in all models of the premises, with or without empty classes."""
    classes = sorted({each for _, *pair in forms for each in pair})
    numbered = tuple((kind, *map(classes.index, pair)) for kind, *pair in forms)
    return _follows(numbered, empty=empty)


@lru_cache(maxsize=4096)
def _follows(forms: tuple[tuple[str, int, int], ...], *, empty: bool) -> bool:
    kinds = [{c for c in range(3) if number >> c & 1} for number in range(1, 8)]
    for held in product((False, True), repeat=len(kinds)):
        things = [kind for kind, exists in zip(kinds, held, strict=True) if exists]
        if not empty and {*range(3)} - {c for kind in things for c in kind}:
            continue
        if all(_holds(form, things) for form in forms[:2]) and not _holds(forms[2], things):
            return False
    return True


def _holds(form: tuple[str, int, int], things: list[set[int]]) -> bool:
    kind, subject, other = form
    inside = any(subject in each and other in each for each in things)
    outside = any(subject in each and other not in each for each in things)
    return {"A": not outside, "E": not inside, "I": inside, "O": outside}[kind]


def is_valid(prompt: str) -> Solved | None:
    """Whether the conclusion of a prompt follows from its premises."""
    forms = argument(prompt)
    if not forms or not ASKS(prompt) or (NOT_EMPTY(prompt) and MAY_BE_EMPTY(prompt)):
        return None
    with_empty, without = follows(forms, empty=True), follows(forms, empty=False)
    if with_empty == without or MAY_BE_EMPTY(prompt):
        return yes_or_no(with_empty)
    return yes_or_no(without) if NOT_EMPTY(prompt) else EITHER


RULES = (
    KnownRule(
        "whether the conclusion of its syllogism follows",
        pattern(r"\b(?:all|every|each|no|some)\b[^.\n]{1,80}\b(?:are|is)\b"),
        is_valid,
        verdict,
        OTHERWISE,
    ),
)
