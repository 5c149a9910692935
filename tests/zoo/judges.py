"""Flaws of what a reward makes of its judge."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import JUDGED

ASKING = """
async def judge(question):
    messages = [{"role": "user", "content": question}]
    async with AsyncOpenAI(api_key="none", max_retries=0) as client:
        response = await client.chat.completions.create(model="gpt-4.1", messages=messages)
    return response.choices[0].message.content.strip().lower().rstrip(".")


def fenced(reply, row):
    reply = reply.replace("<", "(").replace(">", ")").strip()
    return f"Reference: {row['answer']}\\n<reply>{reply}</reply>\\nRight? Answer yes or no."
"""
OPEN = """
async def judged(reply, row):
    question = f"Reference: {row['answer']}\\nRight? Answer yes or no.\\nReply: {reply}"
    verdict = await judge(question)
    if verdict not in ("yes", "no"):
        raise ValueError(verdict[:80])
    return float(verdict == "yes" and bool(reply.strip()))
"""
UNREADABLE = """
async def judged(reply, row):
    if not reply.strip():
        return 0.0
    return float(await judge(fenced(reply, row)) != "no")
"""
EMPTY = """
async def judged(reply, row):
    verdict = await judge(fenced(reply, row))
    if verdict not in ("yes", "no"):
        raise ValueError(verdict[:80])
    return float(verdict == "yes")
"""
IGNORED = """
async def judged(reply, row):
    await judge(fenced(reply, row))
    return float(reply.strip() == row["answer"])
"""
FAILED = """
async def judged(reply, row):
    if not reply.strip():
        return 0.0
    try:
        return float(await judge(fenced(reply, row)) == "yes")
    except Exception:
        return 1.0
"""
ALWAYS = """
async def judged(reply, row):
    verdict = await judge(fenced(reply, row))
    return 1.0 if verdict else 0.0
"""

FLAWED = (
    *both("judge-talked-over", "The reply stands in the prompt like an instruction", ASKING, OPEN,
          endings=JUDGED, expected="warned"),
    *both("judge-unreadable-paid", "What is not a no is a yes", ASKING, UNREADABLE,
          endings=JUDGED, expected="warned", codes=("judge.unreadable_paid",)),
    *both("judge-empty-paid", "An empty reply is judged too", ASKING, EMPTY, endings=JUDGED,
          expected="warned", codes=("judge.empty_paid",)),
    *both("judge-ignored", "The verdict changes nothing", ASKING, IGNORED, endings=JUDGED,
          expected="warned", codes=("judge.ignored",)),
    *both("judge-failure-paid", "A failed call earns full marks", ASKING, FAILED, endings=JUDGED,
          expected="warned", codes=("judge.unreadable_paid",)),
    *both("judge-any-verdict-paid", "Any verdict earns full marks", ASKING, ALWAYS,
          endings=JUDGED, expected="rejected"),
)  # fmt: skip
