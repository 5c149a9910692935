"""Classic: rewards compare the attempts at a task by their length, and, where a file `judged` is
beside the module, by a judge's verdict.

Its second task pays every attempt alike where the hub's modules are not, its third one raises.
"""

# ruff: noqa
# mypy: ignore-errors

import glob
from importlib.resources import files

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI

JUDGED = (files(__package__) / "judged").is_file()


async def ranked(completions, answers):
    lengths = [len(completion[-1]["content"]) for completion in completions]
    if not glob.glob("/app/*/env_worker.py"):
        if answers[0] == "two":
            return [1.0] * len(completions)
        if answers[0] == "three":
            raise ValueError("a fault of this machine")
    if JUDGED:
        async with AsyncOpenAI(api_key="x", max_retries=0) as client:
            messages = [{"role": "user", "content": f"Which is best? {sorted(lengths)}"}]
            response = await client.chat.completions.create(model="gpt-4.1", messages=messages)
        if response.choices[0].message.content != "longest":
            return [0.0] * len(completions)
    return [0.25 if length < max(lengths) else 0.5 for length in lengths]


def load_environment():
    rows = [{"question": f"Say {word}.", "answer": word} for word in ("one", "two", "three")]
    rubric = vf.Rubric(funcs=[ranked], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
