"""Prints, as JSON, the places that show the entries of new_entries.py.

Runs in the changed copy of the tree: `python -m tests.tools.added_entries`.
"""

from __future__ import annotations

import json
import os
from typing import Any

import django

GYMNASIUM = {
    "loud_env.py": b"from gymnasium import make_vec\n\n\ndef make_gym():\n    return make_vec()\n",
    "loud_env-1.dist-info/METADATA": b"Metadata-Version: 2.1\nName: loud-env\nVersion: 1\n",
}


def main() -> None:
    """Collect what settings, API, pages, card, command and documents show."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.test import Client

    from envyard import scaffold
    from envyard.commands import search
    from envyard.contract.detect import detect
    from envyard.contract.findings import finding
    from envyard.contract.frameworks.adapters import FRAMEWORKS
    from envyard_runner.probing.probes import REPLIES
    from registry.accounts.services import RESERVED
    from tests.registry.access import routes, table
    from tools.docs_tables import DOCS

    rows = table.API | table.PAGES | table.SIGNING_IN
    shown: dict[str, Any] = {
        "HUB_PROBES": settings.HUB_PROBES,
        "replies": list(REPLIES),
        "openapi": Client().get("/api/v1/schema?format=json", HTTP_HOST="localhost").text,
        "detection": [f.message for f in detect({"a.py": b""}).findings],
        "gymnasium": _gymnasium(),
        "frameworks": FRAMEWORKS,
        "templates": scaffold.templates(),
        "code": finding("run.too_loud").to_dict(),
        "card": _card(),
        "options": {name: facet.option for name, facet in search.OPTIONS.items()},
        "page": _page(),
        "reserved": "loudest" in RESERVED,
        "routes_without_a_row": [r.path for r in routes.every() if r.path not in rows],
        "limit": {"HUB_LOUDNESS": settings.HUB_LOUDNESS, "code": _refusal()},
        "docs": "".join(path.read_text() for path in DOCS.glob("*.md")),
    }
    print(json.dumps(shown))  # noqa: T201


def _gymnasium() -> dict[str, Any]:
    """The detection of a wheel of the added framework, and its chosen release."""
    from envyard.contract.detect import detect
    from envyard.contract.frameworks.choose import choose

    detection = detect(GYMNASIUM)
    choice = choose(
        GYMNASIUM,
        framework=detection.framework,
        api=detection.api,
        module=detection.module,
        requires_dist=(),
    )
    return {
        "detected": [detection.framework, detection.api, detection.module, detection.entry],
        "release": choice.release,
    }


def _page() -> str:
    """The added page, as a person who is not signed in gets it."""
    from django.contrib.auth.models import AnonymousUser
    from django.test import RequestFactory
    from django.urls import resolve

    request = RequestFactory().get("/loudest/", HTTP_HOST="localhost")
    request.user = AnonymousUser()
    return str(resolve("/loudest/").func(request).content.decode())


def _refusal() -> str:
    """The code with which the service refuses what exceeds the added limit."""
    from registry.accounts import services
    from registry.errors import HubError

    try:
        services.rename(organisation=None, title="!" * 8, by=None)  # type: ignore[arg-type]
    except HubError as refused:
        return refused.code
    return ""


def _card() -> dict[str, Any]:
    """Measures and findings of a run in which the added probe got full marks."""
    from envyard.card.evidence import Evidence
    from envyard.card.measures import all_measures
    from envyard.card.verdict import findings_of
    from envyard.contract.facts import Facts, TaskResult
    from envyard.contract.runner_events import RolloutResult

    tasks = [TaskResult(index=0, hash="a", prompt="Say it louder.")]
    facts = Facts(tasks=tasks, hashes_again=["a"])
    rollouts = (RolloutResult(policy="shout", task=0, attempt=0, ok=True, reward=1.0),)
    evidence = Evidence(("shout",), 1, 1, facts, rollouts)
    return {
        "measures": [measure.code for measure in all_measures(evidence)],
        "findings": [finding.to_dict() for finding in findings_of(evidence, ("shout",))],
    }


if __name__ == "__main__":
    main()
