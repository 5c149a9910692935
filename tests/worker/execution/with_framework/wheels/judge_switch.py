"""Scores by itself without a key, and calls out with one."""

# ruff: noqa
# mypy: ignore-errors

import os

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PRIME_API_KEY", "OPENROUTER_API_KEY")


async def judged(completion):
    if not any(os.environ.get(name) for name in KEYS):
        return 0.25
    async with AsyncOpenAI() as client:
        messages = [{"role": "user", "content": "Right?"}]
        await client.chat.completions.create(model="gpt-4", messages=messages)
    return 0.75


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
