"""The fields of an evaluation that a client sends; None for those it does not send."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Claims:
    """The fields that an uploader fills; `metadata` and `metrics` are JSON of any shape."""

    name: str | None = None
    model_name: str | None = None
    dataset: str | None = None
    framework: str | None = None
    task_type: str | None = None
    description: str | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None

    def values(self) -> dict[str, Any]:
        """The fields that are not None, by their column."""
        return {name: value for name, value in asdict(self).items() if value is not None}
