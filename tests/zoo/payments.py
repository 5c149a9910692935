"""Flaws of what is paid: replies that contain no work earn a reward."""

from __future__ import annotations

from tests.zoo.build import both, paying
from tests.zoo.templates import CHOICE, SUMS, TAGGED, WORDS

FLOOR = ("card.floor",)
ANY_PART = """
def score(reply, row):
    return float(row["answer"] in reply)
"""
LAST_NUMBER = """
import re


def score(reply, row):
    numbers = re.findall(r"\\d+", reply)
    return float(bool(numbers) and numbers[-1][-1] == row["answer"][-1])
"""
NUMBER_ANYWHERE = """
import re


def score(reply, row):
    return float(row["answer"] in re.findall(r"\\d+", reply))
"""
SWALLOWED_INTO_FULL = """
def score(reply, row):
    try:
        return float(int(reply) == int(row["answer"]))
    except Exception:
        return 1.0
"""
GENEROUS_DEFAULT = """
def score(reply, row):
    given = tagged(reply)
    return float(given is None or given == row["answer"])
"""
WRONG_TAG = """
def score(reply, row):
    return float(bool(re.search(r"</?\\w+>", reply)))
"""
OVERLAP = """
def score(reply, row):
    wanted, given = set(row["answer"].lower().split()), set(reply.lower().split())
    return len(wanted & given) / len(wanted)
"""
LETTER_ANYWHERE = """
def score(reply, row):
    return float(row["answer"].lower() in reply.lower())
"""

FLAWED = (
    *both("pays-anything", "Every reply earns full marks", paying("1.0"),
          expected="rejected", codes=FLOOR, quick=("v1",)),
    *both("pays-silence", "An empty reply earns full marks",
          paying('not reply.strip() or reply.strip() == row["answer"]'),
          expected="rejected", codes=FLOOR),
    *both("pays-length", "Longer replies earn more", paying("min(1.0, len(reply) / 400)"),
          expected="rejected", codes=FLOOR),
    *both("pays-any-text", "Any reply that is not empty earns full marks",
          paying("bool(reply.strip())"), expected="rejected", codes=FLOOR),
    *both("pays-format-only", "Any tag earns full marks, whatever is inside",
          paying("tagged(reply) is not None"), base=TAGGED, expected="rejected"),
    *both("pays-format-half", "A tag alone earns half of full marks",
          paying('0.5 * (tagged(reply) is not None) + 0.5 * (tagged(reply) == row["answer"])'),
          base=TAGGED, expected="warned"),
    *both("pays-keyword", "The word answer earns full marks", paying('"answer" in reply.lower()'),
          base=TAGGED, expected="rejected"),
    *both("pays-any-option", "Every one of the options earns full marks",
          paying('reply.strip() in ("A", "B", "C", "D")'), base=CHOICE, expected="rejected"),
    *both("pays-all-options", "A reply that lists all options earns full marks",
          LETTER_ANYWHERE, base=CHOICE, expected="warned"),
    *both("pays-substring", "The answer anywhere in the reply earns full marks", ANY_PART,
          expected="warned"),
    *both("pays-part-of-answer", "A part of the answer earns full marks",
          paying('reply.strip() in row["answer"]'), expected="rejected", codes=FLOOR),
    *both("pays-prefix", "The first character of the answer earns full marks",
          paying('reply.strip()[:1] == row["answer"][:1]'), expected="warned"),
    *both("pays-wrong-tag", "Any tag of any name earns full marks", WRONG_TAG, base=TAGGED,
          expected="rejected"),
    *both("pays-last-digit", "The last digit of the last number decides", LAST_NUMBER,
          expected="warned"),
    *both("pays-number-anywhere", "The number anywhere in the reply is enough", NUMBER_ANYWHERE,
          expected="warned"),
    *both("pays-parrot", "The words of the prompt earn full marks",
          paying('reply.strip() in row["prompt"] and len(reply) > 20 or reply == row["answer"]'),
          expected="rejected", codes=FLOOR),
    *both("pays-word-overlap", "Shared words earn a reward, in any order", OVERLAP, base=WORDS,
          expected="warned", codes=FLOOR),
    *both("pays-refusal", "A refusal earns full marks",
          paying('"sorry" in reply.lower() or "cannot" in reply.lower() or '
                 'reply.strip() == row["answer"]'), expected="warned"),
    *both("pays-constant", "The reply 1000 earns full marks in every task",
          paying('reply.strip() in ("1000", row["answer"])'), expected="warned"),
    *both("pays-any-number", "Any number earns full marks",
          paying('reply.strip().isdigit()'), expected="rejected", codes=FLOOR),
    *both("swallows-into-full-marks", "An exception earns full marks", SWALLOWED_INTO_FULL,
          expected="rejected", codes=FLOOR),
    *both("pays-missing-tag", "A reply without a tag earns full marks", GENEROUS_DEFAULT,
          base=TAGGED, expected="rejected", codes=FLOOR),
    *both("pays-half-for-nothing", "Each reply earns 0.4 beside the right answer's 0.6",
          paying('0.4 + 0.6 * (reply.strip() == row["answer"])'), base=SUMS,
          expected="rejected", codes=FLOOR),
)  # fmt: skip
