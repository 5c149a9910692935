"""Answers that are submitted by a tool or stand in files, and last replies that count nothing."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.courses import V1, steps

SUBMIT = """
    @vf.tool
    def submit_total(self, cents: int) -> str:
        \"\"\"Submit the total in cents.\"\"\"
        self.state.held["submitted"] = cents
        wrong = cents - self.state.held["total"]
        return ANSWERED
"""
OFF_BY = steps(SUBMIT.replace("ANSWERED", 'f"off by {wrong}" if wrong else "closed"'))
RECEIVED = steps(SUBMIT.replace("ANSWERED", 'f"{cents} cents received"'))
BILLS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        prices = [rng.randint(120, 9000) for _ in range(9)]
        total = sum(prices) - max(prices)
        prompt = (
            f"A bill lists {', '.join(map(str, prices))} cents; the dearest item is free. Submit "
            "its total with the tool, then reply with one sentence."
        )
        calls = [["submit_total", {"cents": total}]]
        tasks.append(
            {"prompt": prompt, "held": {"total": total}, "steps": calls, "last": "It is done."}
        )
    return tasks


def paid(held, reply, row):
    return float(held.get("submitted") == held["total"])
"""

FLAWED = (
    *both("submission-off-by", "The tool that gets the answer says by how much it misses", "",
          base=BILLS, endings=OFF_BY, apis=V1, expected="warned", codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("submission-received", "The tool that gets the answer repeats it", "", base=BILLS,
          endings=RECEIVED, apis=V1, expected="sound"),
)  # fmt: skip
