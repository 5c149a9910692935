"""Scores with the framework's JudgeRubric, whose client needs a key as the environment loads."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset


async def judged(prompt, completion, answer, state, judge):
    verdict = await judge(prompt, completion, answer, state)
    return 1.0 if verdict.strip().lower().startswith("yes") else 0.0


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.JudgeRubric()
    rubric.add_reward_func(judged)
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
