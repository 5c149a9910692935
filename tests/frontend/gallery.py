"""One page of every kind and state that a run, its version or its runner can be in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from envyard.contract.data_lock import DataLock, LockedRepository
from envyard.contract.findings import finding
from envyard.contract.judge import JudgeExchange
from envyard.contract.replay import Replay
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.accounts import runners
from registry.card import services as cards
from registry.catalog import data_locks
from registry.catalog.related_models import VersionFinding
from registry.models import LogChunk, Rollout, Run, User, Version
from registry.runs.endings import store_findings
from tests.data_locks import gated, locked
from tests.factories import make_rollout, make_run, make_version
from tests.registry.run_factories import POLICIES, make_facts

NAME = "word-games"
PROBES = list(POLICIES)  # of each run on the pages
OWN = "document.title = 'owned'"
HOSTILE = f'</pre><script>{OWN}</script><img src=x onerror="{OWN}">'
LOG = (
    "[runner] word_games-0.1.0-py3-none-any.whl: 3684 bytes, sha256 " + "0e6076ec" * 8 + "\n"
    "[runner] 41 distributions from the version's lock\n"
    "\x1b[32mINFO\x1b[0m loaded 5 tasks\x07\n"
    "scoring:  20%|##        | 1/5\rscoring:  60%|######    | 3/5\rscoring: 100%|##########| 5/5\n"
    f"\x1b]0;owned\x07{HOSTILE}\x1b[2J\n" + "one long line " * 40 + "\n"
)
LONG_NAME = "a-laboratory-of-long-names/" + "instructions-with-verifiable-answers-" * 2 + "v2"
DATA_LOCK = DataLock(
    (
        *gated(locked("main/train-00000-of-00001.parquet", name=LONG_NAME)).repositories,
        *locked("train.parquet", "test.parquet").repositories,
        LockedRepository("model", "qwen/tiny", "c" * 40, ("main",)),
    )
)
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "The meaning of a word.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
    },
}
TRACEBACK = """Traceback (most recent call last):
  File "/env/word_games/rewards.py", line 12, in score
    return table[reply]
KeyError: ''
"""


def conversation() -> Transcript:
    """Tools offered and called, options, streamed replies, a failed call, a long text, a branch."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "look_up", "arguments": '{"word": "sesquipedalian"}'},
    }
    nodes = [
        Node(-1, {"role": "system", "content": "You sort words. Answer in an <answer> tag."}),
        Node(0, {"role": "user", "content": "Sort: pear, apple, fig"}),
        Node(1, {"role": "assistant", "content": "", "tool_calls": [call]}),
        Node(2, {"role": "tool", "content": "having many syllables", "tool_call_id": "call_1"}),
        Node(3, {"role": "assistant", "content": "<answer>apple fig pear</answer>"}),
        Node(4, {"role": "user", "content": "And now all of these: " + "word " * 2000}),
        Node(5, {"role": "assistant", "content": ""}),
        Node(1, {"role": "assistant", "content": "another beginning"}),
    ]
    fields: dict[str, Any] = {
        "tools": 0,
        "options": 0,
        "sampling": {"model": "Qwen/Qwen3-0.6B", "temperature": 0.7, "max_tokens": 512, "seed": 7},
        "finish_reason": "stop",
        "prompt_tokens": 412,
        "completion_tokens": 64,
        "seconds": 1.25,
        "first_seconds": 0.21,
        "at": 1.79e9,
    }
    calls = [
        Exchange(asked=1, reply=7, **fields),
        Exchange(asked=1, reply=2, **fields),
        Exchange(asked=3, error="the model server answered 503: no slot is free", options=0),
        Exchange(asked=3, reply=4, **fields),
        Exchange(asked=5, reply=6, **fields | {"finish_reason": "length"}),
    ]
    options = [{"stop": ["</answer>"], "tool_choice": "auto", "logprobs": True}]
    return Transcript(nodes, calls, [[TOOL]], options)


def hostile() -> Transcript:
    """Markup, terminal codes and marks that turn the direction of text, wherever text may be."""
    evil = HOSTILE + "\x1b[31m\u202egnirts\x07"
    call = {"id": "1", "type": "function", "function": {"name": evil, "arguments": evil}}
    message = {"role": "assistant", "content": evil, "tool_calls": [call]}
    return Transcript(
        [Node(-1, {"role": "user", "content": evil + "x" * 300}), Node(0, message)],
        [Exchange(asked=0, reply=1, options=0, finish_reason=evil), Exchange(asked=1, error=evil)],
        options=[{"stop": [evil]}],
        judge=[
            JudgeExchange(
                shape="responses", host=evil, asked_model=evil, messages=[message],
                options={"response_format": {evil: evil}}, verdict=message,
            ),
            JudgeExchange(error=evil),
        ],
    )  # fmt: skip


def version(alice: User, number: str, status: str, **fields: Any) -> Version:
    """alice/word-games of that number in that state."""
    return make_version(
        alice, NAME, number, status=status, requires_dist=["verifiers>=0.1.14"], **fields
    )


def full(run: Run, done: int) -> None:
    """A log, and the rollouts of the probes as far as they are done."""
    LogChunk.objects.create(run=run, attempt=1, seq=1, text=LOG)
    for number in range(done):
        policy, task = PROBES[number // 5], number % 5
        make_rollout(run, policy, task, reward=float(policy == "oracle"), turns=1, seconds=0.2)


def finds(run: Run, *codes: str, **fields: Any) -> None:
    """Findings as the runner sends them."""
    findings = [finding(code, "It did what it may not.", **fields) for code in codes]
    store_findings(run.version, VersionFinding.Stage.RUN, findings, run)


def listed(alice: User) -> dict[str, str]:
    """Its pages, and its rollouts' of every kind."""
    row = version(alice, "0.1.0", "listed", readme="# Word games\n\nSort words.")
    run = make_run(
        row, policies=[*PROBES, "model"], tasks=5, total=25, done=25, facts=make_facts().to_dict()
    )
    full(run, 25)
    cards.compute(run=run)
    with transaction.atomic():
        data_locks.extend(version=row, offered=DATA_LOCK)
    again = Replay(
        reward=0.5, rewards={"exact": {"score": 0.5, "weight": 1.0}}, diverged=2, asked="user: Sort"
    )
    parts = {"exact": {"score": 1.0, "weight": 1.0}, "short": {"score": 0.2, "weight": 0.1}}
    error = {"type": "KeyError", "message": "''", "traceback": TRACEBACK, "fault": "environment"}
    rollouts = {
        "rollout": make_rollout(
            run, "model", 0, transcript=conversation(), replay=again.to_dict(), rescored=0.5,
            rewards=parts, metrics={"words": 3.0}, stop="answered", turns=3, calls=5,
            prompt_tokens=1648, completion_tokens=256, seconds=6.5, shortened=True, truncated=True,
        ),
        "rollout-hostile": make_rollout(
            run, "model", 1, transcript=hostile(), stop=HOSTILE, error=error | {"message": HOSTILE}
        ),
        "rollout-empty": make_rollout(run, "silent", 9, reward=0.0),
        "rollout-failed": make_rollout(run, "silent", 10, reward=None, error=error),
    }  # fmt: skip
    Rollout.objects.filter(pk=rollouts["rollout-failed"].pk).update(turns=1)
    env = f"/envs/alice/{NAME}/"
    return {
        "environment": env,
        "environment-versions": f"{env}?tab=versions",
        "environment-readme": f"{env}?tab=readme",
        "environment-evaluations": f"{env}?tab=evaluations",
        "environment-rollouts": f"{env}?tab=rollouts",
        "environment-files": f"{env}?tab=files",
        "version-listed": f"{env}0.1.0/",
        "evaluate": f"{env}0.1.0/evaluate/",
        "run-succeeded": f"/runs/{run.pk}/",
        "run-filtered": f"/runs/{run.pk}/?policy=silent&outcome=failed",
        **{name: f"/runs/{run.pk}/rollouts/{row.pk}/" for name, row in rollouts.items()},
    }


def under_way(alice: User) -> dict[str, str]:
    """Runs that wait, run and are being stopped, and their versions."""
    model = {"policies": [*PROBES, "model"], "model": "Qwen/Qwen3-8B"}
    running = {"status": "running", "total": 25}
    states: dict[str, dict[str, Any]] = {
        "preparing": {"status": "preparing"},
        "running": {**running, "done": 12, "attempt": 2},
        "stopping": {**running, "done": 3, "cancel_requested_at": timezone.now()},
        "queued": {"status": "queued"},
        "lacking": {"status": "queued", **model},
    }
    pages = {"version-checking": f"/envs/alice/{NAME}/1.0.0/"}
    version(alice, "1.0.0", "checking")
    for minor, (state, fields) in enumerate(states.items(), 1):
        row = version(alice, f"1.{minor}.0", "evaluating")
        run = make_run(row, **{"policies": PROBES, "tasks": 5} | fields)
        if run.total:
            full(run, run.done)
        pages[f"run-{state}"] = f"/runs/{run.pk}/"
        pages[f"version-{state}"] = f"/envs/alice/{NAME}/{row.version}/"
        if run.status == "queued":
            pages[f"queue-{state}"] = f"/runs/{run.pk}/queue/"
    return pages


def ended(alice: User) -> dict[str, str]:
    """Runs that did not succeed, and what became of their versions."""
    states = {
        "failed": ("rejected", ("isolation.refused_calls", "run.network", "run.load_failed")),
        "errored": ("held", ("run.lease_expired", "run.attempts_exhausted")),
        "cancelled": ("held", ("run.cancelled",)),
    }
    pages = {}
    for minor, (state, (status, codes)) in enumerate(states.items(), 1):
        row = version(alice, f"2.{minor}.0", status)
        run = make_run(row, status=state, policies=PROBES, tasks=5, total=25, done=6, attempt=3)
        full(run, 6)
        finds(run, *codes, where="10.0.0.1:443, 8.8.8.8:53")
        pages[f"run-{state}"] = f"/runs/{run.pk}/"
        pages[f"version-{state}"] = f"/envs/alice/{NAME}/{row.version}/"
    return pages


def machines() -> None:
    """Runners of every standing, beside the one that has the runs under way."""
    now, long = timezone.now(), "gpu-b-with-a-rather-long-name.of-the-department.example.com"
    for name, fields in {
        "gpu-a": {"last_seen_at": now},
        long: {"last_seen_at": now, "draining_since": now},
        "gpu-c": {"last_seen_at": now - timedelta(hours=5)},
        "gpu-d": {"enabled": False},
        "gpu-e": {"last_seen_at": now},
    }.items():
        runner, _ = runners.create(name=name)
        capabilities: dict[str, Any] = {"models": ["Qwen/Qwen3-0.6B"] if name == "gpu-a" else []}
        if name == "gpu-e":
            capabilities["out_of_service"] = {
                "since": now.isoformat(),
                "reason": "3 runs in a row ended with run.install_failed",
                "check": "uv: its cache cannot be written",
            }
        type(runner).objects.filter(pk=runner.pk).update(capabilities=capabilities, **fields)


def pages(alice: User) -> dict[str, str]:
    """The address of each page by a name for it; the rows behind it are made here."""
    addresses = {**listed(alice), **under_way(alice), **ended(alice)}
    machines()
    return addresses
