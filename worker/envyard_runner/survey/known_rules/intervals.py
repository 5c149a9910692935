"""Musical intervals between two named notes, and their semitones.

The name follows from the letters (C to D# is a second); the usual name of as many semitones is
right as well, because prompts with sharps alone name intervals so.
"""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

LETTERS = "CDEFGAB"
NATURAL = dict(zip(LETTERS, (0, 2, 4, 5, 7, 9, 11), strict=True))
SHARPS = {"": 0, "#": 1, "\u266f": 1, "sharp": 1, "##": 2, "x": 2, "b": -1, "\u266d": -1,
          "flat": -1, "bb": -2, "\u266e": 0}  # fmt: skip
NOTE = r"[A-G](?:##|bb|[#bx\u266d-\u266f]|[ -](?:sharp|flat)\b)?\d?(?![\w#])"
PAIR = re.compile(
    rf"(?P<between>\bbetween )?(?:(?:the )?notes? )?[`'\"*]{{0,2}}(?<![\w-])(?P<one>{NOTE})"
    r"[`'\"*]{0,2}"
    r"(?P<way>,? (?:(?:up|down|ascending|descending|rising|falling) )?(?:to|and) (?:the )?"
    r"(?:(?:nearest|next|first|higher|lower|note) ){0,3}| ?[-\u2013\u2192>]{1,2} ?)"
    rf"[`'\"*]{{0,2}}(?P<other>{NOTE})[`'\"*]{{0,2}}(?P<behind> (?:above|below))?"
)
PARTS = re.compile(
    r"(?P<letter>[A-G])[ -]?(?P<sign>##|bb|[#bx\u266d-\u266f]|sharp|flat)?(?P<octave>\d)?"
)
MORE = re.compile(rf"[`'\"*]{{0,2}},? ?(?:-|\u2013|(?:and |to |up |down |then ){{0,3}}){NOTE}")
LOWER = re.compile(
    rf"\b[Ll]ower note(?: is|:)? (?P<one>{NOTE})[,.;]? (?:and )?(?:the )?[Uu]pper note(?: is|:)? "
    rf"(?P<other>{NOTE})"
)
UP = has(r"\b(?:up|ascend\w*|rising|above|higher|upwards?)\b")
DOWN = has(r"\b(?:down|descend\w*|falling|below|lower|downwards?)\b")
# In German names H is the note below C, and B the one below that.
H_NOTE = re.compile(r"(?<![\w'])H(?:is|es)?(?:\d| (?:up|down|and|to)\b)")
OTHERWISE = has(
    r"\b(?:german (?:names?|notes?|notation)|inver(?:t|s)\w*|complement"
    r"|quarter[- ]?tones?|microton\w*|just intonation|cents|transpos\w*|scale steps?)\b"
)
ASKS_SEMITONES = has(
    r"\bhow many (?:semitones|half[- ]steps)\b|\b(?:number of|in) (?:semitones|half[- ]steps)\b"
)
ASKS_NAME = has(r"\b(?:interval|called)\b")
PERFECT = {0, 3, 4}
MAJOR = (0, 2, 4, 5, 7, 9, 11)  # semitones of the major or perfect interval, from the unison on
NUMBERS = ("unison", "second", "third", "fourth", "fifth", "sixth", "seventh", "octave", "ninth",
           "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth")  # fmt: skip
USUAL = ("perfect unison", "minor second", "major second", "minor third", "major third",
         "perfect fourth", "tritone", "perfect fifth", "minor sixth", "major sixth",
         "minor seventh", "major seventh", "perfect octave")  # fmt: skip
QUALITIES = {"perfect": "perfect", "perf": "perfect", "P": "perfect", "major": "major",
             "maj": "major", "M": "major", "minor": "minor", "min": "minor", "m": "minor",
             "augmented": "augmented", "aug": "augmented", "A": "augmented",
             "diminished": "diminished", "dim": "diminished", "d": "diminished"}  # fmt: skip
NAME = re.compile(
    r"(?P<doubly>doubly[ -])?(?P<quality>perfect|perf|P|major|maj|M|minor|min|m|augmented|aug|A"
    r"|diminished|dim|d)\.?[ -]?(?P<number>[a-z]{4,10}|\d{1,2})(?:st|nd|rd|th)?\.?",
)
SEMITONES = re.compile(r"(?P<count>\d{1,2})(?: (?:semitones?|half[- ]?steps?))?\.?", re.IGNORECASE)


def _height(note: str) -> tuple[int, int, int | None]:
    """The place of a note's letter from C on, its semitones above C, and its octave."""
    match = PARTS.fullmatch(note)
    if match is None:
        raise ValueError(note)
    letter = match["letter"]
    octave = int(match["octave"]) if match["octave"] else None
    return LETTERS.index(letter), NATURAL[letter] + SHARPS[match["sign"] or ""], octave


def spans(prompt: str) -> list[tuple[int, int]]:
    """The letters and semitones between the only two notes, in all readings of the prompt: without
    a direction two notes may be either way round."""
    pairs = [*LOWER.finditer(prompt)] or [*PAIR.finditer(prompt)]
    if len(pairs) != 1 or MORE.match(prompt, pairs[0].end()):
        return []
    match = pairs[0]
    one, other = _height(match["one"]), _height(match["other"])
    up, down = (UP(prompt), DOWN(prompt)) if match.re is PAIR else (True, False)
    if (one[2] is None) != (other[2] is None) or (up and down):
        return []
    if one[2] is not None and other[2] is not None:
        steps = other[0] - one[0] + 7 * (other[2] - one[2])
        semitones = other[1] - one[1] + 12 * (other[2] - one[2])
        if (up and steps < 0) or (down and steps > 0):
            return []
        return [(abs(steps), semitones if steps >= 0 else -semitones)]
    ways = [(one, other)] if up else [(other, one)] if down else [(one, other), (other, one)]
    return [_above(*way) for way in (ways if up or down or match["between"] else ways[:1])]


def _above(low: tuple[int, int, int | None], high: tuple[int, int, int | None]) -> tuple[int, int]:
    steps, semitones = high[0] - low[0], high[1] - low[1]
    return (steps, semitones) if steps >= 0 else (steps + 7, semitones + 12)


def interval_name(steps: int, semitones: int) -> str:
    """Quality and number, as `minor third`; empty where it has no simple name."""
    if not 0 <= steps < len(NUMBERS):
        return ""
    offset = semitones - MAJOR[steps % 7] - 12 * (steps // 7)
    if steps % 7 in PERFECT:
        qualities = {-1: "diminished", 0: "perfect", 1: "augmented"}
    else:
        qualities = {-2: "diminished", -1: "minor", 0: "major", 1: "augmented"}
    return f"{qualities[offset]} {NUMBERS[steps]}" if offset in qualities else ""


def name_of(prompt: str) -> Solved | None:
    """The interval between the two notes of a prompt."""
    if not ASKS_NAME(prompt) or re.search(r"\bhow many\b", prompt, re.IGNORECASE):
        return None
    right = []
    for steps, semitones in spans(prompt):
        if not (name := interval_name(steps, semitones)):
            return None
        right.append(name)
        right += _others(name, steps, semitones)
    return Solved((*dict.fromkeys(right),)) if right else None


def _others(name: str, steps: int, semitones: int) -> list[str]:
    """Names of the same semitones: the usual one, and the simple one of a compound interval."""
    others = []
    if steps >= len(MAJOR):
        others = [interval_name(steps % 7, semitones % 12), USUAL[semitones % 12]]
    if 0 <= semitones < len(USUAL):
        others.append(USUAL[semitones])
    return others


def semitones_of(prompt: str) -> Solved | None:
    """The number of semitones between the two notes of a prompt."""
    counts = [semitones for _, semitones in spans(prompt)]
    if not counts or not ASKS_SEMITONES(prompt) or not all(0 <= each <= 60 for each in counts):
        return None
    return Solved((*dict.fromkeys(map(str, counts)),))


def normal_name(answer: str) -> str:
    """Quality and number in words, from `m7` or `Minor 7th`; empty for other answers."""
    text = answer.strip().strip("*`'\".")
    lower = text.casefold()
    if lower in ("tritone", "tri-tone"):
        return "tritone"
    if lower in ("octave", "unison", "prime", "an octave"):
        return "perfect unison" if lower == "prime" else f"perfect {lower.split()[-1]}"
    match = NAME.fullmatch(text) or NAME.fullmatch(lower)
    if match is None or match["doubly"]:
        return ""
    number = match["number"]
    if number.isdigit():
        number = NUMBERS[int(number) - 1] if 0 < int(number) <= len(NUMBERS) else ""
    elif number == "prime":
        number = "unison"
    return f"{QUALITIES[match['quality']]} {number}" if number in NUMBERS else ""


def normal_semitones(answer: str) -> str:
    """The number before `semitones`, or alone; empty for other answers."""
    match = SEMITONES.fullmatch(answer.strip())
    return str(int(match["count"])) if match else ""


def _is_german(prompt: str) -> bool:
    return H_NOTE.search(prompt) is not None


RULES = (
    KnownRule(
        "the interval between its notes",
        pattern(r"\binterval"),
        name_of,
        normal_name,
        OTHERWISE,
        _is_german,
    ),
    KnownRule(
        "the semitones between its notes",
        pattern(r"semitone|half[- ]step"),
        semitones_of,
        normal_semitones,
        OTHERWISE,
        _is_german,
    ),
)
