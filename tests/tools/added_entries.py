"""Prints, as JSON, the places that show the entries which test_contributing.py adds.

Runs in a copy of the tree: `python -m tests.tools.added_entries`.
"""

from __future__ import annotations

import json
import os
from typing import Any

import django


def main() -> None:
    """Collect what settings, API, card, command and documents show."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    django.setup()
    from django.conf import settings
    from django.test import Client

    from envyard import scaffold
    from envyard.commands import search
    from envyard.contract.detect import detect
    from envyard.contract.findings import finding
    from envyard_runner.gateway.probes import REPLIES
    from tools.docs_tables import DOCS, rewritten

    shown: dict[str, Any] = {
        "HUB_PROBES": settings.HUB_PROBES,
        "replies": list(REPLIES),
        "openapi": Client().get("/api/v1/schema?format=json", HTTP_HOST="localhost").text,
        "detection": [finding.message for finding in detect({"a.py": b""}).findings],
        "templates": scaffold.templates(),
        "code": finding("run.too_loud").to_dict(),
        "card": _card(),
        "options": {name: facet.option for name, facet in search.OPTIONS.items()},
        "docs": "".join(rewritten(path.read_text()) for path in DOCS.glob("*.md")),
    }
    print(json.dumps(shown))  # noqa: T201


def _card() -> dict[str, Any]:
    """Measures and findings of a run in which the added probe got full marks."""
    from envyard.contract.runner_events import Facts, RolloutResult, TaskResult
    from registry.card.evidence import Evidence
    from registry.card.measures import all_measures
    from registry.card.verdict import findings_of

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
