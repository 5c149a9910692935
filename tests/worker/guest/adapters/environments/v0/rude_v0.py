"""A reward function that raises, which the framework would call a reward of zero."""

import verifiers as vf
from datasets import Dataset


def judge(completion, answer):
    if completion[-1]["content"] == "not a number":
        return float("nan")
    return 1.0 / (len(completion[-1]["content"]) - len(answer))


def load_environment():
    return vf.SingleTurnEnv(
        dataset=Dataset.from_list([{"question": "Say amber", "answer": "amber"}]),
        rubric=vf.Rubric(funcs=[judge]),
    )
