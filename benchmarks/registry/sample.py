"""One environment with everything that a page can show, and an address of every public page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction

if TYPE_CHECKING:
    from registry.accounts.models import User
    from registry.catalog.models import Version
    from registry.runs.models import Run
    from registry.self_reported.models import Evaluation

AUTHOR, NAME = "sample-author", "sample"
ENV = f"/envs/{AUTHOR}/{NAME}/"
FILE = "sample/__init__.py"
CODE = (
    '"""Sort words."""\n\n\ndef score(reply: str) -> float:\n    return float(reply == "a")\n' * 20
)
README = "# Sample\n\nSort *words*.\n\n" + "A paragraph with `code` and [a link](#usage).\n\n" * 10
# Routes without a page of their own: a redirect, and a page whose link is secret.
WITHOUT = ("settings", "invitation")


def addresses(stored: Path) -> dict[str, list[str]]:
    """Route -> addresses of its page in each of its states. They are read from that file; without
    it the rows behind them are made first, in a hub that has none of them."""
    if not stored.exists():
        with transaction.atomic():
            made = make()
        stored.write_text(json.dumps(made))
    read: dict[str, list[str]] = json.loads(stored.read_text())
    return read


def make() -> dict[str, list[str]]:
    """Make the sample, whose wheels and transcripts are in the storage; returns its addresses."""
    from registry.accounts import services
    from tests.frontend import gallery_learnability, gallery_rollouts

    author = services.register(
        username=AUTHOR, email="sample@example.com", password="Sample-1234-marks"
    )
    version = _versions(author)
    gallery_learnability.played(
        author, "played", gallery_learnability.REWARDS["useful"], model="org/tiny", part="format"
    )
    evaluation = gallery_rollouts.evaluation(author)
    return _catalogue() | _fixed() | _of_versions(version) | _of_runs(version, evaluation, author)


def _versions(author: User) -> Version:
    """Two listed versions with wheels; the newer one has a lock and a card."""
    from registry.card import services as cards
    from registry.catalog.locks import VersionLock
    from tests.factories import make_rollout, make_run, make_version
    from tests.registry.run_factories import POLICIES, make_facts
    from tests.wheels import make_wheel

    for number in ("0.1.0", "0.2.0"):
        files = {FILE: CODE + f"NUMBER = {number!r}\n", f"sample/v{number[2]}.py": CODE}
        version = make_version(
            author, NAME, number, wheel=make_wheel(NAME, number, files=files), readme=README,
            readme_type="text/markdown", requires_dist=["verifiers>=0.1.14"], keywords=["math"],
        )  # fmt: skip
    run = make_run(version, policies=list(POLICIES), tasks=5, facts=make_facts().to_dict())
    for policy in POLICIES:
        for task in range(5):
            make_rollout(run, policy, task, reward=float(policy == "oracle"), turns=1)
    cards.compute(run=run)
    VersionLock.objects.create(
        version=version, platform="linux-x86_64-cp311", text="a==1\n", packages=1, sha256="0" * 64
    )
    return version


def _catalogue() -> dict[str, list[str]]:
    return {
        "home": ["/"],
        "browse": [
            *("/envs/", "/envs/?sort=learnability", "/envs/?within=30", "/envs/?q=sample"),
            *("/envs/?framework=verifiers", "/envs/?framework=verifiers&tools=none"),
            "/envs/?q=nothing-has-this-name",
        ],
        "owner": [f"/owners/{AUTHOR}/"],
        "leaderboards": ["/leaderboards/"],
        "hub-feed": ["/envs/atom.xml"],
        "owner-feed": [f"/owners/{AUTHOR}/atom.xml"],
        "environment-feed": [f"{ENV}atom.xml"],
        "sitemap": ["/sitemap.xml"],
        "sitemap-section": ["/sitemap-pages.xml", "/sitemap-environments.xml"],
    }


def _fixed() -> dict[str, list[str]]:
    """Pages that do not depend on the catalogue."""
    return {
        "patterns": ["/patterns/"],
        "publish": ["/publish/"],
        "runner": ["/runner/"],
        "status": ["/status/"],
        "robots": ["/robots.txt"],
        "docs": ["/docs/", "/docs/?q=reward"],
        "docs-decisions": ["/docs/decisions/"],
        "docs-findings": ["/docs/findings/"],
        "docs-finding": ["/docs/findings/run.load_failed/"],
        "docs-measures": ["/docs/measures/"],
        "docs-measure": ["/docs/measures/floor/"],
        "docs-page": ["/docs/card/", "/docs/operations/", "/docs/evaluations/"],
        "account_login": ["/login/"],
        "account_signup": ["/signup/"],
        "account_reset_password": ["/password/reset/"],
    }


def _of_versions(version: Version) -> dict[str, list[str]]:
    number = f"{ENV}{version.version}/"
    tabs = ("card", "readme", "evaluations", "rollouts", "versions", "files", "train")
    played, long = f"/envs/{AUTHOR}/played/", f"/envs/{AUTHOR}/long-words/"
    return {
        "environment": [
            *(f"{ENV}?tab={tab}" for tab in tabs),
            *(f"{page}?tab={tab}" for page in (played, long) for tab in ("card", "evaluations")),
        ],
        "environment-preview": [f"{ENV}preview.png"],
        "environment-changes": [f"{ENV}compare/?from=0.1.0&to=0.2.0"],
        "version": [number, f"{played}0.1.0/"],
        "version-live": [f"{number}live/"],
        "version-lock": [f"{number}locks/linux-x86_64-cp311.txt"],
        "version-files": [f"{number}files/"],
        "version-tree": [f"{number}files/wheel/"],
        "version-file": [f"{number}files/wheel/{FILE}"],
        "version-raw": [f"{number}raw/wheel/{FILE}"],
        "version-leaderboard": [f"{number}leaderboard/"],
    }


def _of_runs(version: Version, evaluation: Run, author: User) -> dict[str, list[str]]:
    from registry.runs import suites
    from tests.factories import make_run
    from tests.registry.runs.measured_models import TASKS, evaluated, pushed

    full = suites.built_in("full")
    weak, strong = (evaluated(version, f"model-{rate}", full, rate=rate) for rate in (0.2, 0.7))
    claim = pushed(version, author, full, "model-0.7", [1.0] * TASKS, 1.0)
    live = _live(version)
    fields: dict[str, Any] = {"purpose": "evaluation", "suite": full, "policies": ["model"]}
    queued = make_run(version, status="queued", model="org/tiny", **fields)
    run = f"/runs/{evaluation.pk}/"
    rollouts = evaluation.rollouts.filter(policy="model", task=0).order_by("pk")
    rollout = f"{run}rollouts/{rollouts[1].pk}/"
    both = f"/runs/{strong.pk}/comparison/{weak.pk}/"
    return {
        "run": [run, f"{run}?sort=-reward&text=word", f"{run}?order=mean&model=2", live],
        "run-live": [f"{live}live/"],
        "run-queue": [f"/runs/{queued.pk}/queue/"],
        "run-queue-live": [f"/runs/{queued.pk}/queue/live/"],
        "run-comparison": [both],
        "task-comparison": [f"{both}tasks/9/"],
        "rollout": [rollout, f"{rollout}?view=markdown", f"{rollout}?find=dictionary"],
        "rollout-difference": [f"{rollout}difference/"],
        "compare": ["/compare/", f"/compare/?first={strong.pk}&second={weak.pk}"],
        **_of_claim(claim),
    }


def _live(version: Version) -> str:
    """A large evaluation that a runner executes."""
    from registry.models import LogChunk
    from registry.runs import suites
    from tests.factories import make_rollout, make_run
    from tests.frontend import gallery

    tasks, attempts, done = 60, 8, 300
    run = make_run(
        version, status="running", model="org/large", purpose="evaluation", policies=["model"],
        suite=suites.built_in("full"), tasks=tasks, attempts=attempts, total=tasks * attempts,
        done=done,
        facts={"tasks": [{"index": n, "prompt": f"What does {n} mean?"} for n in range(tasks)]},
    )  # fmt: skip
    lines = (f"task {n * 7 % tasks}: {n * 1.37:.2f} s, reward {n % 5 / 4}\n" for n in range(2000))
    LogChunk.objects.create(run=run, attempt=1, seq=1, text=gallery.LOG + "".join(lines))
    for number in range(done):
        make_rollout(
            run, "model", number // attempts, attempt=number % attempts, reward=number % 5 / 4,
            turns=2, seconds=1 + number % 7, prompt_tokens=300, completion_tokens=number,
        )  # fmt: skip
    return f"/runs/{run.pk}/"


def _of_claim(claim: Evaluation) -> dict[str, list[str]]:
    page = f"{ENV}evaluations/{claim.pk}/"
    return {
        "evaluation": [page],
        "evaluation-samples": [f"{page}samples/"],
        "evaluation-sample": [f"{page}samples/3/"],
    }
