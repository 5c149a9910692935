"""What rollouts cost by named prices."""

from __future__ import annotations

import pytest

from envyard.card.prices import COMPLETION, PROMPT, Prices, cost_of_thousand, parse

MEASURES = [{"code": PROMPT, "value": 4_000_000.0}, {"code": COMPLETION, "value": 500_000.0}]


def test_prompt_and_completion_tokens_have_prices_of_their_own() -> None:
    assert parse("0.15/0.60") == Prices(0.15, 0.6)
    assert cost_of_thousand(MEASURES, parse("0.15/0.60")) == pytest.approx(0.6 + 0.3)
    assert cost_of_thousand(MEASURES, parse("0.6/0.15")) == pytest.approx(2.4 + 0.075)


@pytest.mark.parametrize("text", ["", "1", "1/2/3", "a/b", "-1/2", "nan/1", "1/inf", "1e9/1"])
def test_other_prices_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"prices of a million|outside 0"):
        parse(text)


def test_the_cost_is_unknown_where_tokens_are() -> None:
    unknown = [MEASURES[0], {"code": COMPLETION, "value": None}]
    assert cost_of_thousand(unknown, Prices(1, 1)) is None
    assert cost_of_thousand([{"code": "tokens_per_1000", "value": 5.0}], Prices(1, 1)) is None
