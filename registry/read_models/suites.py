"""Suites as the pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from envyard.contract.suite import SuiteDefinition
from registry.read_models.annotations import Moment, Sha256, Spec, Stored
from registry.runs.suite_models import Suite


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """A frozen choice of tasks, attempts, seed, sampling, limits, judge and rules version."""

    name: str
    digest: Sha256
    built_in: Annotated[bool, Spec(description="The hub's own, for every environment.")]
    definition: Annotated[dict[str, Any], Stored(SuiteDefinition)]
    created_at: Moment


def summary(suite: Suite) -> SuiteSummary:
    """SuiteSummary."""
    return SuiteSummary(
        name=suite.name,
        digest=suite.digest,
        built_in=suite.environment_id is None,
        definition=suite.definition,
        created_at=suite.created_at,
    )
