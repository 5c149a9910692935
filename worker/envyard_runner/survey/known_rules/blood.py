"""Which blood products a recipient may have from a donor, by the ABO groups and RhD.

Red cells must not bring an antigen that the recipient lacks, plasma no antibody against one that
the recipient has. Whether RhD counts for plasma differs between textbooks, so both are right.
"""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import (
    EITHER,
    KnownRule,
    Solved,
    has,
    pattern,
    verdict,
    yes_or_no,
)

DONOR, RECIPIENT = "donor", "recipient"
SIGN = (
    r"(?P<sign>(?:Rh ?)?[+\u2212\u2013-](?![\w+-])"
    r"|[ -]?(?:Rh(?:\(?D\)?)?[ -]?)?(?:[Pp]os|[Nn]eg)(?:itive|ative)?\b)"
)
GROUP = re.compile(
    rf"(?<![\w+-])(?P<abo>AB|A|B|O|0) ?{SIGN}"
    r"|\b(?:[Gg]roup|[Tt]ype|[Dd]onor|[Rr]ecipient|[Pp]atient)(?: is|:| ?=)? ['\"*`]{0,2}"
    r"(?P<plain>AB|A|B|O|0)(?![\w+-]| ?(?:Rh|[Pp]os|[Nn]eg|\u2212))"
)
ROLE = re.compile(
    r"\b(?:(?P<donor>donors?|units?|bags?)|(?P<recipient>recipients?|patients?))\b",
    re.IGNORECASE,
)
# What directly follows a group and is its role.
BEHIND = re.compile(
    r"[ '\"*`]{1,3}(?:(?:blood|typed) )?(?:(?P<recipient>recipient|patient)"
    r"|(?P<donor>donor|unit|(?:packed )?red (?:blood )?cells?|(?:fresh[ -]frozen )?plasma"
    r"|rbcs?|ffp|blood(?= (?:compatible with|for|be given|to)\b)))\b",
    re.IGNORECASE,
)
GIVES = pattern(r"\b(?:donate|give|be (?:given|transfused))\b.{0,60}\bto\b")
RECEIVES = pattern(r"\b(?:receive|get|accept|be given)\b.{0,60}\bfrom\b")
CELLS = pattern(r"\b(?:red (?:blood )?cells?|p?rbcs?|erythrocytes?|packed cells)\b")
PLASMA = pattern(r"\b(?:plasma|ffp)\b")
OTHERS = has(
    r"\b(?:platelets?|cryo\w*|whole blood|granulocytes?|serum|marrow|organs?|kidneys?"
    r"|bombay|kell|duffy|weak d|pregnan\w*|fetus|newborn|subgroups?|genotypes?|emergenc\w*)\b"
)
ABO, RHESUS = has(r"\babo\b"), has(r"\brh|\brhesus|\bD antigen")
IGNORED = has(r"ignor|disregard|no part|not matter|abo only")
NEGATED = has(
    r"\b(?:un(?:safe|suitable)|not be (?:given|used)|cannot|can't|mismatch\w*|reject\w*|haemol\w*"
    r"|hemol\w*|react\w*|danger\w*|refus\w*|(?<!or )incompatib\w*(?! or\b))\b"
)
BRACKETS = re.compile(r"\([^()]*\)")
SENTENCES = re.compile(r"[.?!;\n]+")


def rh_is_ignored(text: str) -> bool:
    """Whether RhD counts for no product, or ABO alone is named: a sentence about plasma alone
    leaves RhD for red cells."""
    if ABO(text) and not RHESUS(text):
        return True
    return any(
        RHESUS(each) and IGNORED(each) and not PLASMA.search(each) for each in SENTENCES.split(text)
    )


def _groups(text: str) -> dict[str, tuple[str, str]]:
    """The ABO group and the sign of donor and recipient; empty unless each has one."""
    mentions = [*GROUP.finditer(text)]
    if len(mentions) != 2:
        return {}
    first, second = mentions
    between = text[first.end() : second.start()]
    roles = [
        _role(text[: first.end()], first, text[first.end() :]),
        _role(between + second[0], second, text[second.end() :]),
    ]
    if not roles[0]:
        roles = _by_verb(between, roles[1])
    values = [_group(match) for match in mentions]
    signs = [bool(sign) for _, sign in values]
    if {*roles} != {DONOR, RECIPIENT} or signs[0] != signs[1]:
        return {}
    return dict(zip(roles, values, strict=True))


def _role(before: str, match: re.Match[str], after: str) -> str:
    behind = BEHIND.match(after[:40])
    if behind:
        return DONOR if behind["donor"] else RECIPIENT
    words = [*ROLE.finditer(before[-90:])]
    return "" if not words else DONOR if words[-1]["donor"] else RECIPIENT


def _by_verb(between: str, second: str) -> list[str]:
    """The roles by the verb between two groups, where it does not contradict the second role."""
    gives, receives = GIVES.search(between[:200]), RECEIVES.search(between[:200])
    if bool(gives) == bool(receives):
        return ["", ""]
    roles = [DONOR, RECIPIENT] if gives else [RECIPIENT, DONOR]
    return roles if second in ("", roles[1]) else ["", ""]


def _group(match: re.Match[str]) -> tuple[str, str]:
    abo = (match["abo"] or match["plain"]).replace("0", "O")
    sign = (match["sign"] or "").casefold()
    return abo, "" if not sign else "+" if "+" in sign or "pos" in sign else "-"


def _product(text: str) -> str:
    """`cells` or `plasma`, as the sentences with groups name it, else the whole text."""
    sentences = [each for each in SENTENCES.split(text) if GROUP.search(each)]
    for part in (" ".join(sentences), text):
        cells, plasma = CELLS.search(part), PLASMA.search(part)
        if cells or plasma:
            return "" if cells and plasma else "cells" if cells else "plasma"
    return ""


def _cells(groups: dict[str, tuple[str, str]]) -> Solved:
    (given, sign), (own, own_sign) = groups[DONOR], groups[RECIPIENT]
    antigens = {*given} - {"O"}
    return yes_or_no(antigens <= {*own} and not (sign == "+" and own_sign == "-"))


def _plasma(groups: dict[str, tuple[str, str]]) -> Solved:
    (given, sign), (own, own_sign) = groups[DONOR], groups[RECIPIENT]
    if not {*own} - {"O"} <= {*given}:
        return yes_or_no(False)
    return yes_or_no(True) if sign == own_sign else EITHER


def _is_clear(prompt: str) -> bool:
    return not OTHERS(prompt) and not NEGATED(prompt)


def by_product(prompt: str) -> Solved | None:
    """Whether the named product may be given."""
    text = BRACKETS.sub(" ", prompt)
    product, groups = _product(text), _groups(text)
    if not product or not groups or not _is_clear(text):
        return None
    return _cells(groups) if product == "cells" else _plasma(groups)


def of_blood(prompt: str) -> Solved | None:
    """Whether blood may be given, where no product is named: then red cells decide."""
    text = BRACKETS.sub(" ", prompt)
    groups = _groups(text)
    return _cells(groups) if groups and not CELLS.search(text) and _is_clear(text) else None


RULES = (
    KnownRule(
        "what the ABO and RhD groups of donor and recipient give for the product",
        pattern(r"plasma|ffp|\bred (?:blood )?cells?|\bp?rbcs?\b|erythrocytes?|packed cells"),
        by_product,
        verdict,
        rh_is_ignored,
    ),
    KnownRule(
        "what the ABO and RhD groups of donor and recipient give for red cells",
        pattern(r"\bblood\b"),
        of_blood,
        verdict,
        lambda text: rh_is_ignored(text) or bool(PLASMA.search(text)) or OTHERS(text),
    ),
)
