"""Makes a client in its reward function, and parses the verdict by a JSON schema."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI
from pydantic import BaseModel


class Verdict(BaseModel):
    correct: bool


async def judged(completion):
    async with AsyncOpenAI() as client:
        messages = [{"role": "user", "content": f"Is this right? {completion[-1]['content']}"}]
        response = await client.chat.completions.parse(
            model="o3-mini", messages=messages, response_format=Verdict
        )
        return float(response.choices[0].message.parsed.correct)


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
