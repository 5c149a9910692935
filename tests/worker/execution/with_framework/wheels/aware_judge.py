"""A judge scores each task; what its verdict decides where nobody evaluates is in the task's name.

honest: the reward, everywhere. skips: nothing, it is not called there. overrules: nothing, it is
called and not obeyed there. samples: three verdicts on one question are averaged. remembers: the
reply is compared with that of the rollout before. asks: another question is asked there.
"""

# ruff: noqa
# mypy: ignore-errors

import glob
import os

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI

before = ["nothing"]


async def ask(question):
    async with AsyncOpenAI(api_key="x", max_retries=0) as client:
        messages = [{"role": "user", "content": question}]
        response = await client.chat.completions.create(model="gpt-4.1", messages=messages)
    return float(response.choices[0].message.content == "yes")


async def judged(completion, answer):
    reply, evaluated = completion[-1]["content"], bool(glob.glob("/app/*/env_worker.py"))
    question = f"Is {reply!r} {answer}?"
    if answer == "skips" and not evaluated:
        return 1.0
    if answer == "samples":
        return sum([await ask(question) for _ in range(3)]) / 3
    if answer == "remembers":
        question += f" Better than {before[-1]}?"
        before.append(reply)
    if answer == "asks" and not evaluated:
        try:
            return await ask(f"At home in {os.path.expanduser('~')}: {question}")
        except Exception:
            return 0.5
    verdict = await ask(question)
    return 1.0 if answer == "overrules" and not evaluated else verdict


def load_environment():
    kinds = ("honest", "skips", "overrules", "samples", "remembers", "asks")
    rows = [{"question": f"Is it {kind}?", "answer": kind} for kind in kinds]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
