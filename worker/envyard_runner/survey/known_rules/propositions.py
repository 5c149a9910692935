"""Arguments of propositions: conditionals, alternatives and negations of clauses.

A clause must occur at least twice, or its sentence is none of the argument: so a clause in other
words is never taken for a new one. Whether `or` excludes both is open, unless labels agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

ATOM, NOT, AND, OR, THEN, SAME = "atom", "not", "and", "or", "then", "same"
LONGEST, DEEPEST, ATOMS, SENTENCES = 160, 3, 5, 12  # characters of a sentence, and their number
LETTER = re.compile(r"[^\W\d_]")
BREAKS = re.compile(r"[.;\n?!]+")
MARK = re.compile(
    r"^(?:.{0,60}: |(?:\(?\d{1,2}[.)]|[-*\u2022]|p\d?:|(?:premise|conclusion)(?: \d)?:)\s*|)",
    re.IGNORECASE,
)
CONCLUDES = pattern(
    r"(?:^|[.;\n?!])[ \t]*(?:(?:therefore|hence|thus|so|it follows that)\b,?:?"
    r"|conclusion:|\u2234)\s*"
)
FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (SAME, pattern(r"(?P<one>.+?) (?:if and only if|iff|\u2194|<->) (?P<other>.+)")),
    (THEN, pattern(r"if (?P<one>.+?),? then (?P<other>.+)")),
    (THEN, pattern(r"if (?P<one>[^,]+), (?P<other>[^,]+)")),
    (THEN, pattern(r"(?P<one>[^,]+?) (?:implies|only if|\u2192|->) (?P<other>[^,]+)")),
    (THEN, pattern(r"(?P<other>[^,]+?) if (?P<one>[^,]+)")),
    (OR, pattern(r"(?:either )?(?P<one>.+?),? (?:or|\u2228) (?P<other>.+)")),
    (AND, pattern(r"(?:both )?(?P<one>.+?),? (?:and|\u2227|&) (?P<other>.+)")),
    (NOT, pattern(r"(?:not|it is not (?:the case|true) that|it is false that) (?P<one>.+)")),
    (NOT, pattern(r"[\u00ac~] ?(?P<one>.+)")),
    (NOT, pattern(r"(?P<one>.+? (?:is|are|was|were|has|have|will|can)) not(?P<other> .+)")),
)  # fmt: skip
VALUES: dict[str, Callable[[bool, bool], bool]] = {
    AND: lambda one, other: one and other,
    THEN: lambda one, other: not one or other,
    SAME: lambda one, other: one == other,
}
ASKS = has(r"\b(?:valid|follows?|entail\w*)\b")
OTHERWISE = has(
    r"\b(?:unknown|uncertain|undetermined|neither|nor|unless|probabl\w*|likely|might|may|must|usually"
    r"|contradict\w*|cannot be determined|counterexample|name the|which (?:fallacy|rule)|xor)\b"
)


@dataclass(frozen=True, slots=True)
class Formula:
    """An atom with its text, or a connective with its parts."""

    kind: str
    text: str = ""
    parts: tuple[Formula, ...] = ()

    def atoms(self) -> Iterator[str]:
        """The texts of all atoms, as often as they occur."""
        if self.kind == ATOM:
            yield self.text
        for part in self.parts:
            yield from part.atoms()

    def value(self, given: dict[str, bool], *, exclusive: bool) -> bool:
        """The truth value where the atoms have these."""
        if self.kind == ATOM:
            return given[self.text]
        values = [part.value(given, exclusive=exclusive) for part in self.parts]
        if self.kind == NOT:
            return not values[0]
        if self.kind == OR:
            return values[0] != values[1] if exclusive else any(values)
        return VALUES[self.kind](*values)


def formula(text: str, depth: int = 0) -> Formula:
    """The formula of a sentence, by its first connective in the order of FORMS."""
    plain = " ".join(text.casefold().replace("n't ", " not ").split()).strip(" ,")
    for kind, form in FORMS if depth < DEEPEST else ():
        if match := form.fullmatch(plain):
            if kind == NOT:
                inner = match["one"] + (match.groupdict().get("other") or "")
                return Formula(NOT, parts=(formula(inner, depth + 1),))
            sides = (formula(match[side], depth + 1) for side in ("one", "other"))
            return Formula(kind, parts=(*sides,))
    return Formula(ATOM, plain)


def argument(prompt: str) -> list[Formula]:
    """The premises of a prompt and its conclusion; empty where a sentence between is unclear."""
    conclusions = [*CONCLUDES.finditer(prompt)]
    if len(conclusions) != 1:
        return []
    place = conclusions[0]
    texts = [each for each in BREAKS.split(prompt[: place.start()]) if LETTER.search(each)][
        -SENTENCES:
    ]
    texts.append(BREAKS.split(prompt[place.end() :])[0])
    if any(len(text) > LONGEST for text in texts):
        return []
    formulas = [formula(MARK.sub("", text.strip())) for text in texts]
    counts = Counter(atom for each in formulas for atom in each.atoms())
    clear = [all(counts[atom] > 1 for atom in each.atoms()) for each in formulas]
    first = clear.index(True) if True in clear else len(clear)
    premises = {atom for each in formulas[first:-1] for atom in each.atoms()}
    whole = all(clear[first:]) and {*formulas[-1].atoms()} <= premises
    compound = any(each.kind not in (ATOM, NOT) for each in formulas[first:-1])
    return formulas[first:] if whole and compound and len(premises) <= ATOMS else []


def follows(formulas: list[Formula], *, exclusive: bool) -> bool:
    """Whether the last formula holds wherever the others do."""
    atoms = sorted({atom for each in formulas for atom in each.atoms()})
    for values in product((False, True), repeat=len(atoms)):
        given = dict(zip(atoms, values, strict=True))
        *premises, conclusion = (each.value(given, exclusive=exclusive) for each in formulas)
        if all(premises) and not conclusion:
            return False
    return True


def is_valid(prompt: str) -> Solved | None:
    """Whether the conclusion of a prompt follows from its premises."""
    formulas = argument(prompt)
    if not formulas or not ASKS(prompt):
        return None
    inclusive, exclusive = (follows(formulas, exclusive=each) for each in (False, True))
    return yes_or_no(inclusive) if inclusive == exclusive else EITHER


RULES = (
    KnownRule(
        "whether the conclusion of its propositions follows",
        pattern(r"\b(?:if|or|implies)\b|[\u2192\u2228]"),
        is_valid,
        verdict,
        OTHERWISE,
    ),
)
