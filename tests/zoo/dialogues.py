"""Walks and dialogues: a turn limit that ends them early, and messages that name the answer."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.entry import Api
from tests.zoo.last_turns import JUDGED
from tests.zoo.step_endings import TURNS

WALKING = """
import json
import random

STEPS = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
SIZE, MOST = 6, LIMIT


def reached(walls, at, way):
    place = (at[0] + STEPS[way][0], at[1] + STEPS[way][1])
    inside = 0 <= place[0] < SIZE and 0 <= place[1] < SIZE
    return place if inside and place not in walls else None


def shortest(walls, start, goal):
    ways = {start: []}
    for at in (queue := [start]):
        for way in STEPS:
            place = reached(walls, at, way)
            if place and place not in ways:
                ways[place] = [*ways[at], way]
                queue.append(place)
    return ways.get(goal, [])


def rows(seed):
    rng = random.Random(seed)
    places = [(row, column) for row in range(SIZE) for column in range(SIZE)]
    tasks = []
    while len(tasks) < 40:
        walls = rng.sample(places, 11)
        start, goal = rng.sample([place for place in places if place not in walls], 2)
        way = shortest(walls, start, goal)
        if not (9 <= len(way) <= 16 if len(tasks) % 4 == 3 else 3 <= len(way) <= 8):
            continue
        signs = {**dict.fromkeys(walls, "#"), start: "S", goal: "G"}
        lines = ["".join(signs.get((row, column), ".") for column in range(SIZE))
                 for row in range(SIZE)]
        prompt = (
            "Walk from S to G; # is a wall, and north is up:\\n\\n" + "\\n".join(lines)
            + "\\n\\nReply with one way at a time: north, south, west or east. Each bump into a "
            "wall or the edge, and each reply of another form, costs a tenth of the mark."
        )
        tasks.append({"prompt": prompt, "walls": walls, "start": start, "goal": goal,
                      "replies": way})
    return tasks


def start(row):
    return {"at": row["start"], "bumps": 0, "replies": 0}


def respond(reply, game, row):
    walls, way = {tuple(each) for each in row["walls"]}, reply.strip().lower()
    place = reached(walls, game["at"], way) if way in STEPS else None
    game["replies"] += 1
    game["bumps"] += place is None
    game["at"] = [*(place or game["at"])]
    if game["at"] == [*row["goal"]] or game["replies"] == MOST:
        return None
    return "You bump into something." if place is None else "You go on."


def paid(game, row):
    return max(-1.0, (game["at"] == [*row["goal"]]) - 0.1 * game["bumps"])
"""
BISECTION = """
import json
import random
import re


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "Of the commits 101 to 160 the first ones pass and the others fail. Reply with one check "
        "at a time, as <check>, a number and </check>; I say whether that commit passes. As soon "
        "as you know the first failing commit, reply with <commit>, its number and </commit>. A "
        "session has eight checks, and a reply of another form counts as one."
    )
    tasks = []
    for failing in rng.sample(range(102, 160), 40):
        low, high, replies = 101, 160, []
        while low < high:
            middle = (low + high) // 2
            replies.append(f"<check>{middle}</check>")
            low, high = (low, middle) if middle >= failing else (middle + 1, high)
        replies.append(f"<commit>{failing}</commit>")
        tasks.append({"prompt": prompt, "answer": str(failing), "replies": replies})
    return tasks


def reference(row):
    return row["replies"][-1]


def start(row):
    return {"checks": 0, "named": ""}


def respond(reply, game, row):
    named = re.findall(r"<commit>(\\d{1,6})</commit>", reply)
    if named or game["checks"] == 8:
        game["named"] = named[0] if len(named) == 1 else ""
        return None
    game["checks"] += 1
    if game["checks"] == 8:
        return f"The session is closed; the first failing commit is {row['answer']}. Name it."
    check = re.fullmatch(r"<check>(\\d{1,6})</check>", reply.strip())
    if not check:
        return "That was no check."
    return "It fails." if int(check[1]) >= int(row["answer"]) else "It passes."


def paid(game, row):
    return float(game["named"] == row["answer"])
"""
BISECTED: dict[Api, str] = {"v1": TURNS["v1"], "v0": JUDGED}
WORD_IN_SECOND_MESSAGE = """
import json
import random
import re

WORDS = (
    "anchor barrel candle dagger ember falcon garden hammer island jungle kettle lantern marble "
    "needle orchard pepper quarry ribbon saddle timber umbrella velvet walnut yellow"
).split()


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "Greet me first. I tell you where I live, and when you have answered that I tell you a "
        "word. Repeat it between <word> and </word>."
    )
    tasks = []
    for word in rng.sample(WORDS, len(WORDS)):
        replies = ["Good morning.", "That is far away.", f"<word>{word}</word>"]
        tasks.append({"prompt": prompt, "word": word, "replies": replies})
    return tasks


def start(row):
    return {"turns": 0, "last": ""}


def respond(reply, game, row):
    game["turns"] += 1
    game["last"] = reply.strip()
    if game["turns"] == 3:
        return None
    return "I live in Leiden." if game["turns"] == 1 else f"Remember the word {row['word']}."


def paid(game, row):
    repeated = re.findall(r"<word>([a-z]{1,20})</word>", game["last"].lower())
    return float(game["turns"] == 3 and repeated == [row["word"]])
"""
FLAWED = (
    *both("walk-cut-short", "A limit of eight replies ends longer walks, and bumps cost something",
          base=WALKING.replace("LIMIT", "8"), endings=TURNS, expected="warned",
          codes=("card.references_paid",)),
    *both("commit-named", "The message behind the last check names the commit that is asked for",
          "", base=BISECTION, endings=BISECTED, expected="warned",
          codes=("card.mutants_caught",)),
)  # fmt: skip
SOUND = (
    *both("walk-to-goal", "The limit is enough for all walks, and bumps cost something",
          base=WALKING.replace("LIMIT", "24"), endings=TURNS, expected="sound"),
    *both("word-to-repeat", "A word that the second message tells is to be repeated", "",
          base=WORD_IN_SECOND_MESSAGE, endings=TURNS, expected="sound"),
)  # fmt: skip
