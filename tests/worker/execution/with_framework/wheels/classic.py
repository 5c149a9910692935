"""A classic environment of several turns whose rewards ask a judge and compare the attempts."""

# ruff: noqa
# mypy: ignore-errors

import asyncio

import verifiers as vf
from datasets import Dataset


class Twice(vf.MultiTurnEnv):
    async def env_response(self, messages, state, **kwargs):
        return [{"role": "user", "content": "Are you sure?"}]

    @vf.stop
    async def asked_twice(self, state):
        return len(state["trajectory"]) == 2


async def judged(completion, state):
    """Ask the policy itself what it thinks of each of its replies, side by side."""

    async def ask(text):
        messages = [{"role": "user", "content": f"Judge this. Text:\n{text}"}]
        answer = await state["client"].client.chat.completions.create(
            model=state["model"], messages=messages
        )
        return len(answer.choices[0].message.content or "")

    replies = [m["content"] for m in completion if m["role"] == "assistant"]
    lengths = await asyncio.gather(*(ask(f"{place} {text}") for place, text in enumerate(replies)))
    return sum(length % 7 for length in lengths) / 14


def longest(completions, **kwargs):
    lengths = [sum(len(m["content"]) for m in completion) for completion in completions]
    return [float(length == max(lengths)) for length in lengths]


def load_environment():
    rows = [{"question": f"Reverse. Text:\n{word}", "answer": word[::-1]} for word in ("ab", "cde")]
    rubric = vf.Rubric(funcs=[judged, longest], weights=[1.0, 0.25])
    return Twice(dataset=Dataset.from_list(rows), rubric=rubric, max_turns=3)
