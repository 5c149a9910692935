"""What prompts say of two families in which there is a recessive disorder, and the risk of a child.

A prompt is only read where nothing that it says of a family is left over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

RECESSIVE = re.compile(r"\bautosomal(?:ly)?[- ]recessive\b", re.IGNORECASE)
# What this module does not calculate with.
OTHERWISE = re.compile(
    r"\b(?:x-linked|sex-linked|dominant|half[- ](?:brother|sister|sibling)|twin|cousin|onset"
    r"|too young|penetrance (?:of|is)|\d+ ?% penetr\w*|reduced penetrance|incomplete\w*|prenatal\w*"
    r"|f(?:o)?etus|embryo|adopt\w*|donor|inbre\w*|mosaic\w*|sensitivity|detect\w*|approximat\w*"
    r"|at least|exactly|neither|siblings|brothers|sisters|if (?:he|she|her|his|their))s?\b",
    re.IGNORECASE,
)
WORDS = r"(?:[\w'\u2019-]{1,30} ){0,3}[\w'\u2019-]{1,30}"
SHORT = r"(?: \((?P<short>[A-Z][\w-]{1,5})\))?"
KIND = r"(?: (?:disorder|disease|condition|trait))?"
NAMED = (
    re.compile(
        rf"(?P<name>{WORDS}){SHORT}(?:,| is|, which is) an? "
        rf"(?:[\w-]{{1,20}} ){{0,3}}autosomal(?:ly)?[- ]recessive{KIND}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?P<name>{WORDS})(?P<short>)"
        rf"(?: \(|, which is )(?:an )?autosomal[- ]recessive{KIND}\)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:an|the) autosomal[- ]recessive{KIND} (?P<name>[\w-]{{3,30}}(?: (?:disease|syndrome"
        rf"|fibrosis|an(?:a)?emia|ataxia|disorder))?){SHORT}"
    ),
)
BEFORE_NAME = re.compile(r".*\b(?:has|had|have|about|of|with|for|from|by|that|the) ", re.IGNORECASE)
ITSELF = re.compile(r"\bthe (?:disorder|disease|condition|illness)\b", re.IGNORECASE)

NAME = r"(?P<who>[A-Z][\w-]{1,20}|[Ss]he|[Hh]e)"
WHOSE = r"(?P<who>[A-Z][\w-]{1,20}(?=['\u2019])|[Hh]er|[Hh]is)(?:['\u2019]s?)?"
HAS = r"(?:has|had|has had|suffers from|suffered from|died of|has died of|was born with) D"
AFFECTED = rf"(?:{HAS}|(?:is|was) affected(?: (?:by|with) D)?|(?:was|has been) diagnosed with D)\b"
WITH = rf"(?:with D|who {AFFECTED}|affected (?:by|with) D)"
WELL = (
    r"(?:is|are|was|were)(?: all| both| (?:her|him)self| themselves| clinically| an?)*"
    r" (?:healthy|unaffected|not affected)\b"
)
SIBLING = r"(?:(?:full|older|elder|younger|only|late) ){0,2}(?:brother|sister|sibling)"
CHILDREN = "(?:child|son|daughter)"
FORMER = r" (?:from|by|with|of) (?:another|an earlier|a previous|a former|a first) \w+"
CARRIER = r"a (?:known |proven |confirmed |healthy |obligate )?carrier(?: of D)?\b"
NEGATIVE = (
    r"(?:has tested negative|tested negative|is not a carrier|is no carrier)(?: (?:for|of) D)?"
)
OTHER_SIDE = "other parent without the allele"
FACTS = {
    "parent's sibling": WHOSE + rf" (?:healthy )?(?:mother|father) has an? {SIBLING} {WITH}",
    "parent's child": WHOSE
    + rf" (?:healthy )?(?:mother|father) has (?:had )?an? {CHILDREN} {WITH}(?:{FORMER})?",
    "grandparent": WHOSE + rf" (?:maternal|paternal) grand(?:mother|father) {AFFECTED}",
    "parent carries": WHOSE + rf" (?:mother|father) is {CARRIER}",
    "parent": WHOSE + rf" (?:mother|father|parent) {AFFECTED}",
    "child": NAME + rf" (?:already )?has (?:already )?(?:had )?an? {CHILDREN} {WITH}{FORMER}",
    "brother or sister": WHOSE + rf" {SIBLING} {AFFECTED}",
    "has a sibling": NAME + rf" has an? {SIBLING} {WITH}",
    "also has a sibling": rf"(?P<who>\b)(?<=and )has an? {SIBLING} {WITH}",
    "carrier": NAME + rf" is {CARRIER}",
    OTHER_SIDE: rf"(?:{WHOSE}|[Tt]he) (?:other parent|mother|father) {NEGATIVE}",
}
# How often a healthy person of whose family this is known is a carrier: a factor, and how often
# that of a healthy sibling comes to it.
CARRIERS = {
    ("carrier",): (Fraction(1), 0),
    ("parent",): (Fraction(1), 0),
    ("child",): (Fraction(1), 0),
    ("brother or sister",): (Fraction(1), 1),
    ("has a sibling",): (Fraction(1), 1),
    ("also has a sibling",): (Fraction(1), 1),
    (OTHER_SIDE, "parent carries"): (HALF, 0),
    (OTHER_SIDE, "parent's child"): (HALF, 0),
    ("grandparent", OTHER_SIDE): (HALF, 0),
    (OTHER_SIDE, "parent's sibling"): (HALF, 1),
}
PATTERNS = {kind: re.compile(rf"\b{pattern}") for kind, pattern in FACTS.items()}
HEALTHY = re.compile(
    rf"\b{NAME}(?: and (?:(?:her|his) parents|(?P<other>[A-Z][\w-]{{1,20}})))?(?:, who)? {WELL}"
)
COUPLE = re.compile(
    r"\b(?:healthy|unaffected) couple\b"
    r"|\b(?:both|both partners|the partners|they) are (?:both )?healthy\b",
    re.IGNORECASE,
)
FREQUENCY = re.compile(
    r"\b(?:one|1)(?: healthy)?(?: person| adult| individual)? in (?P<n>\d{1,4})\b[^.;?\n]{0,60}?"
    r"\bcarriers?\b"
    r"|\bcarrier (?:frequency|rate)\b[^.;?\n]{0,60}?\b(?:1/|1 in |one in )(?P<m>\d{1,4})\b",
    re.IGNORECASE,
)
CHILD = re.compile(
    r"\b(?:probability|chance|risk)[^.?\n]{0,30}? that (?:their|the couple['\u2019]s)"
    rf"(?: (?:first|next|common|own)){{0,2}} (?:child|baby) (?:{AFFECTED}|will "
    r"(?:have D|be affected|be born with D))"
    r"|\b(?:probability|chance|risk) (?:of an affected (?:first )?child|that a child of theirs"
    rf" (?:{AFFECTED}|will be affected))"
)
OF_ONE = re.compile(rf"\b(?:probability|chance|risk)[^.?\n]{{0,30}}? that {NAME} is {CARRIER}")
# What says nothing of these families.
GENERAL = re.compile(
    r"\b(?:[Hh]er|[Hh]is|[Tt]heir|whose|[Tt]he|[Bb]oth)(?: two)? parents " + WELL
    + r"|\b(?:[A-Z][\w-]{1,20}['\u2019]s?|[Hh]er|[Hh]is) (?:mother|father) " + WELL
    + r"|\b(?:whose )?carriers are healthy|not related(?: to each other)?|unrelated"
    r"|\b(?:genetic|carrier|DNA) test (?:has shown|showed|shows|has found|found) that"
    r"|\b(?:[Nn]othing is known|[Nn]o family history)\b(?: (?:about|of) [^.,;\n]{0,40})?"
    r"|\b(?:[Uu]se|[Aa]ssume|[Nn]eglect|[Ii]gnore)\b"
    r"(?:(?!\b(?:brother|sister|sibling|mother|father|parent|child|[A-Z]\w+['\u2019]))[^.\n]){0,200}"
)  # fmt: skip
LEFT = re.compile(
    r"\b(?:brother|sister|sibling|mother|father|parent|grand\w*|uncle|aunt|nephew|niece|son|daughter"
    r"|child|children|carrier|carrie[sd]|carry|affected|unaffected|test\w*|healthy|married|marriage"
    rf"|famil\w+|related|{HAS})s?\b",
    re.IGNORECASE,
)
PERSON = re.compile(r"\b[A-Z][a-z\u00e0-\u024f]{1,20}\b")
PRONOUNS = ("she", "he", "her", "his")
# Words that begin sentences, and are no names.
STARTS = ("She", "He", "Her", "His", "The", "They", "Their", "An", "Nothing")
SENTENCE = re.compile(r"[.?!\n]")


@dataclass(slots=True)
class Families:
    """What a prompt says of persons, by name; `left` is what no pattern has read."""

    prompt: str
    left: str = ""
    facts: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    healthy: set[str] = field(default_factory=set)

    def take(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """What the pattern matches, which is then left no more."""
        matches = [*pattern.finditer(self.left)]
        self.left = pattern.sub(lambda match: " " * len(match[0]), self.left)
        return matches

    def person(self, match: re.Match[str]) -> str:
        """The name of a match; where it has none, the first one of its sentence, or the only one of
        the sentences before it."""
        who = match["who"]
        if who and who.casefold() not in PRONOUNS:
            return who
        before = [*SENTENCE.finditer(self.prompt, 0, match.start())]
        start = before[-1].end() if before else 0
        if name := PERSON.search(self.prompt, start, match.start()):
            return name[0]
        names = {each[0] for each in PERSON.finditer(self.prompt, 0, start)} - {*STARTS}
        return names.pop() if len(names) == 1 else ""


def risk(prompt: str, *, sibling: Fraction) -> Fraction | None:
    """The risk that a prompt asks for, where the healthy sibling of an affected person is a carrier
    with the probability `sibling`; None where it leaves anything open."""
    text = _with_letter(prompt)
    if not text or OTHERWISE.search(text):
        return None
    families = Families(text, text)
    of_child, of_one = families.take(CHILD), families.take(OF_ONE)
    if len(of_child) + len(of_one) != 1:
        return None
    for kind, pattern in PATTERNS.items():
        for match in families.take(pattern):
            families.facts[families.person(match)].append(kind)
    couple = bool(families.take(COUPLE))
    for match in families.take(HEALTHY):
        families.healthy |= {families.person(match), match["other"] or ""}
    frequencies = {match["n"] or match["m"] for match in families.take(FREQUENCY)}
    families.take(GENERAL)
    sure = couple or families.facts.keys() <= families.healthy
    if LEFT.search(families.left) or not sure or "" in families.facts:
        return None
    if of_one:
        return _carrier(families.facts.get(families.person(of_one[0]), []), sibling)
    return _of_couple(families, frequencies, sibling)


def _of_couple(families: Families, frequencies: set[str], sibling: Fraction) -> Fraction | None:
    chances = [_carrier(kinds, sibling) for kinds in families.facts.values()]
    if len(chances) == 1 and len(frequencies) == 1 and int(*frequencies):
        chances.append(Fraction(1, int(*frequencies)))
    one, other = chances if len(chances) == 2 else (None, None)
    return one * other * QUARTER if one is not None and other is not None else None


def _carrier(kinds: list[str], sibling: Fraction) -> Fraction | None:
    """The probability that a healthy person of whose family this is known is a carrier."""
    known = CARRIERS.get((*sorted(kinds),))
    return known[0] * sibling ** known[1] if known else None


def _with_letter(prompt: str) -> str:
    """The prompt with `D` for the name of its recessive disorder; empty where that is unclear."""
    once = len(RECESSIVE.findall(prompt)) == 1
    named = next((match for each in NAMED if once and (match := each.search(prompt))), None)
    if not named:
        return ""
    names = [BEFORE_NAME.sub("", named["name"]), named["short"]]
    text = f"{prompt[: named.start()]}{named['name']}{prompt[named.end() :]}"
    for name in filter(None, names):
        text = re.sub(rf"(?i)\b{re.escape(name)}\b", "D", text)
    return ITSELF.sub("D", text) if names[0] else ""
