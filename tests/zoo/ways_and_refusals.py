"""Steps that are paid again and again, and refusals that show a secret; sound ones beside them."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS, steps

LIFT = """
import json
import random
import re

MOST = 24


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 30:
        floor, goal = rng.sample(range(1, 31), 2)
        if not 3 <= abs(floor - goal) <= 8:
            continue
        way = "up" if goal > floor else "down"
        prompt = (
            f"A lift is at floor {floor} of a house with thirty floors, and a guest waits at floor "
            f"{goal}. Reply with `Lift: up` or `Lift: down`, one floor at a time. Getting nearer "
            f"earns a little, and the guest earns most. You have {MOST} replies."
        )
        tasks.append({"prompt": prompt, "floor": floor, "goal": goal,
                      "replies": [f"Lift: {way}"] * abs(goal - floor)})
    return tasks


def start(row):
    return {"floor": row["floor"], "earned": 0.0, "replies": 0}


def respond(reply, game, row):
    game["replies"] += 1
    match = re.fullmatch(r"Lift: (up|down)", reply.strip())
    if not match:
        return None if game["replies"] == MOST else "Reply with `Lift: up` or `Lift: down`."
    floor = min(30, max(1, game["floor"] + (1 if match[1] == "up" else -1)))
    nearer = abs(game["floor"] - row["goal"]) - abs(floor - row["goal"])
    game["earned"] += EARNED
    game["floor"] = floor
    if floor == row["goal"] or game["replies"] == MOST:
        return None
    return f"The lift is at floor {floor}; {MOST - game['replies']} replies are left."


def paid(game, row):
    return min(1.0, max(0.0, game["earned"] + 0.4 * (game["floor"] == row["goal"])))
"""
ROVER = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 30:
        place, hut = rng.sample(range(20), 2)
        if not 3 <= abs(place - hut) <= 8:
            continue
        way = "east" if hut > place else "west"
        prompt = (
            f"A rover stands on a road at kilometre {place}, counted eastwards; its hut is at "
            f"kilometre {hut}. Drive there and say that it is there. The drive counts half."
        )
        tasks.append({"prompt": prompt, "last": "It is there.",
                      "held": {"place": place, "hut": hut, "score": 0.0},
                      "steps": [["drive", {"heading": way}]] * abs(hut - place)})
    return tasks


def paid(held, reply, row):
    return max(0.0, held["score"] + 0.5 * (held["place"] == held["hut"]))
"""
DRIVE = '''
    @vf.tool
    def drive(self, heading: str) -> str:
        """Drive one kilometre; the heading is east or west."""
        held = self.state.held
        if heading not in ("east", "west"):
            return "error: no such heading"
        place = held["place"] + (1 if heading == "east" else -1)
        nearer = abs(held["place"] - held["hut"]) - abs(place - held["hut"])
        self.state.held["score"] = held["score"] + EARNED
        self.state.held["place"] = place
        return f"The rover is at kilometre {place}."
'''
ONE_SIDED, BOTH_WAYS, PER_STEP = "0.06 * (nearer > 0)", "0.06 * nearer", "-0.02"
CAUGHT = ("card.mutants_caught",)

FLAWED = (
    *both("nearer-paid-again", "Each floor nearer to the guest is paid, and no step back costs",
          base=LIFT.replace("EARNED", ONE_SIDED), endings=TURNS, expected="warned", codes=CAUGHT),
    *both("drives-paid-again", "Each kilometre towards the shelter is paid, also the same again",
          base=ROVER, endings=steps(DRIVE.replace("EARNED", ONE_SIDED)), expected="warned",
          codes=CAUGHT),
)  # fmt: skip
SOUND = (
    *both("nearer-and-farther", "A floor away from the guest costs what one nearer earns",
          base=LIFT.replace("EARNED", BOTH_WAYS), endings=TURNS, expected="sound"),
    *both("drives-cost", "Each kilometre costs a little", base=ROVER,
          endings=steps(DRIVE.replace("EARNED", PER_STEP)), expected="sound"),
)  # fmt: skip
