"""Games whose framework ends a rollout before their last guess is judged, and after it."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME_V0

CODES = """
import json
import random


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(20):
        code = "".join(rng.choices("ABCDEF", k=4))
        prompt = (
            f"I think of four letters from A to F, the first of them {code[0]}. You have six "
            "guesses, each of them four letters. I tell you how many are in their place."
        )
        tasks.append({"prompt": prompt, "answer": code})
    return tasks


def reference(row):
    return row["answer"]


def start(row):
    return {"guesses": 0, "right": False}


def respond(reply, game, row):
    game["guesses"] += 1
    game["right"] = reply.strip() == row["answer"]
    if game["right"] or game["guesses"] == 6:
        return None
    return f"{sum(a == b for a, b in zip(reply.strip(), row['answer']))} in their place."


def paid(game, row):
    return float(game["right"])
"""
# The message that ends the game is the last one: no reply follows.
ENDING = """        shown = [{"role": "user", "content": message or "The game is over."}]
        if message is None:
            state["final_env_response"] = shown
        return shown"""
SHOWN = '        return [{"role": "user", "content": message or "The game is over."}]'
JUDGED = GAME_V0.replace(SHOWN, ENDING)
UNJUDGED = JUDGED.replace("max_turns=12", "max_turns=6")

FLAWED = (
    *both("unjudged-guess", "The rollout ends before its last guess is judged", base=CODES,
          endings={"v0": UNJUDGED}, apis=("v0",), expected="warned",
          codes=("card.equivalents_kept",)),
)  # fmt: skip
SOUND = (
    *both("judged-guess", "Each of six guesses is judged", base=CODES, endings={"v0": JUDGED},
          apis=("v0",), expected="sound"),
)  # fmt: skip
