"""Right answers in another form that the prompt leaves open: a usual capital, zeros of a fraction,
other separators, a free order, another name of a note, a time without its first zero, and a unit.

Each needs a prompt that shows no form of its own; a verifier that refuses one of these then wants
what nobody asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from envyard_runner.mutation.by_prompt import ANY_ORDER, PRECISION, reversed_list
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.lists import LISTED

WORDS = re.compile(r"[^\W\d_]{3,30}(?: [^\W\d_]{2,30}){0,2}")
# Prompts of which each character may matter (ciphers, spelling, code), and texts to be completed.
OF_CHARACTERS = re.compile(
    r"\b(?:revers|backward|cipher|shift|caesar|morse|decod|encod|string|text\b|print|output|code|"
    r"letter|spell|anagram|scrambl|character|regex|pattern|replac|extract|cop[yi]|case|capital|"
    r"exact|verbatim|variable|function|identifier|symbol|json|sort|alphabet|rotat|complet|continu|"
    r"fill\b|blank)|[-=]>|_{2,}",
    re.IGNORECASE,
)
LONGEST_ABBREVIATION = 5  # letters, of which a word in capitals may be one
FRACTION = re.compile(r"-?\d{1,12}\.\d{1,7}")
SEPARATOR_SHOWN = re.compile(
    r"\bspace|\bform(?:at)?\b|\bexactly|\blike\b|\bexample|\be\.g\.|[\"'`],\s?[\"'`]", re.IGNORECASE
)
JSON_WANTED = re.compile(r"\bjson\b|\b(?:list|array|dict|object)\b", re.IGNORECASE)
# Questions whose answer is a set, and words by which a prompt may order it all the same.
SET_WANTED = re.compile(
    r"\bwhich (?:of )?(?:the |these )?\w+s\b|\b(?:list|find|name|select|give) (?:all|every)\b"
    r"|\ball (?:the )?\w+ (?:that|which|who|whose|with)\b",
    re.IGNORECASE,
)
ORDER_IMPLIED = re.compile(
    r"\b(?:order|rank|sort|sequence|route|path|schedul|plan\b|steps?\b|first|last|then\b|next|"
    r"priorit|arrange|ascend|descend|alphabet|chronolog|revers|chain|from \w+ to|itinerary|queue)",
    re.IGNORECASE,
)
NOTE = re.compile(r"(?P<name>[A-G])(?P<sign>[#b\u266f\u266d])")
FLATS = {"C#": "Db", "D#": "Eb", "F#": "Gb", "G#": "Ab", "A#": "Bb"}
SAME_NOTE = FLATS | {flat: sharp for sharp, flat in FLATS.items()}
SIGNS = str.maketrans({"\u266f": "#", "\u266d": "b"})
NOTE_WANTED = re.compile(r"\b(?:note|key|semitone|scale|chord|piano|pitch)s?\b", re.IGNORECASE)
SIGN_WANTED = re.compile(r"\bsharps?\b|\bflats?\b|[A-G][#\u266f\u266d]|\b[A-G]b\b", re.IGNORECASE)
# A prompt that allows both names, and one in which theory decides between them.
BOTH_SIGNS = re.compile(
    r"(?<!not )(?:\bsharps?\b|#)[^.\n]{0,30}\bor\b[^.\n]{0,30}\bflats?\b"
    r"|\bflats?\b[^.\n]{0,30}\bor\b[^.\n]{0,30}(?:\bsharps?\b|#)",
    re.IGNORECASE,
)
SPELLED = re.compile(
    r"\b(?:(?:not|never|no|avoid) (?:\w+ )?(?:sharps?|flats?)|scales?|chords?|intervals?|keys? of|"
    r"key signature|major|minor|triads?|"
    r"thirds?|fourths?|fifths?|sixths?|sevenths?|spell\w*)\b",
    re.IGNORECASE,
)
# A note or a chord, perhaps with its bass; and how many of them are read.
CHORD = re.compile(
    r"[A-G][#b]?(?:maj|min|m|M|dim|aug|sus|add|[\u00b0\u00f8+])?\d{0,2}(?:[b#]\d{1,2})?"
    r"(?:/[A-G][#b]?)?"
)
MOST_CHORDS = 100
# A prompt that calls both names equal, whatever theory decides.
SAME_SIGNS = re.compile(
    r"\bsharps and flats\b[^.\n]{0,30}"
    r"\b(?:equal\w*|same|both|either|interchangeabl\w*|accept\w*|fine)\b"
    r"|\b[A-G]# (?:and|or) [A-G]b\b[^.\n]{0,20}\b(?:same|equal\w*|equivalent|both|either)\b"
    r"|\benharmonic\w*\b[^.\n]{0,40}\b(?:equal\w*|same|both|either|accept\w*|fine|allowed|count)\b",
    re.IGNORECASE,
)
TIME = re.compile(r"0(?P<time>\d:[0-5]\d)")
TIME_SHOWN = re.compile(r"\b0\d:\d\d|HH|\b24[ -]?h|\bdigits?\b|\bformat", re.IGNORECASE)
UNIT_WANTED = re.compile(
    r"\b(?:with|include|add|give|state|forget|name)\s+(?:its|the) units?\s*\(([^\s()\d]{1,10})\)",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def capitalised(answer: str, prompt: str) -> str | None:
    """Words in lower case, or in capitals, as one begins a sentence with them, where the prompt
    does not show them and its characters do not matter."""
    text = answer.strip()
    usual = text.lower() if text.isupper() else text
    if not WORDS.fullmatch(text) or usual != text.lower() or OF_CHARACTERS.search(prompt):
        return None
    shown = text in prompt or (text.isupper() and len(text) <= LONGEST_ABBREVIATION)
    return None if shown else usual[0].upper() + usual[1:]


def zeros(answer: str, prompt: str) -> str | None:
    """A fraction without the zeros at its end, or with one, where the prompt shows no such number
    and names no precision."""
    text = answer.strip()
    if not FRACTION.fullmatch(text) or PRECISION.search(prompt) or text in prompt:
        return None
    return text.rstrip("0").rstrip(".") if text.endswith("0") else f"{text}0"


def separators(answer: str, prompt: str) -> str | None:
    """Items behind commas without a space, or with one, where the prompt shows neither."""
    text = answer.strip()
    shown = SEPARATOR_SHOWN.search(prompt) or JSON_WANTED.search(prompt)
    if not LISTED.fullmatch(text) or shown or "comma" not in prompt.lower() or text in prompt:
        return None
    separator = "," if ", " in text else ", "
    return separator.join(item.strip() for item in text.split(","))


def reordered(answer: str, prompt: str) -> str | None:
    """The items in reverse order, where the prompt says that any order is right."""
    text = answer.strip()
    if not ANY_ORDER.search(prompt):
        return None
    listed = parsed(text)
    if isinstance(listed, list) and listed != listed[::-1]:
        return json.dumps(listed[::-1], ensure_ascii=False)
    return reversed_list(text) if LISTED.fullmatch(text) else None


def as_listed(answer: str, prompt: str) -> str | None:
    """The items in the order in which the prompt names them, where it asks which ones and for no
    order."""
    text = answer.strip()
    if not LISTED.fullmatch(text) or ORDER_IMPLIED.search(prompt) or not SET_WANTED.search(prompt):
        return None
    items = [item.strip() for item in text.split(",")]
    places = [prompt.lower().find(item.lower()) for item in items]
    if len({*items}) < len(items) or min(places) < 0:
        return None
    separator = ", " if ", " in text else ","
    listed = separator.join(item for _, item in sorted(zip(places, items, strict=True)))
    return listed if listed != text else None


def enharmonic(answer: str, prompt: str) -> str | None:
    """The other names of notes of music, as Db for C#: of one where the prompt names no sign, of
    all where it allows sharps or flats and no theory decides between them."""
    names = answer.strip().translate(SIGNS)
    chords = names.replace(",", " ").split()
    are_chords = 0 < len(chords) <= MOST_CHORDS and all(map(CHORD.fullmatch, chords))
    if not are_chords or not NOTE_WANTED.search(prompt):
        return None
    both = BOTH_SIGNS.search(prompt) and not SPELLED.search(prompt)
    same = SAME_SIGNS.search(prompt)
    if not both and not same and (SIGN_WANTED.search(prompt) or not NOTE.fullmatch(names)):
        return None
    other = NOTE.sub(lambda match: SAME_NOTE.get(match[0], match[0]), names)
    return other if other != names else None


def hour(answer: str, prompt: str) -> str | None:
    """A time of the morning without its first zero, where the prompt shows no form of a time."""
    match = TIME.fullmatch(answer.strip())
    return match["time"] if match and not TIME_SHOWN.search(prompt) else None


def with_unit(answer: str, prompt: str) -> str | None:
    """A number with the unit that the prompt asks for in words."""
    wanted = UNIT_WANTED.search(prompt)
    is_bare = wanted and AMOUNT.fullmatch(answer.strip())
    return f"{answer.strip()} {wanted[1]}" if wanted and is_bare else None


OPEN_FORMS: dict[str, Callable[[str, str], str | None]] = {
    "capitalised": capitalised,
    "zeros": zeros,
    "separators": separators,
    "reordered": reordered,
    "as_listed": as_listed,
    "enharmonic": enharmonic,
    "hour": hour,
    "with_unit": with_unit,
}
