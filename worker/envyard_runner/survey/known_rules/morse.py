"""Texts in Morse code and in the spelling alphabet of NATO, both ways."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
CODES = """
.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..-
-.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.
"""
MORSE = dict(zip(ALPHABET, CODES.split(), strict=True))
LETTERS = {code: letter.casefold() for letter, code in MORSE.items()}
SIGNS = str.maketrans({"\u00b7": ".", "\u2022": ".", "\u2212": "-", "\u2013": "-", "\u2014": "-",
                       "_": "-", "|": "/"})  # fmt: skip
SIGN = "[.\u00b7\u2022_\u2212\u2013\u2014-]"
# Signals between spaces; a slash or a bar is a space between words.
CODE = re.compile(
    rf"(?:(?<=[\s:\"'`(>])|^){SIGN}{{1,6}}(?: {{0,7}}[/| ] {{0,7}}{SIGN}{{1,6}})*"
    r"(?=[\s\"'`)<]|$)"
)
QUOTED = re.compile(r"[\"`\u201c\u2018']([A-Za-z0-9]+(?: [A-Za-z0-9]+)*)[\"`\u201d\u2019']")
BEHIND_COLON = re.compile(r":\s*\**([A-Za-z0-9]+(?: [A-Za-z0-9]+){0,9})\**\s*$")
CAPITALS = re.compile(
    r"\b(?:[Ww]rite|[Ss]pell|[Ee]ncode|[Cc]onvert|[Tt]ranslate) (?:the (?:word|text) )?"
    r"([A-Z0-9]{2,20})(?= )"
)
ENCODES = has(r"\b(?:encod\w*|convert|translate|write|spell|transmit|send|express)\b[^\n]{0,80}"
              r"\b(?:in|to|into|as|using|with)\b[^\n]{0,30}\b(?:morse|nato|phonetic|spelling)"
              r"|\b(?:encode|morse code (?:for|of))\b")  # fmt: skip
DECODES = has(r"\b(?:decod\w*|decipher|translate|read|what does|what word|which word|plain text"
              r"|from morse|to (?:text|letters|english))\b")  # fmt: skip
OTHERWISE = has(
    r"\b(?:american morse|railroad|continental|cyrillic|wabun|japanese|swap\w*|invert\w*|revers\w*"
    r"|backwards|how many|shift\w*|caesar|cipher|first letters?|raf|police|old alphabet)\b"
)
CODE_WORDS = """
alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa
quebec romeo sierra tango uniform victor whiskey xray yankee zulu
"""
SPELLED = CODE_WORDS.split()
VARIANTS = {"alpha": "alfa", "juliet": "juliett", "whisky": "whiskey"}
WORDS = re.compile(r"[A-Za-z]+(?:-[Rr]ay)?")
RUN = 3  # code words in a row


def decoded(prompt: str) -> Solved | None:
    """The letters of all signals of a prompt, one behind the other."""
    runs = [match[0] for match in CODE.finditer(prompt)]
    runs = [run for run in runs if len(run) > 1]  # one sign alone is a dash or a full stop
    if not runs or not DECODES(prompt):
        return None
    signals = " ".join(runs).translate(SIGNS).replace("/", " ").split()
    if len(signals) < 2 or not all(signal in LETTERS for signal in signals):
        return None
    return Solved(("".join(LETTERS[signal] for signal in signals),))


def _text(prompt: str) -> str:
    """The only quoted text of a prompt, what its last colon announces, or a word in capitals behind
    what is done with it; empty otherwise."""
    texts = QUOTED.findall(prompt) or BEHIND_COLON.findall(prompt) or CAPITALS.findall(prompt)
    return texts[0] if len(texts) == 1 else ""


def encoded(prompt: str) -> Solved | None:
    """The signals of the only text, with `/` between words."""
    text = _text(prompt)
    if not text or CODE.search(prompt) or not ENCODES(prompt):
        return None
    words = [" ".join(MORSE[letter] for letter in word.upper()) for word in text.split()]
    return Solved((" ".join(words),), form=" / ".join(words))


def letters(answer: str) -> str:
    """The letters and digits of an answer, without case; empty for signals."""
    return "".join(each for each in answer.casefold() if each.isalnum())


def signals(answer: str) -> str:
    """The signals of an answer with single spaces; empty for other answers."""
    text = " ".join(answer.translate(SIGNS).replace("/", " ").split())
    return text if text and not {*text} - {*".- "} else ""


def spelled(prompt: str) -> Solved | None:
    """The code words of the letters of the only text."""
    text = _text(prompt)
    if not text.isascii() or not text.isalpha() or not ENCODES(prompt):
        return None
    return Solved((" ".join(SPELLED[ord(letter) - ord("A")] for letter in text.upper()),))


def unspelled(prompt: str) -> Solved | None:
    """The letters of the only row of code words."""
    words = [(match.start(), code_word(match[0])) for match in WORDS.finditer(prompt)]
    known = [word in SPELLED for _, word in words]
    first = next((at for at, each in enumerate(known) if each), 0)
    row = next((at for at, each in enumerate(known[first:]) if not each), len(known) - first)
    if row < RUN or sum(known) != row or not DECODES(prompt):
        return None
    return Solved(("".join(word[0] for _, word in words[first : first + row]),))


def code_word(word: str) -> str:
    """The usual spelling of a code word, without case."""
    lower = word.casefold().replace("-", "")
    return VARIANTS.get(lower, lower)


def code_words(answer: str) -> str:
    """The code words of an answer; empty where it has other words."""
    words = [code_word(word) for word in WORDS.findall(answer)]
    return " ".join(words) if all(word in SPELLED for word in words) else ""


CLUE = pattern(r"\bmorse\b")
NATO = pattern(r"\b(?:nato|phonetic|spelling|icao) (?:phonetic |spelling )?(?:alphabet|code)\b")
RULES = (
    KnownRule("the text of its Morse code", CLUE, decoded, letters, OTHERWISE),
    KnownRule("the Morse code of its text", CLUE, encoded, signals, OTHERWISE),
    KnownRule("the NATO code words of its text", NATO, spelled, code_words, OTHERWISE),
    KnownRule("the text of its NATO code words", NATO, unspelled, letters, OTHERWISE),
)
