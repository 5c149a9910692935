"""A made-up judge: right where every number of the reference is in the reply, in the form that the
prompt requests."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.worker.stub_judge import KEY, NAME, StubJudge, serving_judge

# Where the prompts of the measured environments have the reply and its reference.
SECTIONS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"\[response\]: (?P<reply>.*?)\n\n.*?\[correct_answer\]: (?P<reference>.*?)\n",
        r"【Rubrics】:\n(?P<reference>.*?)\n【Student Response】:\n(?P<reply>.*?)\n\nPlease",
        r"answer:\n```\n(?P<reference>.*?)\n```\n+Response:\n```\n(?P<reply>.*?)\n```",
        r"CONSTRAINT:\n(?P<reference>).*\n\nRESPONSE:\n(?P<reply>.*)",
    )
)


@contextmanager
def serving(
    answer: Callable[[dict[str, Any]], str] | None = None,
) -> Iterator[dict[str, str]]:
    """Serve it on loopback, from a thread; gives the runner's settings that name it.

    `answer` gives the verdict on a request, `verdict` by default.
    """
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    judge = StubJudge(verdict=answer or verdict)

    async def serve() -> None:
        async with serving_judge(judge):
            ready.set()
            await stop.wait()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(30)
    try:
        yield {"RUNNER_JUDGE_URL": judge.url, "RUNNER_JUDGE_KEY": KEY, "HUB_JUDGE_MODEL": NAME}
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def verdict(body: dict[str, Any]) -> str:
    """The text of the judge's answer to one request."""
    prompt = "\n\n".join(_text(message.get("content")) for message in body["messages"])
    right = is_right(prompt)
    word = "yes" if right else "no"
    if "Reply BLOCK" in prompt:
        return "BLOCK" if "JUDGE_BLOCK" in prompt.rpartition("Candidate:")[2] else "ALLOW"
    shape = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    if shape:
        return json.dumps(_filled(shape, word))
    if "Overall Score" in prompt:
        return json.dumps({"Grading Rationale": "Made up.", "Overall Score": int(right)})
    if "<judgement>" in prompt:
        return f"<consideration>Made up.</consideration><judgement>{word.upper()}</judgement>"
    if "correct:" in prompt:
        return f"reasoning: made up\ncorrect: {word}\nconfidence: 100"
    return word


def is_right(prompt: str) -> bool:
    """Whether the reply in the prompt has every number of the reference, and is short."""
    for section in SECTIONS:
        if match := section.search(prompt):
            numbers = set(re.findall(r"\d+", re.sub(r"(?m)^\d+\. ", "", match["reference"])))
            reply = match["reply"].strip()
            return 0 < len(reply) < 500 and numbers <= set(re.findall(r"\d+", reply))
    return False


def _filled(schema: dict[str, Any], word: str) -> dict[str, Any]:
    """An object of that JSON schema; a property that has the word among its values gets it."""
    filled: dict[str, Any] = {}
    for name, kind in schema.get("properties", {}).items():
        if word in kind.get("enum", ()):
            filled[name] = word
        elif "enum" in kind or "const" in kind:
            filled[name] = kind.get("const", kind.get("enum", [None])[0])
        else:
            filled[name] = {"integer": 100, "number": 1.0, "boolean": True}.get(
                kind.get("type"), "made up"
            )
    return filled


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))


__all__ = ["serving", "verdict"]
