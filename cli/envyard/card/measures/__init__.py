"""The measures of a card, one module for each subject; may import the card's pure functions.

docs/card.md explains the measures, docs/decisions/0004-card-thresholds.md their thresholds.
"""

from __future__ import annotations

from envyard.card.evidence import Evidence
from envyard.card.measures.completion import COMPLETION
from envyard.card.measures.definition import Measure, MeasureDefinition
from envyard.card.measures.diversity import DIVERSITY
from envyard.card.measures.floor_and_ceiling import FLOOR_AND_CEILING
from envyard.card.measures.mutants import MUTANTS
from envyard.card.measures.reproducibility import REPRODUCIBILITY
from envyard.card.measures.reward_values import REWARD_VALUES
from envyard.card.measures.scorer import SCORER
from envyard.card.measures.speed import SPEED
from envyard.card.measures.training import TRAINING

__all__ = ["MEASURES", "Measure", "MeasureDefinition", "all_measures"]

# In the order in which a card shows them.
SUBJECTS = (
    COMPLETION,
    REWARD_VALUES,
    REPRODUCIBILITY,
    TRAINING,
    FLOOR_AND_CEILING,
    MUTANTS,
    DIVERSITY,
    SPEED,
    SCORER,
)
MEASURES = {entry.code: entry for subject in SUBJECTS for entry in subject}


def all_measures(evidence: Evidence) -> list[Measure]:
    """The result of every measure for one run, in the order of a card."""
    return [definition.measure(evidence) for definition in MEASURES.values()]
