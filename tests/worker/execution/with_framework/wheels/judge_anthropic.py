"""Calls Anthropic's messages, streamed and whole, with a client that it makes for each reward."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from anthropic import AsyncAnthropic
from datasets import Dataset


async def judged(completion):
    messages = [{"role": "user", "content": f"Is this right? {completion[-1]['content']}"}]
    options = {"model": "claude-sonnet-4", "max_tokens": 20, "messages": messages}
    async with AsyncAnthropic() as client:
        message = await client.messages.create(**options, system="Judge.")
        async with client.messages.stream(**options, system="Judge again.") as stream:
            again = await stream.get_final_text()
    return 0.5 * (message.content[0].text == "yes") + 0.5 * (again == "yes")


def load_environment():
    rows = [{"question": "Reverse. Text:\nab", "answer": "ba"}]
    rubric = vf.Rubric(funcs=[judged], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
