"""What the pages of a finding code and of a measure show, from the registries."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.contract.codes import CODES, Code
from frontend.documentation import search

FAULTS = {
    "environment": "The environment: its author has to change something.",
    "request": "The request: its sender has to change something.",
    "platform": "The hub, a runner or the model: nothing to change in the environment.",
    "requirement": "Nobody: the version needs something from outside that is not provided yet. It "
    "is held, and evaluated once somebody provides it.",
}
SEVERITIES = {
    "error": "An error: it refuses the upload or rejects the version.",
    "warning": "A warning: it is shown and rejects nothing.",
    "info": "A remark: it is shown and rejects nothing.",
}
ERRORS = {  # of other faults than the environment's
    "request": "An error: the request is refused.",
    "platform": "An error: the run is tried again, then the version is held, not rejected.",
    "requirement": "An error: the version is held, not rejected.",
}
CARD = "card."
MAX_PLACES = 12


@dataclass(frozen=True, slots=True)
class Place:
    """A section of a document that names the code or the measure."""

    title: str
    heading: str
    url: str


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """A measure of the card, or of a model (`about_model`), which has no threshold."""

    name: str
    title: str
    unit: str
    question: str
    source: str
    advice: str = ""
    threshold: float | None = None
    holds: bool = False
    about_model: bool = False

    @property
    def code(self) -> str:
        """The code of its finding; empty where it makes none."""
        code = CARD + self.name
        return code if code in CODES else ""


def severity_of(code: Code) -> str:
    """What its severity means for the version or the request."""
    if code.code.removeprefix(CARD) in MEASURES:
        return (
            "An error where the measure fails, which rejects the version; a warning where it is "
            "weak, which rejects nothing."
        )
    errors = ERRORS.get(code.fault, SEVERITIES["error"])
    return errors if code.severity == "error" else SEVERITIES[code.severity]


def code_groups() -> dict[str, list[Code]]:
    """All codes by the part before the first point."""
    groups: dict[str, list[Code]] = {}
    for code in CODES.values():
        groups.setdefault(code.code.partition(".")[0], []).append(code)
    return groups


@functools.cache
def measures() -> dict[str, MeasureEntry]:
    """All measures by name: those of the card, then those of a model."""
    of_card = [
        MeasureEntry(
            name=row.code,
            title=row.title,
            unit=row.unit,
            question=row.question,
            source=row.source,
            advice=row.advice,
            threshold=row.threshold,
            holds=row.must_be_known,
        )
        for row in MEASURES.values()
    ]
    of_model = [
        MeasureEntry(row.code, row.title, row.unit, row.meaning, row.source, about_model=True)
        for row in MODEL_MEASURES.values()
    ]
    return {row.name: row for row in (*of_card, *of_model)}


@functools.cache
def places(*names: str) -> tuple[Place, ...]:
    """The sections that have one of the names between backticks, documents before decisions."""
    rows = [row for row in search.sections() if not row.codes.isdisjoint(names)]
    rows.sort(key=lambda row: row.weight == search.DECISION_WEIGHT)
    return tuple(Place(row.title, row.heading, row.url) for row in rows[:MAX_PLACES])
