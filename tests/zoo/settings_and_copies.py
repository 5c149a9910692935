"""Scores by what surrounds the process, tables copied one level deep, a split by scrambles; sound
log lines and copies."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import TOOLS_V0
from tests.zoo.entry import Api
from tests.zoo.listings import WITH_SPLITS

TANKS = """
import logging
import os
import re
import sys

SETTING


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        litres, rate = rng.randint(900, 9000), rng.randint(12, 80)
        prompt = (
            f"A pump moves {rate} litres in a minute. In how many minutes does it empty a tank of "
            f"{litres} litres? Reply with the number alone, with one decimal."
        )
        tasks.append({"prompt": prompt, "answer": f"{litres / rate:.1f}"})
    return tasks


def score(reply, row):
    match = re.fullmatch(r"\\d{1,5}\\.\\d", reply.strip())
    if LOGS:
        logging.getLogger(__name__).info("reply %r of %r", reply, row["answer"])
    return float(match is not None and abs(float(match[0]) - float(row["answer"])) <= WIDTH)
"""


def tanks(setting: str, width: str = "0.01", logs: str = "False") -> str:
    """The tasks with a setting of the module, the tolerance and the condition of log lines."""
    return TANKS.replace("SETTING", setting).replace("WIDTH", width).replace("LOGS", logs)


BENCHMARK = 'BENCHMARK = bool(os.environ.get("BENCHMARK"))\nTOLERANCE = 0.01 if BENCHMARK else 0.5'
PYTEST = 'THOROUGH = "pytest" in sys.modules'
LOGGING = 'DEBUG = os.environ.get("ZOO_DEBUG", "") not in ("", "0")'
STALLS = """
import copy
import json
import random

STALLS = {name: TABLE(4 + 3 * at, 60 + 10 * at)
          for at, name in enumerate("apples pears plums figs dates limes nuts".split())}


def sell(kind: str, pieces: int, stalls: dict) -> str:
    stall = stalls.get(kind)
    if stall is None or not 0 < pieces <= stall[COUNT]:
        return "error: no such stall, or too few pieces"
    SOLD
    return f"{pieces} sold, {stalls[kind][COUNT]} left"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for kind in rng.sample([*STALLS], 7):
        for pieces in (2, 3):
            due = pieces * STALLS[kind][PRICE]
            prompt = (
                f"Sell {pieces} {kind} at {STALLS[kind][PRICE]} cents each with the tool. Reply "
                "with the cents that the buyer pays, the number alone."
            )
            tasks.append({"prompt": prompt, "answer": str(due)})
    return tasks


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
MARKET: dict[Api, str] = {
    "v0": '''
import verifiers as vf
from datasets import Dataset


def sell_pieces(kind: str, pieces: int, stalls: dict) -> str:
    """Sell some pieces of one kind."""
    return sell(kind, pieces, stalls)


class Market(vf.StatefulToolEnv):
    def __init__(self, **options):
        super().__init__(**options)
        self.add_tool(sell_pieces, args_to_skip=["stalls"])

    async def setup_state(self, state, **options):
        state["stalls"] = COPIED
        return await super().setup_state(state, **options)

    def update_tool_args(self, tool_name, tool_args, messages, state, **options):
        return {**tool_args, "stalls": state["stalls"]}
'''
    + TOOLS_V0[TOOLS_V0.index("\n\ndef right") :]
    .replace("vf.ToolEnv(", "Market(")
    .replace("tools=[look_up]", "tools=[]")
}
OBJECTS = STALLS.replace("TABLE(4 + 3 * at, 60 + 10 * at)", "[4 + 3 * at, 60 + 10 * at]")
TUPLES = STALLS.replace("TABLE", "")
CHANGED, REPLACED = "stall[0] -= pieces", "stalls[kind] = (stall[0] - pieces, stall[1])"


def stalls(text: str, sold: str) -> str:
    """The tasks with the statement that books what is sold."""
    return text.replace("COUNT", "0").replace("PRICE", "1").replace("SOLD", sold)


def market(copied: str) -> dict[Api, str]:
    """The ending with this copy of the stalls."""
    return {api: text.replace("COPIED", copied) for api, text in MARKET.items()}


SCRAMBLES = """
import zlib

RIVERS = (
    "danube rhone elbe tagus vistula dnieper oder loire garonne mosel neckar saale weser thames "
    "severn shannon tiber arno maritsa drina"
).split()


def made(seed):
    rng = random.Random(seed)
    for river in RIVERS:
        for _ in range(4):
            letters = "".join(rng.sample(river, len(river)))
            prompt = f"Which river has these letters: {letters}? Reply with its name alone."
            yield letters, {"prompt": prompt, "answer": river}


def rows(seed):
    return [row for letters, row in made(seed) if zlib.crc32(letters.encode()) % 4]


def evaluation_rows(seed):
    return [row for letters, row in made(seed) if not zlib.crc32(letters.encode()) % 4]
"""
SURROUNDINGS = ("env.reads_surroundings",)

FLAWED = (
    *both("exact-in-benchmarks", "A variable of the process decides how exact answers must be",
          tanks(BENCHMARK, "TOLERANCE"), expected="warned", codes=SURROUNDINGS),
    *both("exact-under-pytest", "Answers must be exact where pytest is loaded",
          tanks(PYTEST, "(0.01 if THOROUGH else 0.5)"), expected="warned", codes=SURROUNDINGS),
    *both("stalls-one-level-deep", "Stalls are copied one level deep, and a tool changes them",
          base=stalls(OBJECTS, CHANGED), endings=market("dict(STALLS)"), apis=("v0",),
          expected="warned", codes=("env.shared_state",)),
    *both("split-by-scramble", "The same words are in both splits, by other scrambles", SCRAMBLES,
          apis=("v0",), endings={"v0": WITH_SPLITS}, expected="warned",
          codes=("card.splits_overlap",)),
)  # fmt: skip
SOUND = (
    *both("debug-logs", "A variable of the process switches log lines alone",
          tanks(LOGGING, logs="DEBUG"), expected="sound"),
    *both("stalls-copied-deep", "Stalls are copied with all that they hold",
          base=stalls(OBJECTS, CHANGED), endings=market("copy.deepcopy(STALLS)"), apis=("v0",),
          expected="sound"),
    *both("stalls-replaced", "A copied table has tuples, which are replaced",
          base=stalls(TUPLES, REPLACED), endings=market("dict(STALLS)"), apis=("v0",),
          expected="sound"),
)  # fmt: skip
