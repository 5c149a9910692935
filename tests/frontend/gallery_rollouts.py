"""An evaluation of a model with several attempts at each task, and the probes of its version."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from envyard.contract.transcript import Exchange, Node, Transcript
from registry.models import LogChunk, Run, User
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import gallery, xss

TASKS, ATTEMPTS = 60, 8
SYSTEM = "You are a careful assistant. " + "Use the tool where you need it. " * 12
REPLY = """## Answer

The word is **sesquipedalian**, see [the source](https://example.com/words):

1. it has `14` letters,
2. it is an adjective.

| letter | count |
|---|---:|
| s | 2 |

```python
print("sesquipedalian".count("s"))
```
"""


def conversation(seed: int) -> Transcript:
    """A system prompt, a tool call with its result, reasoning and a reply in Markdown."""
    word = ("having many syllables", "very long", "a foot and a half")[seed % 3]
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "look_up", "arguments": '{"word": "sesquipedalian"}'},
    }
    thinking = {"reasoning_content": "The dictionary has it.\nI look it up. " * (1 + seed % 4)}
    reply = REPLY if seed % 2 else REPLY.replace("14", "13") + "\nI am not sure.\n"
    nodes = [
        Node(-1, {"role": "system", "content": SYSTEM}),
        Node(0, {"role": "user", "content": "What does sesquipedalian mean?"}),
        Node(1, {"role": "assistant", "content": "", "tool_calls": [call], **thinking}),
        Node(2, {"role": "tool", "content": word, "tool_call_id": "call_1"}),
        Node(3, {"role": "assistant", "content": reply, **thinking}),
    ]
    fields: dict[str, Any] = {
        "finish_reason": "stop", "prompt_tokens": 180, "completion_tokens": 90, "seconds": 1.2,
    }  # fmt: skip
    return Transcript(nodes, [Exchange(1, 2, **fields), Exchange(3, 4, **fields)])


def hostile() -> Transcript:
    """Markup and Markdown that would run or load something, in every message."""
    transcript = gallery.hostile()
    nodes = [
        Node(node.parent, node.message | {"content": node.message["content"] + xss.ALL})
        for node in transcript.nodes
    ]
    return replace(transcript, nodes=nodes)


def evaluation(alice: User) -> Run:
    """A finished run of TASKS tasks with ATTEMPTS attempts, transcripts of the first three tasks
    and one of hostile text."""
    row = make_version(alice, "long-words", "0.3.0")
    run = make_run(
        row, policies=["silent", "parrot", "oracle", "model"], model="Qwen/Qwen3-8B",
        tasks=TASKS, attempts=ATTEMPTS, total=TASKS * (3 + ATTEMPTS),
        done=TASKS * (3 + ATTEMPTS),
        facts={"tasks": [
            {"index": n, "hash": "", "prompt": f"What does word {n} mean?",
             "split": "train" if n % 4 else "eval"} for n in range(TASKS)
        ]},
    )  # fmt: skip
    LogChunk.objects.create(run=run, attempt=1, seq=1, text=gallery.LOG)
    draw = random.Random(7)
    for task in range(TASKS):
        for policy in ("silent", "parrot", "oracle"):
            make_rollout(run, policy, task, reward=float(policy == "oracle"))
        for attempt in range(ATTEMPTS):
            _rollout(run, task, attempt, draw)
    return run


def _rollout(run: Run, task: int, attempt: int, draw: random.Random) -> None:
    failed = draw.random() < 0.03
    error = {"type": "TimeoutError", "message": "no reply in 60 s", "traceback": "", "fault": ""}
    transcript = hostile() if (task, attempt) == (2, 7) else conversation(attempt)
    make_rollout(
        run, "model", task, attempt=attempt,
        reward=None if failed else draw.choice((0.0, 0.25, 0.5, 1.0)),
        error=error if failed else None, transcript=transcript if task < 3 else None,
        rewards={"exact": {"score": 1.0, "weight": 1.0}}, metrics={"letters": 14.0},
        stop="answered", turns=2, calls=2, seconds=draw.uniform(1, 9), model_seconds=0.9,
        prompt_tokens=360, completion_tokens=draw.randrange(80, 400),
    )  # fmt: skip


def pages(alice: User) -> dict[str, str]:
    """The address of each page by a name for it."""
    run = evaluation(alice)
    rollout = run.rollouts.get(policy="model", task=0, attempt=1)
    evil = run.rollouts.get(policy="model", task=2, attempt=7)
    return {
        "evaluation-run": f"/runs/{run.pk}/?order=mean",
        "evaluation-filtered": f"/runs/{run.pk}/?sort=-reward&text=word&min_reward=0.2&log=loaded",
        "evaluation-rollout": f"/runs/{run.pk}/rollouts/{rollout.pk}/?find=dictionary",
        "evaluation-markdown": f"/runs/{run.pk}/rollouts/{rollout.pk}/?view=markdown",
        "evaluation-difference": f"/runs/{run.pk}/rollouts/{rollout.pk}/difference/",
        "evaluation-hostile": f"/runs/{run.pk}/rollouts/{evil.pk}/?view=markdown",
        "evaluation-hostile-found": f"/runs/{run.pk}/rollouts/{evil.pk}/?find=owned",
    }
