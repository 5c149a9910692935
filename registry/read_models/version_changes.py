"""Two versions of an environment side by side: metadata, dependencies and cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from registry.card.models import Card
from registry.catalog.models import Version
from registry.read_models.environments import score_of
from registry.read_models.versions import card_of

FIELDS = {
    "summary": "Summary",
    "framework": "Framework",
    "api": "API of the framework",
    "module": "Module",
    "entry": "Entry point",
    "requires_python": "Python",
    "license": "Licence",
    "authors": "Authors",
    "keywords": "Keywords",
    "variables": "Variables",
    "links": "Links",
}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of the metadata as text; empty where there is none."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """A measure of both cards, None where one has it not."""

    code: str
    title: str
    unit: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two versions, and their cards' measures."""

    fields: list[FieldChange]
    dependencies_added: list[str]
    dependencies_removed: list[str]
    measures: list[MeasureChange]
    score_before: dict[str, Any] | None
    score_after: dict[str, Any] | None
    model_before: str
    model_after: str
    same_rules: bool

    @property
    def different_models(self) -> bool:
        """Whether both have a score, of models with different names."""
        both = self.score_before is not None and self.score_after is not None
        return both and self.model_before != self.model_after


def comparison(before: Version, after: Version) -> Comparison:
    """Comparison; one query for each card that is not loaded."""
    old, new = card_of(before), card_of(after)
    olds = {row["code"]: row for row in (old.measures if old else [])}
    news = {row["code"]: row for row in (new.measures if new else [])}
    return Comparison(
        fields=_fields(before, after),
        dependencies_added=sorted({*after.requires_dist} - {*before.requires_dist}),
        dependencies_removed=sorted({*before.requires_dist} - {*after.requires_dist}),
        measures=[
            MeasureChange(
                code=code,
                title=(news.get(code) or olds[code])["title"],
                unit=(news.get(code) or olds[code])["unit"],
                before=olds.get(code),
                after=news.get(code),
            )
            for code in dict.fromkeys((*news, *olds))
        ],
        score_before=score_of(old),
        score_after=score_of(new),
        model_before=_model(old),
        model_after=_model(new),
        same_rules=old is None or new is None or old.rules == new.rules,
    )


def _model(card: Card | None) -> str:
    return str(card.summary.get("model", "")) if card else ""


def _fields(before: Version, after: Version) -> list[FieldChange]:
    rows = [
        FieldChange(label, _text(getattr(before, name)), _text(getattr(after, name)))
        for name, label in FIELDS.items()
    ]
    return [row for row in rows if row.before != row.after]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in sorted(value.items()))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
