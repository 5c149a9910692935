"""The tag that shows what rollouts of a model cost."""

from __future__ import annotations

from typing import Any

from django import template

from envyard.card import prices
from registry.read_models.costs import of_models

register = template.Library()


@register.inclusion_tag("parts/cost.html", takes_context=True)
def model_cost(context: template.Context, results: dict[str, Any]) -> dict[str, Any]:
    """The cost of 1,000 rollouts by the prices of the address (`?prices=0.15/0.60`), else by the
    operator's, and a form for other prices."""
    request = context.get("request")
    query = request.GET if request else {}
    given = query.get("prices", "")
    kept = [(key, value) for key, value in query.items() if key not in ("prices", "seen")]
    known = prices.cost_of_thousand(results["measures"], prices.Prices(0, 0)) is not None
    shown: dict[str, Any] = {"given": given, "kept": kept, "possible": known}
    if given:
        try:
            parsed = prices.parse(given)
        except ValueError as error:
            return shown | {"error": str(error)}
        cost = prices.cost_of_thousand(results["measures"], parsed)
        return shown | {"cost": cost, "prices": parsed, "whose": "the prices of this address"}
    for row in of_models([results]):
        operators = prices.Prices(row.prompt_price, row.completion_price)
        shown |= {"cost": row.per_1000_rollouts, "prices": operators, "currency": row.currency}
        shown["whose"] = "this hub’s prices (HUB_TOKEN_PRICES)"
    return shown
