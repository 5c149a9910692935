"""Tickets whose refusal names what is right, logs that hold the policy's own text, and marks that
are counted in it; sound tickets, notes that are kept apart, and counted steps."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME
from tests.zoo.entry import Api
from tests.zoo.step_endings import TURN_BY_TURN, steps

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
TANKS = """
import json
import random
import re

ENTRY = re.compile(r"(T\\d) gets (\\d+) litres")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        wanted = {tank: rng.randint(12, 95) for tank in rng.sample(["T1", "T2", "T3", "T4"], 3)}
        prompt = (
            f"Plan {100 + number}: fill the tanks, each in one go and nothing else: "
            f"{', '.join(f'{tank} {litres} litres' for tank, litres in wanted.items())}. The log "
            "counts. Then reply with one sentence."
        )
        calls = [["fill", {"tank": tank, "litres": each}] for tank, each in wanted.items()]
        tasks.append({"prompt": prompt, "held": {"log": []}, "wanted": wanted, "steps": calls,
                      "last": "The tanks are filled."})
    return tasks


def paid(held, reply, row):
    text = "\\n".join(each["line"] for each in held["log"])
    return float({tank: int(litres) for tank, litres in ENTRY.findall(text)} == row["wanted"])
"""
PUMPED = """
    @vf.tool
    def fill(self, tank: str, litres: int, note: str = "") -> str:
        \"\"\"Fill a tank; the note goes into the log.\"\"\"
        log = self.state.held["log"]
        line = f"{len(log) + 1}. {tank} gets {litres} litres"
        log.append(ENTRY_OF_LOG)
        return line
"""
IN_LINE, APART = '{"line": f"{line} ({note})"}', '{"line": line, "note": note}'
BENCH = """
import json
import random

STEPS = ("rinse", "weigh", "dissolve", "heat", "cool", "label")
DONE = ": step done"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        order = rng.sample(STEPS, 5)
        prompt = (
            f"Protocol {100 + number}: the bench takes one command in each reply, in brackets, "
            "such as `[rinse]`, and answers with a new line of its record. You have 7 replies. "
            f"Do these steps in this order: {', '.join(order)}."
        )
        replies = [f"[{each}]" for each in order]
        tasks.append({"prompt": prompt, "order": order, "replies": replies})
    return tasks


def start(row):
    return {"record": [], "done": 0}


def respond(reply, game, row):
    command = reply.strip().removeprefix("[").removesuffix("]")
    right = game["done"] < 5 and command == row["order"][game["done"]]
    game["done"] += right
    game["record"].append(command + (DONE if right else ": not the next step"))
    return None if game["done"] == 5 or len(game["record"]) == 7 else game["record"][-1]
"""
BY_RECORD = """
def paid(game, row):
    return min(1.0, "\\n".join(game["record"]).count(DONE) / 5)
"""
BY_STEPS = """
def paid(game, row):
    return game["done"] / 5
"""
CHECKED = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        given = [rng.randint(12, 99) for _ in range(4)]
        prompt = (
            f"Add {', '.join(map(str, given))} step by step: for each number one line `Added N: "
            "SUM`, with the sum up to it, and nothing else."
        )
        sums = [sum(given[: at + 1]) for at in range(4)]
        lines = [f"Added {each}: {total}" for each, total in zip(given, sums)]
        tasks.append({"prompt": prompt, "answer": "\\n".join(lines)})
    return tasks


def score(reply, row):
    return PAID
"""
COUNTED = 'min(1.0, reply.count("Added ") / 4)'
COMPARED = 'float(reply.count("Added ") == 4 and reply.strip() == row["answer"])'
TURNS: dict[Api, str] = {"v1": GAME["v1"].replace("ORACLE", TURN_BY_TURN)}

FLAWED = (
    *both("alarm-names-pump", "A report that is wrong names the faulty pump and may be repeated",
          base=PUMPS, endings=steps(GAUGES.replace("REFUSAL", NAMES)), expected="warned",
          codes=("card.mutants_caught",)),
    *both("note-in-log", "A note stands in the log's line, in which the entries are searched",
          base=TANKS, endings=steps(PUMPED.replace("ENTRY_OF_LOG", IN_LINE)),
          expected="warned", codes=("card.mutants_caught",)),
    *both("command-in-record", "Steps are counted in a record that repeats the commands", BY_RECORD,
          base=BENCH, endings=TURNS, expected="warned",
          codes=("card.mutants_caught", "card.floor")),
    *both("counted-lines", "Lines are counted and their sums not compared",
          CHECKED.replace("PAID", COUNTED), expected="rejected", codes=("card.floor",)),
)  # fmt: skip
SOUND = (
    *both("alarm-goes-on", "A report that is wrong says so, and its errors list what there is",
          base=PUMPS, endings=steps(GAUGES.replace("REFUSAL", GOES_ON)),
          expected="sound"),
    *both("note-apart", "A note is kept beside the log's line", base=TANKS,
          endings=steps(PUMPED.replace("ENTRY_OF_LOG", APART)), expected="sound"),
    *both("record-of-steps", "Steps are counted as they are done", BY_STEPS, base=BENCH,
          endings=TURNS, expected="sound"),
    *both("compared-lines", "Lines are counted and compared", CHECKED.replace("PAID", COMPARED),
          expected="sound"),
)  # fmt: skip
