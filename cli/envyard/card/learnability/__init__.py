"""What a trainer will see: what one model can learn from an environment and what that costs; may
import the card's pure functions.

docs/card.md explains the measures, decision 0064 gives reasons and sources.
"""

from __future__ import annotations

from envyard.card.learnability.constant import constant_measure
from envyard.card.learnability.definition import ModelMeasure, ModelMeasureDefinition
from envyard.card.learnability.registry import MODEL_MEASURES
from envyard.card.learnability.results import (
    Bar,
    ModelResults,
    RewardHistogram,
    TaskResults,
    model_results,
)

__all__ = [
    "MODEL_MEASURES",
    "Bar",
    "ModelMeasure",
    "ModelMeasureDefinition",
    "ModelResults",
    "RewardHistogram",
    "TaskResults",
    "constant_measure",
    "model_results",
]
