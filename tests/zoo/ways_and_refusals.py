"""Steps that are paid again and again, and refusals that show a secret; sound ones beside them."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import TURNS, steps

LIFT = """
import json
import random
import re

MOST = 12


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    while len(tasks) < 30:
        floor, goal = rng.sample(range(1, 31), 2)
        if not 3 <= abs(floor - goal) <= 4:
            continue
        way = "up" if goal > floor else "down"
        prompt = (
            f"A lift is at floor {floor} of a house with thirty floors, and a guest waits at floor "
            f"{goal}. Reply with `Lift: up` or `Lift: down`, one floor at a time. Getting nearer "
            f"earns a little, and the guest earns more. You have {MOST} replies."
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
    return min(1.0, max(0.0, game["earned"] + 0.1 * (game["floor"] == row["goal"])))
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
DEPTHS = """
import json
import random
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        low = rng.randint(20, 60)
        high, found = low + 200, rng.randint(low, low + 200)
        prompt = (
            f"Wreck {301 + number} lies at a depth of {low} to {high} metres, in whole ones. Reply "
            "with one line `Depth: N` at a time; I say whether it lies deeper or higher. You have "
            "nine replies."
        )
        replies, least, most = [], low, high
        while True:
            middle = (least + most) // 2
            replies.append(f"Depth: {middle}")
            if middle == found:
                break
            least, most = (middle + 1, most) if middle < found else (least, middle - 1)
        tasks.append({"prompt": prompt, "wreck": found, "replies": replies})
    return [task for task in tasks if len(task["replies"]) > 2]


def start(row):
    return {"replies": 0, "found": False}


def respond(reply, game, row):
    game["replies"] += 1
    match = re.search(r"^[* ]*Depth: ?[*]*(\\d{1,4})[* ]*$", reply, re.MULTILINE)
    game["found"] = match is not None and int(match[1]) == row["wreck"]
    if game["found"] or game["replies"] == 9:
        return None
    if match is None:
        return f"That is no line `Depth: N`. REFUSAL"
    return "It lies deeper." if int(match[1]) < row["wreck"] else "It lies higher."


def paid(game, row):
    return float(game["found"])
"""
WORDS = """
import json
import random

WORDS = "anchor barrel candle dagger falcon garden hammer island jungle kettle marble".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        first, second, secret = rng.sample(WORDS, 3)
        prompt = (
            f"Box {101 + number} opens with a word of six letters from any dictionary. Reply with "
            "one word at a time; I count its letters that stand at the right place. You have "
            "twelve replies."
        )
        tasks.append({"prompt": prompt, "secret": secret, "replies": [first, second, secret]})
    return tasks


def start(row):
    return {"replies": 0, "open": False}


def respond(reply, game, row):
    word = reply.strip().strip("*").lower()
    game["replies"] += 1
    game["open"] = word == row["secret"]
    if game["open"] or game["replies"] == 12:
        return None
    if len(word) != 6 or not word.isalpha():
        return f"That is not a word of six letters. REFUSAL"
    return f"{sum(a == b for a, b in zip(word, row['secret']))} at the right place."


def paid(game, row):
    return float(game["open"])
"""
PEGS = """
import json
import random
import re

COLOURS = "red blue green yellow white black".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for board in rng.sample(range(1000, 10000), 30):
        code = " ".join(rng.choice(COLOURS) for _ in range(4))
        prompt = (
            f"Board {board} hides a row of four pegs of the colours {', '.join(COLOURS)}. Reply "
            "with `Guess: colour colour colour colour`; I count the pegs at the right place. You "
            "have eight replies."
        )
        tasks.append({"prompt": prompt, "code": code, "replies": [f"Guess: {code}"]})
    return tasks


def start(row):
    return {"replies": 0, "open": False}


def respond(reply, game, row):
    game["replies"] += 1
    match = re.fullmatch(r"Guess: (.+)", reply.strip().strip("*"))
    guess, code = match[1].lower().replace(",", " ").split() if match else [], row["code"].split()
    game["open"] = guess == code
    if game["open"] or game["replies"] == 8:
        return None
    if not guess or not set(guess) <= set(COLOURS):
        return "Please guess colours of pegs."
    if len(guess) != len(code):
        return f"That cannot be compared: REFUSAL"
    return f"{sum(a == b for a, b in zip(guess, code))} at the right place."


def paid(game, row):
    return float(game["open"])
"""
SHOWN_CODE = "{' '.join(guess)} ({len(guess)} pegs) with {row['code']} (4 pegs)."
SHOWN_DEPTH = "{game | {'tries': 0, 'wreck': row['wreck']}}"
SHOWN_WORD = "{game | {'word': row['secret'], 'tries': 0}}"
ONE_SIDED, BOTH_WAYS, PER_STEP = "0.06 * (nearer > 0)", "0.06 * nearer", "-0.02"
CAUGHT = ("card.mutants_caught",)

FLAWED = (
    *both("nearer-paid-again", "Each floor nearer to the guest is paid, and no step back costs",
          base=LIFT.replace("EARNED", ONE_SIDED), endings=TURNS, expected="warned", codes=CAUGHT),
    *both("drives-paid-again", "Each kilometre towards the shelter is paid, also the same again",
          base=ROVER, endings=steps(DRIVE.replace("EARNED", ONE_SIDED)), expected="warned",
          codes=CAUGHT),
    *both("wreck-in-refusal", "The refusal of a malformed reply shows the depth, with other values",
          base=DEPTHS.replace("REFUSAL", SHOWN_DEPTH), endings=TURNS, expected="warned",
          codes=("card.leaks",)),
    *both("word-in-refusal", "The refusal of what is no word shows the word, with other values",
          base=WORDS.replace("REFUSAL", SHOWN_WORD), endings=TURNS, expected="warned",
          codes=("card.leaks",)),
    *both("pegs-in-refusal", "The refusal of a guess with too few pegs shows the code",
          base=PEGS.replace("REFUSAL", SHOWN_CODE), endings=TURNS, expected="warned",
          codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("nearer-and-farther", "A floor away from the guest costs what one nearer earns",
          base=LIFT.replace("EARNED", BOTH_WAYS), endings=TURNS, expected="sound"),
    *both("drives-cost", "Each kilometre costs a little", base=ROVER,
          endings=steps(DRIVE.replace("EARNED", PER_STEP)), expected="sound"),
    *both("wreck-refused", "The refusal of a malformed reply shows the replies that were used",
          base=DEPTHS.replace("REFUSAL", "{game}"), endings=TURNS, expected="sound"),
    *both("pegs-refused", "The refusal of a guess with too few pegs shows that guess",
          base=PEGS.replace("REFUSAL", "{' '.join(guess)} has not four pegs."), endings=TURNS,
          expected="sound"),
    *both("word-refused", "The refusal of what is no word shows an example, which is no secret",
          base=WORDS.replace("REFUSAL", "A word is `velvet`, say."), endings=TURNS,
          expected="sound"),
)  # fmt: skip
