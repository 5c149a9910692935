"""Finding codes and measures as the API explains them; the pages below `/docs/` show the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, get_args

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.card.sources import SOURCES
from envyard.contract.codes import CODES, Code, Fault, Severity
from registry.errors import NotFound
from registry.read_models import links
from registry.read_models.annotations import Spec, Uri


@dataclass(frozen=True, slots=True)
class ExplainedCode:
    """A finding code or an error of the API."""

    code: Annotated[str, Spec(description="Stable and dotted; it never changes its meaning.")]
    message: str
    hint: Annotated[str, Spec(description="The next step; may be empty.")]
    severity: Annotated[str, Spec(enum=list(get_args(Severity)))]
    fault: Annotated[str, Spec(enum=list(get_args(Fault)))]
    url: Uri


@dataclass(frozen=True, slots=True)
class ExplainedMeasure:
    """A measure of a card, or of a model, which has no threshold and rejects nothing."""

    name: str
    title: str
    of: Annotated[str, Spec(enum=["card", "model"])]
    unit: str
    source: Annotated[
        str, Spec(enum=list(SOURCES), description="Whose word it is: the weakest that it rests on.")
    ]
    question: str
    advice: Annotated[str, Spec(description="What to do when it fails; empty for a model's.")]
    threshold: float | None
    url: Uri


def codes() -> list[ExplainedCode]:
    """All codes, by subject."""
    return [_code(entry) for entry in CODES.values()]


def code(name: str) -> ExplainedCode:
    """The code of that name; raises NotFound."""
    if name not in CODES:
        raise NotFound(f"there is no finding code {name[:80]!r}")
    return _code(CODES[name])


def measures() -> list[ExplainedMeasure]:
    """All measures: those of a card, then those of a model, in the order of a card."""
    return list(_measures())


def measure(name: str) -> ExplainedMeasure:
    """The measure of that name; raises NotFound."""
    for entry in _measures():
        if entry.name == name:
            return entry
    raise NotFound(f"there is no measure {name[:80]!r}")


def _code(entry: Code) -> ExplainedCode:
    return ExplainedCode(
        code=entry.code,
        message=entry.message,
        hint=entry.hint,
        severity=entry.severity,
        fault=entry.fault,
        url=links.to("docs-finding", entry.code),
    )


def _measures() -> Iterator[ExplainedMeasure]:
    for row in MEASURES.values():
        url = links.to("docs-measure", row.code)
        yield ExplainedMeasure(
            name=row.code,
            title=row.title,
            of="card",
            unit=row.unit,
            source=row.source,
            question=row.question,
            advice=row.advice,
            threshold=row.threshold,
            url=url,
        )
    for model_row in MODEL_MEASURES.values():
        url = links.to("docs-measure", model_row.code)
        yield ExplainedMeasure(
            name=model_row.code,
            title=model_row.title,
            of="model",
            unit=model_row.unit,
            source=model_row.source,
            question=model_row.meaning,
            advice="",
            threshold=None,
            url=url,
        )
