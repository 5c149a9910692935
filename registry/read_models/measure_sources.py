"""Whose word the numbers of stored cards are, also of cards from before measures had a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES

Row = dict[str, Any]


def sourced(measures: Sequence[Row]) -> list[Row]:
    """The stored measures of a card or of a model, each with the source of its number; `claimed`,
    the cautious one, for measures that there are no longer."""
    return [row if "source" in row else row | {"source": _of(row["code"])} for row in measures]


def sourced_results(models: Sequence[Row]) -> list[Row]:
    """The stored results of models with sourced measures."""
    return [results | {"measures": sourced(results["measures"])} for results in models]


def _of(code: str) -> str:
    entry = MEASURES.get(code) or MODEL_MEASURES.get(code)
    return entry.source if entry else "claimed"
