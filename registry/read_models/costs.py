"""What rollouts of the hub's models cost, by the prices that its operator names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from django.conf import settings

from envyard.card.prices import Prices, cost_of_thousand
from registry.read_models.annotations import Spec


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The cost of 1,000 rollouts of a model like those seen; the prices are of a million tokens."""

    model: str
    prompt_price: float
    completion_price: float
    currency: Annotated[str, Spec(description="Empty where the operator names none.")]
    per_1000_rollouts: float


def of_models(models: Iterable[dict[str, Any]]) -> list[ModelCost]:
    """The cost of each model that has a price in HUB_TOKEN_PRICES and whose tokens are known."""
    rows = []
    for results in models:
        prices: Prices | None = settings.HUB_TOKEN_PRICES.get(results["model"])
        if prices is None:
            continue
        cost = cost_of_thousand(results["measures"], prices)
        if cost is not None:
            currency = settings.HUB_PRICE_CURRENCY
            rows.append(
                ModelCost(results["model"], prices.prompt, prices.completion, currency, cost)
            )
    return rows
