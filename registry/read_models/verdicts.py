"""The evidence on a version in one line, as the head of pages and the rows of lists show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from registry.catalog.models import Environment, Version
from registry.read_models.environments import Latest, score_of
from registry.read_models.evaluated_models import EvaluatedModel
from registry.read_models.versions import card_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fields of an EnvironmentSummary that the strip shows, of one version.

    `latest` is the version itself once it was listed, whichever is the environment's latest.
    """

    card: dict[str, Any] | None
    score: dict[str, Any] | None
    learnability: float | None
    latest: Latest | None


def of_version(version: Version) -> Verdict:
    """The verdict on this version; one query where its card is not loaded."""
    card = card_of(version)
    return Verdict(
        card=card.summary or None if card else None,
        score=score_of(card),
        learnability=version.learnability,
        latest=Latest(version.version, version.listed_at) if version.listed_at else None,
    )


def with_model(verdict: Verdict, models: Sequence[EvaluatedModel]) -> Verdict:
    """The verdict with the newest result of a model, and its suite, where its card has no model."""
    if verdict.score or not verdict.card or not models:
        return verdict
    newest = models[0]
    card = verdict.card | {"model": f"{newest.model}, suite {newest.suite},"}
    return replace(verdict, score=newest.score, card=card)


def of_environment(environment: Environment) -> Verdict | None:
    """The verdict on its latest version; None without one."""
    return of_version(environment.latest) if environment.latest else None
