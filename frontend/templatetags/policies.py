"""The names of policies: a run's model by its own name, and what a probe is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.text import Truncator

from envyard.contract.job import MODEL
from envyard.contract.probes import ORACLE, PROBES
from frontend.render import plain
from frontend.templatetags.hub import num
from registry.read_models.runs import RunSummary
from registry.runs.models import Run

register = template.Library()
Score = dict[str, Any]  # that of a policy, as runs and cards store it
MAX_MODEL = 60  # characters


@register.filter
def policy_name(policy: str, model: str) -> str:
    """The name of the run's model for the policy `model`; else the policy itself."""
    return _short(model) if policy == MODEL and model else policy


@register.filter
def of_models(scores: Sequence[Score]) -> list[Score]:
    """The scores of models among those of a run."""
    return [score for score in scores if score["policy"] not in PROBES]


@register.filter
def of_probes(scores: Sequence[Score]) -> list[Score]:
    """The scores of probes among those of a run."""
    return [score for score in scores if score["policy"] in PROBES]


@register.filter
def probe_range(scores: Sequence[Score]) -> str:
    """How many probes there are, the highest mean of those without the right answer, and that of
    the reference answer: `15 probes: up to 0, oracle 1`. The floor of the card is another number:
    the mean of the probe that comes closest to its limit."""
    means = {score["policy"]: score["mean"] for score in scores if score["mean"] is not None}
    unearned = [mean for policy, mean in means.items() if PROBES[policy].floor]
    highest = num(max(unearned, default=None))
    number = f"{len(scores)} probe{'' if len(scores) == 1 else 's'}"
    return f"{number}: up to {highest}, {ORACLE} {num(means.get(ORACLE))}"


@register.filter
def run_of(run: RunSummary) -> str:
    """The words before the version in the title of a run: whose evaluation it is, if a model's."""
    is_evaluation = run.purpose == Run.Purpose.EVALUATION
    return f"{_short(run.model)} on" if is_evaluation and run.model else "Run of"


@register.filter
def probe_line(policy: str) -> str:
    """What a probe replies with and what that must earn; empty for a policy that is none."""
    probe = PROBES.get(policy)
    return f"Replies with {probe.reply}; must earn {probe.required_reward}." if probe else ""


def _short(model: str) -> str:
    return Truncator(plain.visible(model)).chars(MAX_MODEL)
