"""Names, symbols and atomic numbers of the chemical elements from hydrogen to krypton."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern, words_of

TABLE = """
H hydrogen,He helium,Li lithium,Be beryllium,B boron,C carbon,N nitrogen,O oxygen,F fluorine,
Ne neon,Na sodium,Mg magnesium,Al aluminium,Si silicon,P phosphorus,S sulfur,Cl chlorine,Ar argon,
K potassium,Ca calcium,Sc scandium,Ti titanium,V vanadium,Cr chromium,Mn manganese,Fe iron,
Co cobalt,Ni nickel,Cu copper,Zn zinc,Ga gallium,Ge germanium,As arsenic,Se selenium,Br bromine,
Kr krypton
"""
ENTRIES = [entry.split() for entry in TABLE.split(",")]
SYMBOLS, NAMES = [entry[0] for entry in ENTRIES], [entry[1] for entry in ENTRIES]
VARIANTS = {"aluminum": "aluminium", "sulphur": "sulfur", "phosphorous": "phosphorus"}
NAME = re.compile(rf"\b(?:{'|'.join([*NAMES, *VARIANTS])})\b", re.IGNORECASE)
OF_NUMBER = pattern(
    r"\batomic number(?: of| is|:|=)? ?(?P<number>\d{1,3})\b(?![.,]\d)"
    r"|\b(?P<protons>\d{1,3}) protons\b"
)
OF_SYMBOL = re.compile(r"\b[Ss]ymbol(?: is|:)? ?['\"`*]{0,2}(?P<symbol>[A-Z][a-z]?)\b")
ASKS_SYMBOL = has(r"\bsymbol\b")
ASKS_NUMBER = has(r"\b(?:atomic number|how many protons|number of protons)\b")
ASKS_ELEMENT = has(r"\b(?:which|what|name(?: the)?|identify the) (?:chemical )?element\b")
OTHERWISE = has(
    r"\b(?:mass|weight|isotopes?|ions?|neutrons?|electrons?|sum|total"
    r"|(?:next|previous) element|(?:element|one) (?:after|before)"
    r"|heavier|lighter|old name|latin|molecules?|compound|formula|periods?|groups?)\b"
)


def _names(text: str) -> list[str]:
    lower = [match[0].casefold() for match in NAME.finditer(text)]
    return [*dict.fromkeys(VARIANTS.get(name, name) for name in lower)]


def symbol_of(prompt: str) -> Solved | None:
    """The symbol of the only element that a prompt names."""
    names = _names(prompt)
    if len(names) != 1 or not ASKS_SYMBOL(prompt) or ASKS_NUMBER(prompt) or ASKS_ELEMENT(prompt):
        return None
    return Solved((SYMBOLS[NAMES.index(names[0])],))


def number_of(prompt: str) -> Solved | None:
    """The atomic number of the only element that a prompt names."""
    names = _names(prompt)
    if len(names) != 1 or not ASKS_NUMBER(prompt) or ASKS_ELEMENT(prompt) or ASKS_SYMBOL(prompt):
        return None
    return Solved((str(NAMES.index(names[0]) + 1),))


def element_of(prompt: str) -> Solved | None:
    """The element whose only symbol or atomic number a prompt names."""
    numbers = [int(match["number"] or match["protons"]) for match in OF_NUMBER.finditer(prompt)]
    symbols = [match["symbol"] for match in OF_SYMBOL.finditer(prompt)]
    if _names(prompt) or len(numbers) + len(symbols) != 1 or not ASKS_ELEMENT(prompt):
        return None
    if symbols:
        places = [at for at, symbol in enumerate(SYMBOLS) if symbol == symbols[0]]
    else:
        places = [numbers[0] - 1] if 1 <= numbers[0] <= len(NAMES) else []
    return Solved((NAMES[places[0]],)) if places else None


def symbol(answer: str) -> str:
    """A symbol in its usual case; empty for other answers."""
    text = answer.strip().strip("*`'\".")
    return text.capitalize() if re.fullmatch("[A-Za-z]{1,2}", text) else ""


def number(answer: str) -> str:
    """A whole number; empty for other answers."""
    text = answer.strip().rstrip(".")
    return str(int(text)) if re.fullmatch(r"\d{1,3}", text) else ""


def element(answer: str) -> str:
    """The usual name of an element, from its symbol too; empty for other answers."""
    words = words_of(answer)
    name = VARIANTS.get(words, words)
    if name in NAMES:
        return name
    return NAMES[SYMBOLS.index(answer.strip())] if answer.strip() in SYMBOLS else ""


CLUE = pattern(r"\belements?\b|\bchemical symbol\b|\batomic number\b|\bprotons\b")
RULES = (
    KnownRule("the chemical symbol of its element", CLUE, symbol_of, symbol, OTHERWISE),
    KnownRule("the atomic number of its element", CLUE, number_of, number, OTHERWISE),
    KnownRule("the element of its symbol or number", CLUE, element_of, element, OTHERWISE),
)
