"""The operation that checks a wheel before it is uploaded."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from registry.api.schema.base import Shape, among
from registry.api.schema.operation import Operation


class TrialFinding(Shape):
    """A result of a check, as an upload or an evaluation would show it."""

    code: str
    severity: Annotated[str, among(("error", "warning", "info"))]
    message: str
    hint: str
    where: str
    details: dict[str, Any]


class TrialCard(Shape):
    """What the hub's measures make of the report."""

    measures: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    findings: list[TrialFinding]


class Trial(Shape):
    """What an upload would meet."""

    owner: str
    findings: list[TrialFinding]
    card: TrialCard | None


class NewTrial(Shape):
    """The names of a wheel, and perhaps the report of a run on the author's machine."""

    name: Annotated[str, Field(examples=["new-env"])]
    version: Annotated[str, Field(examples=["0.1.0"])]
    owner: Annotated[str, Field(description="Left out: yours.", examples=["alice"])] = ""
    filename: str = ""
    sha256: Annotated[str, Field(description="Of the wheel; the same bytes are no refusal.")] = ""
    report: Annotated[
        dict[str, Any] | None,
        Field(description="policies, tasks, attempts, facts, rollouts and replays of a run."),
    ] = None


OPERATIONS = {
    "POST check/": Operation(
        "checkUpload",
        "Environments",
        "Check a wheel before it is uploaded",
        "The refusals and warnings that these names would meet: the name's rules, names that look "
        "alike, versions and file names that were used. With `report`, the card and verdict that "
        "the hub would give those rollouts. Nothing is kept.",
        {200: Trial},
        NewTrial,
        refusals=(429,),
    ),
}
