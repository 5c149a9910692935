"""The registry of a model's measures."""

from __future__ import annotations

from envyard.card.learnability.costs import COSTS
from envyard.card.learnability.solving import SOLVING
from envyard.card.learnability.useful_groups import USEFUL_GROUPS

# In the order in which a card shows them.
MODEL_MEASURES = {entry.code: entry for entry in (*SOLVING, *USEFUL_GROUPS, *COSTS)}
