"""Environments with needs of every kind: held, evaluated, with and without provisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from envyard.contract.connections import Connection
from envyard.contract.data_lock import MAX_FILES, DataLock
from envyard.contract.findings import finding
from envyard.contract.judge import JudgeExchange, JudgeFacts
from envyard.contract.needs.kinds import KINDS, need
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.accounts import runners
from registry.card import services as cards
from registry.catalog import data_locks
from registry.catalog.related_models import VersionFinding, VersionNeed
from registry.models import Environment, Runner, User, Version
from registry.provisions import hosts, services
from registry.runs.endings import store_findings
from tests.data_locks import OTHER, gated, locked
from tests.factories import make_environment, make_rollout, make_run, make_version
from tests.frontend.gallery import OWN
from tests.registry.run_factories import make_facts

NAME, EMPTY, FULL = "search-games", "quiet-games", "crowded-games"
HOSTILE = f'<img src=x onerror="{OWN}">\u202e`<b>\x1b[31m'
LONG_REPOSITORY = "a-laboratory-of-long-names/" + "instructions-with-verifiable-answers-" * 2 + "v2"
LONG_HOST = "a" * 55 + "." + "b" * 60 + ".search.department.example.com"
LONG_SECRET = "THE_KEY_OF_THE_SERVICE_" * 4 + "EXAMPLE"
NAMES = {
    "data": ["openai/gsm8k", LONG_REPOSITORY],
    "judge": [],
    "secret": ["EXA_API_KEY", LONG_SECRET],
    "host": ["api.exa.ai", "*.example.org", LONG_HOST],
    "machine": ["python:3.12-slim", "registry.example.com/a-laboratory/swe-tasks:" + "0" * 60],
}
SENTENCES = {
    "data": "It needs data sets. openai/gsm8k: the runner has no mirror of data sets; its operator "
    f"can set RUNNER_DATA_URL; {LONG_REPOSITORY}: it is gated; the runner's operator can accept "
    "its terms and set RUNNER_DATA_TOKEN.",
    "judge": "It called a judge 3 times, and this hub has none: its operator can name one with "
    "HUB_JUDGE_MODEL and RUNNER_JUDGE_URL.",
    "secret": f"It reads keys that are not set: EXA_API_KEY, {LONG_SECRET}. An owner sets each "
    "with `hub secret set alice/search-games NAME --host HOST`, where HOST is the host that "
    "receives it; the hub's operator approves the host.",
    "host": f"It contacted hosts that are not approved: api.exa.ai, {LONG_HOST}. The author "
    "declares them ([tool.envyard] hosts) or an owner adds them on the environment's page; the "
    "hub's operator approves them. It failed with: ValueError: the search returned no result",
    "machine": "It runs tasks in container images, and this hub's runners start none: "
    "python:3.12-slim. The hub's operator can provide such a runner once there is one.",
}
CONNECTIONS = [
    Connection("api.exa.ai", 443, "tunnel", "", 5_120, 3_145_728, 12.5, count=14),
    Connection("api.exa.ai", 443, "tunnel", "the run's bytes are used up", 1, 12_582_912, 3.0),
    Connection("search.example.org", 443, "secrets", "", 900, 20_000, 0.4),
    Connection("api.openai.com", 443, "judge", "", 40_000, 8_000, 9.0, count=120),
    Connection("169.254.169.254", 80, "refused", "an address, not a name"),
    Connection(LONG_HOST, 443, "refused", "the host is not approved", count=3),
    Connection(HOSTILE, 8443, "refused", HOSTILE),
]


def declared(version: Version, *kinds: str, by_wheel: bool = True) -> None:
    """Needs of these kinds, stated in the wheel or predicted from its code."""
    where = "pyproject.toml" if by_wheel else f"search_games/{'nested/' * 8}__init__.py:1204"
    rows = [need(kind, NAMES[kind], declared=by_wheel, where=where) for kind in kinds]
    VersionNeed.objects.bulk_create(VersionNeed(version=version, **row.to_dict()) for row in rows)
    names = [name for row in rows if row.kind == "host" and by_wheel for name in row.names]
    hosts.declare_by_wheel(version, names)


def held(alice: User, number: str, *kinds: str, hostile: bool = False) -> Version:
    """A version held for these kinds, whose rollouts failed from it."""
    row = make_version(alice, NAME, number, status="held")
    run = make_run(row, status="errored", total=2, done=2)
    findings = [finding(f"needs.{kind}", SENTENCES[kind], names=NAMES[kind]) for kind in kinds]
    if hostile:
        findings = [replace(each, message=HOSTILE, hint=HOSTILE) for each in findings]
    info = replace(finding("run.crashed", "Every rollout failed."), severity="info")
    store_findings(row, VersionFinding.Stage.RUN, [*findings, info], run)
    return row


def judged(alice: User, root: User) -> dict[str, str]:
    """A listed version with a judge of the model's family, data, hosts, secrets and variables."""
    row = make_version(alice, NAME, "1.0.0", readme="# Search games\n\nFind the page.")
    declared(row, "data", "host")
    declared(row, "judge", "secret", by_wheel=False)
    env = row.environment
    provide(env, alice, root)
    facts = replace(
        make_facts(),
        connections=CONNECTIONS,
        judge=JudgeFacts("Qwen/Qwen3-32B", max_tokens=2048, calls=124, tokens=48_000),
    )
    model = "Qwen/Qwen3-8B"
    run = make_run(row, policies=["oracle", "silent", "model"], model=model, total=12, done=12,
                   facts=facts.to_dict())  # fmt: skip
    run.provided = {
        "variables": {"DIFFICULTY": "hard", "PROMPT": HOSTILE, "LONG": "word " * 800},
        "hosts": ["api.exa.ai", LONG_HOST],
    }
    run.save()
    for task in range(4):
        make_rollout(run, "oracle", task)
        make_rollout(run, "silent", task, reward=0.0)
    rollout = make_rollout(
        run, "model", 0, transcript=judgements(), turns=1, seconds=4.0, calls=1,
        judge_calls=3, judge_prompt_tokens=900, judge_completion_tokens=12, judge_seconds=2.25,
    )  # fmt: skip
    warnings = ("judge.ignored", "judge.empty_paid", "judge.talked_over", "run.network")
    rows = [finding(code, f"It did what {code} means.", where="model/0/0") for code in warnings]
    store_findings(row, VersionFinding.Stage.RUN, rows, run)
    cards.compute(run=run)
    with transaction.atomic():
        data_locks.extend(version=row, offered=large_lock())
    return {
        "needs-environment": f"/envs/alice/{NAME}/",
        "needs-listed": f"/envs/alice/{NAME}/1.0.0/",
        "run-network": f"/runs/{run.pk}/",
        "rollout-judge": f"/runs/{run.pk}/rollouts/{rollout.pk}/",
        "provisions": f"/envs/alice/{NAME}/settings/provisions/",
    }


def large_lock() -> DataLock:
    """A lock with as many files as one may have, and with names as hostile as a hub's may be."""
    bare = gated(locked(name=LONG_REPOSITORY)).repositories[0]
    some = locked("train.parquet", "test.parquet").repositories[0]
    many = [replace(some.files[0], path=f"shard-{n:05}.parquet") for n in range(MAX_FILES - 2)]
    crowded = replace(
        some, name="many/shards", commit=OTHER, files=tuple(many), licence=HOSTILE[:60]
    )
    return DataLock(tuple(sorted([bare, some, crowded], key=lambda each: (each.kind, each.name))))


def judgements() -> Transcript:
    """A reply, and judge calls: a verdict, a streamed one with a tool, a refused one."""
    question = {"role": "user", "content": "Is the reply right? Answer yes or no.\n\n" + "x " * 900}
    verdict = {"role": "assistant", "content": "yes"}
    tool = {"id": "1", "type": "function", "function": {"name": "grade", "arguments": "{}"}}
    return Transcript(
        [Node(-1, {"role": "user", "content": "Find it."}), Node(0, verdict)],
        [Exchange(asked=0, reply=1)],
        judge=[
            JudgeExchange(asked_model="gpt-4.1-mini", host="api.openai.com", messages=[question],
                          verdict=verdict, prompt_tokens=450, completion_tokens=1, seconds=0.75),
            JudgeExchange(shape="messages", asked_model="claude", messages=[question], cut=True,
                          verdict=verdict | {"content": "", "tool_calls": [tool]},
                          options={"response_format": {"type": "json_schema"}}),
            JudgeExchange(error="the judge's budget of this rollout is spent"),
        ],
    )  # fmt: skip


def provide(env: Environment, by: User, staff: User) -> None:
    """A few variables, hosts in each state and secrets for them."""
    services.set_variable(environment=env, name="DIFFICULTY", value="hard", by=by)
    services.set_variable(environment=env, name="PROMPT", value=HOSTILE.replace("\x1b", ""), by=by)
    services.set_variable(environment=env, name="EMPTY", value="", by=by)
    services.set_variable(environment=env, name="L" * 100, value="word " * 200, by=by)
    for host in ("api.exa.ai", "search.example.org", LONG_HOST):
        hosts.add(environment=env, host=host, by=by)
    for host in ("api.exa.ai", LONG_HOST):
        hosts.approve(environment=env, host=host, by=staff)
    for name, to in (("EXA_API_KEY", ["api.exa.ai"]), (LONG_SECRET, ["api.exa.ai", LONG_HOST])):
        services.set_secret(environment=env, name=name, value="the-value", to_hosts=to, by=by)


def crowd(env: Environment, by: User) -> None:
    """As many variables, hosts and secrets as one environment may have."""
    for n in range(hosts.MAX_HOSTS):
        host = hosts.add(environment=env, host=f"shard-{n}.example.org", by=by).host
        services.set_variable(environment=env, name=f"OPTION_{n}", value=str(n), by=by)
        services.set_secret(
            environment=env, name=f"KEY_{n}", value="the-value", to_hosts=[host], by=by
        )


def providers() -> None:
    """Runners that provide all, some and nothing; one reports a shape that no runner has."""
    reports: dict[str, dict[str, Any]] = {
        "gpu-provides-all": {kind: "0" * 16 for kind in KINDS if kind != "secret"},
        "gpu-provides-data": {"data": "1" * 16},
        "gpu-provides-nothing": {},
        "gpu-hostile": {"data": HOSTILE, HOSTILE: "x"},
    }
    for name, provides in reports.items():
        runner, _ = runners.create(name=name)
        Runner.objects.filter(pk=runner.pk).update(
            capabilities={"provides": provides}, last_seen_at=timezone.now() - timedelta(seconds=5)
        )


def pages(alice: User, root: User) -> dict[str, str]:
    """The address of each page by a name for it; needs a key for secrets."""
    addresses = judged(alice, root)
    numbers = {kind: f"2.{minor}.0" for minor, kind in enumerate(KINDS)}
    for kind, number in numbers.items():
        held(alice, number, kind)
        addresses[f"held-{kind}"] = f"/envs/alice/{NAME}/{number}/"
    held(alice, "3.0.0", *KINDS)
    held(alice, "3.1.0", *KINDS, hostile=True)
    addresses |= {
        "held-several": f"/envs/alice/{NAME}/3.0.0/",
        "held-hostile": f"/envs/alice/{NAME}/3.1.0/",
        "provisions-empty": f"/envs/alice/{EMPTY}/settings/provisions/",
        "provisions-full": f"/envs/alice/{FULL}/settings/provisions/",
        "needs-empty": "/envs/?needs=machine&tag=nothing-has-this-tag",
        "needs-facet": "/envs/?needs=data",
    }
    make_version(alice, EMPTY)
    make_version(alice, FULL)
    crowd(make_environment(alice, FULL), alice)
    providers()
    return addresses
