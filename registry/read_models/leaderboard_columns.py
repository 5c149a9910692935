"""The environments that a leaderboard across environments has as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from envyard.card.learnability import ModelMeasure
from registry.catalog.models import Version
from registry.read_models import constant_answers, links
from registry.read_models.annotations import Uri


@dataclass(frozen=True, slots=True)
class Column:
    """An environment by its latest listed version. Where it is not in the mean, `left_out` names
    the reason. `constant` is what one answer to every task would earn, null without a run."""

    environment: str
    version: str
    url: Uri
    models: int
    in_mean: bool
    left_out: str
    constant: ModelMeasure | None


def columns_of(
    versions: Mapping[int, Version], models: Mapping[int, int], left_out: Mapping[int, str]
) -> list[Column]:
    """The columns of the versions, each by the id of its environment, as are the number of models
    and the reason why one is in no mean."""
    constants = constant_answers.of_versions([version.pk for version in versions.values()])
    return [
        Column(
            environment=str(version.environment),
            version=version.version,
            url=links.version(version),
            models=models[pk],
            in_mean=pk not in left_out,
            left_out=left_out.get(pk, ""),
            constant=constants.get(version.pk),
        )
        for pk, version in versions.items()
    ]
