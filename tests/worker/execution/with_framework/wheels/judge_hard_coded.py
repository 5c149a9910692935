"""Names the judge's host in its code, with an HTTP client of its own and a key that it must have."""

# ruff: noqa
# mypy: ignore-errors

import os

import httpx
import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI

HOST = "https://api.pinference.ai/api/v1"


def load_environment():
    key = os.environ["PRIME_API_KEY"]

    async def judged(completion):
        limits = httpx.Limits(max_connections=4)
        client = AsyncOpenAI(
            base_url=HOST, api_key=key, http_client=httpx.AsyncClient(limits=limits)
        )
        messages = [{"role": "user", "content": f"Is this right? {completion[-1]['content']}"}]
        async with client:
            response = await client.chat.completions.create(
                model="openai/gpt-4.1-mini", messages=messages
            )
        return float(response.choices[0].message.content == "yes")

    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
