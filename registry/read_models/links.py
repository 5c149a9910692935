"""Absolute addresses of what the hub shows and serves; pages are named in frontend/urls.py."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from registry.catalog.models import Environment, Version
from registry.runs.models import Rollout, Run
from registry.self_reported.models import Evaluation


def to(name: str, *args: object) -> str:
    """The address of a named route, on the host that people know the hub by."""
    return f"{settings.HUB_URL}{reverse(name, args=args)}"


def environment(environment: Environment) -> str:
    """An environment's page."""
    return to("environment", environment.owner.name, environment.name)


def version(version: Version) -> str:
    """A version's page."""
    environment = version.environment
    return to("version", environment.owner.name, environment.name, version.version)


def run(run: Run) -> str:
    """A run's page."""
    return to("run", run.pk)


def rollout(rollout: Rollout) -> str:
    """A rollout's page."""
    return f"{settings.HUB_URL}{rollout_path(rollout.run_id, rollout.pk)}"


def rollout_path(run: UUID, rollout: int) -> str:
    """The path of that page, below its run's: pages show hundreds, for which `reverse` is slow."""
    return f"{_run_path(run)}rollouts/{rollout}/"


@lru_cache(maxsize=64)
def _run_path(run: UUID) -> str:
    return reverse("run", args=[run])


def evaluation(evaluation: Evaluation) -> str:
    """A pushed evaluation's page."""
    environment = evaluation.environment
    return to("evaluation", environment.owner.name, environment.name, evaluation.pk)


def file(version: Version) -> str:
    """The wheel itself; `.metadata` behind it is its METADATA."""
    return to("file", version.sha256[:2], version.sha256, version.filename)


def prime_id(environment: Environment) -> str:
    """Its id in the paths of the `prime` command: no owner's name holds an underscore."""
    return f"env_{environment.pk}"
