"""What rollouts of a model cost by prices that somebody names. May import nothing of the card.

No price is built in: the operator names those of the hub's models, or a reader names some.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

PROMPT, COMPLETION = "prompt_tokens_per_1000", "completion_tokens_per_1000"
LARGEST = 1e6  # of a million tokens
FORM = "PROMPT/COMPLETION, the prices of a million tokens, such as 0.15/0.60"


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens, in one currency."""

    prompt: float
    completion: float

    def __str__(self) -> str:
        return f"{self.prompt:g}/{self.completion:g}"


def parse(text: str) -> Prices:
    """Prices as `0.15/0.60`; raises ValueError with the rule."""
    try:
        prompt, completion = map(float, text.split("/"))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not {FORM}") from None
    if not all(math.isfinite(price) and 0 <= price <= LARGEST for price in (prompt, completion)):
        raise ValueError(f"{text[:40]!r} has a price outside 0 to {LARGEST:g}")
    return Prices(prompt, completion)


def cost_of_thousand(measures: Iterable[Mapping[str, Any]], prices: Prices) -> float | None:
    """What 1,000 rollouts cost by a model's measures; None where their tokens are unknown, as in
    cards that count prompt and completion together."""
    values = {row.get("code"): row.get("value") for row in measures}
    prompt, completion = values.get(PROMPT), values.get(COMPLETION)
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    return (prompt * prices.prompt + completion * prices.completion) / 1e6
