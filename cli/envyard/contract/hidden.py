"""Characters that are invisible or change the displayed text, by their Unicode category."""

from __future__ import annotations

import re
import unicodedata

# Controls, formats (direction marks among them), surrogates, private and unassigned characters,
# and separators other than the space.
HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
# Shown as nothing, though their category is that of letters, marks or symbols: fillers, joiners
# and variation selectors (Default_Ignorable_Code_Point), and the empty Braille cell.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
                   "\U0001d159\U0001d173-\U0001d17a\U000e0100-\U000e01ef]")  # fmt: skip
# What people type and see: emoji of several characters, joiners between letters of scripts that
# join, and the spaces of typography.
FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
KEYCAP = "[0-9#*]\ufe0f?\u20e3"
JOINED = "(?<=[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u17ff])[\u200c\u200d]"
EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
SELECTED = f"{EMOJI}\ufe0f?[\U0001f3fb-\U0001f3ff]?(\u200d{EMOJI}\ufe0f?[\U0001f3fb-\U0001f3ff]?)*"
VARIANT = "(?<=[\u3400-\u9fff\U00020000-\U0003ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
SPACES = "[\u00a0\u2002-\u200a\u202f\u205f\u3000]"
SEEN = re.compile("|".join((FLAG, KEYCAP, JOINED, f"{EMOJI}\ufe0e", SELECTED, VARIANT, SPACES)))
# They reverse the order of other text, or form invisible text: no README needs them.
DECEIVING = re.compile("[\u202a-\u202e\U000e0000-\U000e007f]")


def path_fault(text: str) -> str:
    """The first invisible character of a path, described; empty where all are visible."""
    for character in text:
        if character != " " and is_hidden(character):
            return describe(character)
    return ""


def line_fault(text: str) -> str:
    """The same for a line that people read: emoji and joined letters are no fault."""
    return "" if text.isascii() and text.isprintable() else path_fault(SEEN.sub("", text))


def text_fault(text: str) -> str:
    """The same for a text of many lines: only what reorders it, or is invisible text, is a fault.

    Characters of which flags are made stand behind a flag.
    """
    match = None if text.isascii() else DECEIVING.search(re.sub(FLAG, "", text))
    return describe(match[0]) if match else ""


def is_hidden(character: str) -> bool:
    """Whether the character is invisible, or controls direction or lines."""
    return unicodedata.category(character) in HIDDEN_CATEGORIES or bool(BLANK.match(character))


def describe(character: str) -> str:
    """Its code point and name: `U+202E (RIGHT-TO-LEFT OVERRIDE)`."""
    name = unicodedata.name(character, unicodedata.category(character))
    return f"U+{ord(character):04X} ({name})"
