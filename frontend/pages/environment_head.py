"""What stands under the title of an environment: evidence, versions, and how to use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from envyard.contract.frameworks.adapter import Usage
from envyard.contract.frameworks.adapters import ADAPTERS
from registry.accounts.permissions import can
from registry.catalog.models import Environment, Version
from registry.read_models import evaluated_models, verdicts, versions

PICKED = 20  # versions of the list
TABS = {
    "card": "Card",
    "readme": "README",
    "evaluations": "Evaluations",
    "rollouts": "Rollouts",
    "versions": "Versions",
    "files": "Files",
    "train": "Train",
}


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use a version: its tool and the text that the reader copies."""

    tool: str
    text: str


def head(request: HttpRequest, env: Environment, version: Version | None) -> dict[str, Any]:
    """The context of parts/environment_head.html for a page about this version."""
    newest = env.versions.visible_to(request.user).newest_first()
    rows = list(newest.only(*versions.SUMMARISED)[: PICKED + 1])
    for row in rows:
        row.environment = env
    shown = version is not None and version.status == Version.Status.LISTED
    usable = shown and version is not None and can(request.user, "version.install", version)
    models = evaluated_models.of_version(version) if version and shown else []
    return {
        "verdict": verdicts.with_model(verdicts.of_version(version), models) if version else None,
        "models": models,
        "install": install_lines(version) if version and usable else {},
        "uses": uses(version) if version and usable else [],
        "picker": versions.summaries(rows[:PICKED]),
        "more_versions": len(rows) > PICKED,
        "all_versions": f"{reverse('environment', args=[env.owner.name, env.name])}?tab=versions",
    }


def install_lines(version: Version) -> dict[str, str]:
    """The commands that install exactly this version, by the URL and sha256 of its file.

    Never by a second index beside PyPI: pip takes the highest version from any index.
    """
    env = version.environment
    file = settings.HUB_URL + reverse(
        "file", args=[version.sha256[:2], version.sha256, version.filename]
    )
    requirement = f'"{env.name} @ {file}#sha256={version.sha256}"'
    return {
        "hub": f"hub install {env}=={version.version}",
        "pip": f"pip install {requirement}",
        "uv": f"uv pip install {requirement}",
    }


def uses(version: Version) -> list[Use]:
    """The ways beside `hub install`, which the tests of adapters run."""
    lines = install_lines(version)
    ways = [Use("uv", lines["uv"]), Use("pip", lines["pip"])]
    if usage := usage_of(version):
        ways += [Use("Python", usage.loading), Use(version.framework, usage.evaluating)]
    return ways


def usage_of(version: Version) -> Usage | None:
    """How the framework loads and evaluates it; None where the hub cannot say."""
    adapter = ADAPTERS.get((version.framework, version.api))
    try:
        return adapter.usage(version.module) if adapter else None
    except ValueError:  # a module of which no command is made
        return None


def tabs(request: HttpRequest, env: Environment, *, on: str) -> list[dict[str, Any]]:
    """Links to the tabs of the page, and to journal and settings if the reader may open them."""
    names = env.owner.name, env.name
    page = reverse("environment", args=names)
    links = {label: (key, f"{page}?tab={key}") for key, label in TABS.items()}
    if can(request.user, "environment.journal", env):
        links["Journal"] = ("journal", reverse("environment-journal", args=names))
    if can(request.user, "environment.manage", env):
        links["Settings"] = ("settings", reverse("environment-settings", args=names))
    return [{"label": label, "url": url, "on": key == on} for label, (key, url) in links.items()]
