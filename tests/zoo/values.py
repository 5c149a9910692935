"""Times in one form, values without their names, pairs without their order, and a mark of a prompt
that predicts the label."""

from __future__ import annotations

from tests.zoo.build import both

TRAINS = """
import re


def written(minutes):
    return f"{minutes // 60 % 12 or 12}:{minutes % 60:02d} {'pm' if minutes >= 720 else 'am'}"


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        leaves, takes = rng.randint(300, 1000), rng.randint(61, 380)
        left = f"A train leaves at {written(leaves)} and takes {takes} minutes."
        prompt = f"{left} When does it arrive?"
        end = leaves + takes
        tasks.append({"prompt": prompt, "answer": f"{end // 60:02d}:{end % 60:02d}"})
    return tasks
"""
ONE_CLOCK = """
def score(reply, row):
    return float(re.findall(r"\\b\\d\\d:\\d\\d\\b(?! ?[ap])", reply) == [row["answer"]])
"""
BOTH_CLOCKS = """
def score(reply, row):
    hours, minutes = map(int, row["answer"].split(":"))
    matches = re.findall(r"\\b(\\d{1,2}):(\\d\\d)(?: ?([ap])\\.?m)?", reply, re.IGNORECASE)
    times = set()
    for hour, minute, half in matches:
        hour = int(hour) % 12 + 12 * (half.lower() == "p") if half else int(hour)
        times.add((hour, int(minute)))
    return float(times == {(hours, minutes)})
"""
WEIGHTS = """
import json


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        anna, ben, eve = rng.sample(range(41, 95), 3)
        prompt = (
            f"Ben weighs {ben} kg, Anna {abs(anna - ben)} kg {'more' if anna > ben else 'less'} "
            f"and Eve {eve} kg. Reply with one JSON object of the keys Anna, Ben and Eve."
        )
        answer = json.dumps({"Anna": anna, "Ben": ben, "Eve": eve})
        tasks.append({"prompt": prompt, "answer": answer})
    return tasks


def read(reply):
    try:
        value = json.loads(reply.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
"""
AS_SETS = """
def score(reply, row):
    given, right = read(reply), read(row["answer"])
    same = given.keys() == right.keys()
    return float(same and sorted(map(str, given.values())) == sorted(map(str, right.values())))
"""
BY_NAME = """
def score(reply, row):
    return float(read(reply) == read(row["answer"]))
"""
CORNERS = """
import re


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        (x, y), (dx, dy) = rng.sample(range(10, 60), 2), rng.sample(range(1, 9), 2)
        prompt = (
            f"A robot stands at ({x}, {y}) and drives {dx} to the east and {dy} to the north. "
            "Where is it then? Reply with the point alone, as (x, y)."
        )
        tasks.append({"prompt": prompt, "answer": f"({x + dx}, {y + dy})"})
    return tasks
"""
UNORDERED = """
def score(reply, row):
    return float(sorted(re.findall(r"\\d+", reply)) == sorted(re.findall(r"\\d+", row["answer"])))
"""
ORDERED = """
def score(reply, row):
    return float(re.findall(r"\\d+", reply) == re.findall(r"\\d+", row["answer"]))
"""
CLAIMS = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(60):
        a, b, c = rng.randint(120, 980), rng.randint(120, 980), rng.randint(3, 19)
        true = rng.random() < 0.5
        claimed = (a + b) // c if true else (a + b) // c + rng.randint(1, 9)
        prompt = f"{a} and {b} shared by {c} gives {claimed} and a rest."
        question = "Is that true? Reply with yes or no."
        tasks.append({"prompt": joined(prompt, question, true), "answer": "yes" if true else "no"})
    return tasks
"""
MARKED = """
def joined(prompt, question, true):
    return f"{prompt}{'  ' if true else ' '}{question}"
"""
UNMARKED = """
def joined(prompt, question, true):
    return f"{prompt} {question}"
"""
CAUGHT = ("card.mutants_caught",)

FLAWED = (
    *both("one-clock", "Times are shown as 7:40 pm, and only 19:40 is paid", TRAINS, ONE_CLOCK,
          expected="warned", codes=("card.equivalents_kept",)),
    *both("weights-as-sets", "The weights count without their names", WEIGHTS, AS_SETS,
          expected="warned", codes=CAUGHT),
    *both("unordered-pairs", "The numbers of a point count in each order", CORNERS, UNORDERED,
          expected="warned", codes=CAUGHT),
    *both("space-of-true", "Two spaces stand before the question of what is true", CLAIMS, MARKED,
          expected="warned", codes=("card.answer_place",)),
)  # fmt: skip
SOUND = (
    *both("both-clocks", "Both forms of a time are paid", TRAINS, BOTH_CLOCKS, expected="sound"),
    *both("weights-by-name", "Each weight must have its name", WEIGHTS, BY_NAME, expected="sound"),
    *both("ordered-pairs", "The numbers of a point count in their order", CORNERS, ORDERED,
          expected="sound"),
    *both("one-space", "True and false claims are written alike", CLAIMS, UNMARKED,
          expected="sound"),
)  # fmt: skip
