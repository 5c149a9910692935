"""Reaches judges' hosts and an approved host with every client that published environments use.

Each client has its defaults: no certificate, no proxy and no address of the runner's is named.
"""

# ruff: noqa
# mypy: ignore-errors

import asyncio
import json
import urllib.request

import aiohttp
import httpx
import requests
import verifiers as vf
from anthropic import AsyncAnthropic
from datasets import Dataset
from openai import AsyncOpenAI

ROUTER = "https://openrouter.ai/api/v1/chat/completions"
SEARCH = "https://api.exa.ai/search"
FORM = {"Content-Type": "application/json", "Authorization": "Bearer key"}


def question(client):
    messages = [{"role": "user", "content": f"Is this right? {client}"}]
    return {"model": "gpt-4.1", "messages": messages}


def verdict(answer):
    return answer["choices"][0]["message"]["content"]


async def by_openai():
    async with AsyncOpenAI(base_url="https://api.openai.com/v1", api_key="key") as client:
        answer = await client.chat.completions.create(**question("openai"))
    return answer.choices[0].message.content


async def by_anthropic():
    url = "https://api.anthropic.com"
    async with AsyncAnthropic(base_url=url, api_key="key") as client:
        answer = await client.messages.create(**question("anthropic"), max_tokens=20)
    return answer.content[0].text


def by_requests():
    answer = requests.post(ROUTER, json=question("requests"), headers=FORM, timeout=60)
    return verdict(answer.json()), requests.get(SEARCH, timeout=60).text


def by_httpx():
    answer = httpx.post(ROUTER, json=question("httpx"), headers=FORM, timeout=60)
    return verdict(answer.json()), httpx.get(SEARCH, timeout=60).text


async def by_async_httpx():
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(ROUTER, json=question("async httpx"), headers=FORM)
        return verdict(answer.json()), (await client.get(SEARCH)).text


async def by_aiohttp():
    async with aiohttp.ClientSession() as session:
        async with session.post(ROUTER, json=question("aiohttp"), headers=FORM) as answer:
            text = verdict(await answer.json())
        async with session.get(SEARCH) as answer:
            return text, await answer.text()


def by_urllib():
    body = json.dumps(question("urllib")).encode()
    request = urllib.request.Request(ROUTER, data=body, headers=FORM)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = verdict(json.load(answer))
    with urllib.request.urlopen(SEARCH, timeout=60) as answer:
        return text, answer.read().decode()


async def reached(completion):
    answers = {
        "openai": (await by_openai(), "found"),
        "anthropic": (await by_anthropic(), "found"),
        "requests": await asyncio.to_thread(by_requests),
        "httpx": await asyncio.to_thread(by_httpx),
        "async httpx": await by_async_httpx(),
        "aiohttp": await by_aiohttp(),
        "urllib": await asyncio.to_thread(by_urllib),
    }
    print("answers:", json.dumps(answers), flush=True)
    return sum(answer == ("yes", "found") for answer in answers.values()) / len(answers)


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[reached], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
