"""Reports and the journal as the API answers them, and what is sent to staff."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from registry.api.schema.base import Moment, Shape, among
from registry.moderation import models

Why = Annotated[str, among(models.Report.Reason.values)]


class Report(Shape):
    """What somebody told staff about an environment, and what became of it."""

    id: int
    environment: str
    version: str | None
    reporter: str
    reason: Why
    text: str
    created_at: Moment
    resolved_at: Moment | None
    resolved_by: str | None
    resolution: str


class JournalEntry(Shape):
    """One thing that happened; `text` says it in a sentence."""

    id: int
    at: Moment
    actor: Annotated[str | None, Field(description="Null: the hub itself.")]
    verb: str
    text: str
    owner: str | None
    environment: str | None
    version: str | None
    run: str | None
    data: dict[str, Any]


class NewReport(Shape):
    """What is wrong, with all of it or with one version."""

    reason: Why
    text: str
    version: str = ""


class Resolution(Shape):
    """What was done about it."""

    resolution: str
