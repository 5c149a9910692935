"""The registry of a model's measures."""

from __future__ import annotations

from envyard.card.learnability.constant import CONSTANT
from envyard.card.learnability.costs import COSTS
from envyard.card.learnability.solving import SOLVING
from envyard.card.learnability.useful_groups import USEFUL_GROUPS

# In the order in which a card shows them.
MEAN, *OTHERS = SOLVING
MODEL_MEASURES = {entry.code: entry for entry in (MEAN, CONSTANT, *OTHERS, *USEFUL_GROUPS, *COSTS)}
