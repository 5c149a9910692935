"""Untrusted text for pages: without terminal codes, with a sign for each invisible character."""

from __future__ import annotations

import re

# Escape sequences of ECMA-48: those that begin with CSI, with OSC or another string, and the rest.
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
# C0 except newline and tab, C1, and characters that change the direction of text.
INVISIBLE = (
    *range(9),
    *range(11, 32),
    *range(0x7F, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
SHOWN = dict.fromkeys(INVISIBLE, "\N{REPLACEMENT CHARACTER}")


def visible(text: str) -> str:
    """The text with a sign for each control character except newline and tab."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(SHOWN)


def log(text: str) -> str:
    """The final text on a terminal, without colours: a redrawn progress bar is one line."""
    bare = SEQUENCE.sub("", text.replace("\r\n", "\n"))
    return visible("\n".join(_last_drawn(line) for line in bare.split("\n")))


def _last_drawn(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line
