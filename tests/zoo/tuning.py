"""A receiver that is tuned to a hidden frequency, with credit for a last setting beside it: a bad
first setting raises it; sound ones whose credit the last setting alone decides."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS

RECEIVER = """
import json
import random
import re


def rows(seed):
    rng, tasks = random.Random(seed), []
    for number in range(30):
        low = rng.randint(300, 900)
        high = low + rng.randint(200, 600)
        station = rng.randint(low, high)
        prompt = (
            f"Station {number} sends on a frequency between {low} and {high} kHz. Set the receiver "
            "with <tune>N</tune>, at most six times; I tell you how strong the signal is. Reply "
            "<done/> to end. Your last setting counts.STATED"
        )
        tasks.append({"prompt": prompt, "station": station, "width": high - low,
                      "replies": [f"<tune>{station}</tune>", "<done/>"]})
    return tasks


def start(row):
    return {"errors": []}


def respond(reply, game, row):
    match = re.search(r"<tune>(\\d+)</tune>", reply)
    if match:
        game["errors"] = [*game["errors"], abs(int(match[1]) - row["station"])]
    if not match or len(game["errors"]) == 6:
        return None
    return f"The signal has strength {round(1000 / (1 + game['errors'][-1] / 20))}."


def paid(game, row):
    errors = game["errors"]
    if not errors:
        return 0.0
    return 1.0 if errors[-1] == 0 else max(0.0, 1 - errors[-1] / WHOLE)
"""
BY_LARGEST = RECEIVER.replace("WHOLE", "max(errors)")
BY_WIDTH = RECEIVER.replace("WHOLE", '(row["width"] / 8)').replace("STATED", "")
IMPROVEMENT = " You are paid by how much you improve on your worst setting."

FLAWED = (
    *both("worst-setting-first", "Credit is relative to the largest error, so a bad first setting "
          "raises it", base=BY_LARGEST.replace("STATED", ""), endings=TURNS, expected="warned",
          codes=("card.mutants_caught",)),
)  # fmt: skip
SOUND = (
    *both("last-setting-alone", "The error of the last setting alone decides", base=BY_WIDTH,
          endings=TURNS, expected="sound"),
    *both("improvement-stated", "Credit is relative to the worst setting, as the prompt states",
          base=BY_LARGEST.replace("STATED", IMPROVEMENT), endings=TURNS, expected="sound"),
)  # fmt: skip
