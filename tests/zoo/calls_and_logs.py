"""Tickets whose refusal names what is right; sound tickets that may be filed again."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.courses import V1, steps

PUMPS = """
import json
import random

CAUSES = {"air lock": "12 bar, swings", "worn seal": "31 bar, drips", "blocked valve": "58 bar"}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        pumps = [f"{side}-{letter}" for side in ("north", "south", "west") for letter in "abc"]
        pump, cause = rng.choice(pumps), rng.choice([*CAUSES])
        prompt = (
            f"Report {1000 + number}: the plant has the pumps {', '.join(pumps)}. A healthy one "
            "shows 40 bar; one of them is faulty. Read the gauges, find the pump and the cause "
            f"({', '.join(CAUSES)}), close the report, and reply with one sentence. The manual: "
            "an air lock shows 12 bar and a needle that swings, a worn seal 31 bar and drips, a "
            "blocked valve 58 bar."
        )
        read = [["read_gauge", {"pump": each}] for each in pumps[: pumps.index(pump) + 1]]
        calls = [*read, ["close_report", {"pump": pump, "cause": cause}]]
        held = {"pumps": pumps, "pump": pump, "cause": cause, "filed": []}
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": "It is closed."})
    return tasks


def paid(held, reply, row):
    return float(held["filed"] == [row["held"]["pump"], row["held"]["cause"]])
"""
GAUGES = '''
    @vf.tool
    def read_gauge(self, pump: str) -> str:
        """The gauge of a pump."""
        held = self.state.held
        if pump not in held["pumps"]:
            return "error: no such pump"
        return CAUSES[held["cause"]] if pump == held["pump"] else "40 bar"

    @vf.tool
    def close_report(self, pump: str, cause: str) -> str:
        """File the pump and the cause."""
        held = self.state.held
        if pump not in held["pumps"] or cause not in CAUSES:
            return f"error: pumps are {', '.join(held['pumps'])}; causes are {', '.join(CAUSES)}"
        held["filed"] = [pump, cause]
        right = held["filed"] == [held["pump"], held["cause"]]
        return "The alarm has ended." if right else REFUSAL
'''
NAMES = "f\"Filed {cause} at {pump}. The alarm goes on: {held['cause']} at {held['pump']}.\""
GOES_ON = 'f"Filed {cause} at {pump}. The alarm goes on."'

FLAWED = (
    *both("alarm-names-pump", "A report that is wrong names the faulty pump and may be repeated",
          base=PUMPS, endings=steps(GAUGES.replace("REFUSAL", NAMES)), apis=V1, expected="warned",
          codes=("card.mutants_caught",)),
)  # fmt: skip
SOUND = (
    *both("alarm-goes-on", "A report that is wrong says so, and its errors list what there is",
          base=PUMPS, endings=steps(GAUGES.replace("REFUSAL", GOES_ON)), apis=V1,
          expected="sound"),
)  # fmt: skip
