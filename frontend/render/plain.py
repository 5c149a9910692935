"""A stranger's text as pages show it: without codes for terminals, and no sign goes unseen."""

from __future__ import annotations

import re

# Escape sequences of ECMA-48: those that begin with CSI, with OSC or another string, and the rest.
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
# C0 but newline and tab, C1, and what turns the direction of the text after it.
UNSEEN = (
    *range(9),
    *range(11, 32),
    *range(0x7F, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
SHOWN = dict.fromkeys(UNSEEN, "\N{REPLACEMENT CHARACTER}")


def visible(text: str) -> str:
    """The text with a sign for each control character but newline and tab."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(SHOWN)


def log(text: str) -> str:
    """What a terminal shows of it in the end, without colours: a bar drawn again is one line."""
    bare = SEQUENCE.sub("", text.replace("\r\n", "\n"))
    return visible("\n".join(_last_drawn(line) for line in bare.split("\n")))


def _last_drawn(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line
