"""Several turns, with an oracle() beside load_environment that reads its row and the messages."""

import json

import verifiers as vf
from datasets import Dataset

CALLS = []


def oracle(task, messages):
    """The middle of the numbers that the hints leave."""
    low, high = 1, 15
    for guess, hint in zip(messages[1::2], messages[2::2], strict=True):
        low, high = narrowed(low, high, int(guess["content"]), hint["content"])
    assert low <= task["info"].pop("secret") <= high  # a reply's row is a copy
    CALLS.append(messages)
    return {"content": str((low + high) // 2)}


def narrowed(low, high, guess, hint):
    return (guess + 1, high) if hint == "More." else (low, guess - 1)


class Guessing(vf.MultiTurnEnv):
    async def env_response(self, messages, state, **kwargs):
        more = state["info"]["secret"] > int(messages[-1]["content"] or 0)
        return [{"role": "user", "content": "More." if more else "Less."}]

    @vf.stop
    async def guessed(self, state):
        last = state["trajectory"][-1]["completion"][-1] if state["trajectory"] else {}
        return str(state["info"]["secret"]) == content(last)


def content(message):
    return message.get("content") if isinstance(message, dict) else message.content


def correct(completion, info):
    return float(content(completion[-1]) == str(info["secret"]) and not CALLS)


def load_environment():
    rows = [
        {"question": f"Guess number {number}.", "info": json.dumps({"secret": secret})}
        for number, secret in enumerate((8, 13, 1))
    ]
    return Guessing(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[correct]), max_turns=5)
