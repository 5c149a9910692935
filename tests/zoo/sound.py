"""Sound environments, most of them unusual: none may be rejected."""

from __future__ import annotations

from tests.zoo.build import both, paying
from tests.zoo.templates import CHOICE, TAGGED, WORDS

SOUND = (
    *both("sums", "Sums of two numbers", expected="sound", quick=("v1",)),
    *both("tagged-sums", "Sums in a tag", base=TAGGED, expected="sound"),
    *both("choice", "Four options, one letter", base=CHOICE, expected="sound"),
    *both("sentences", "A sentence in capitals", base=WORDS, expected="sound"),
    *both("format-bonus", "A tag alone earns 0.1",
          paying('0.1 * (tagged(reply) is not None) + 0.9 * (tagged(reply) == row["answer"])'),
          base=TAGGED, expected="sound"),
)  # fmt: skip
