"""The names of policies: a run's model by its own name, and what a probe is."""

from __future__ import annotations

from django import template
from django.utils.text import Truncator

from envyard.contract.job import MODEL
from envyard.contract.probes import PROBES
from frontend.render import plain
from registry.read_models.runs import RunSummary
from registry.runs.models import Run

register = template.Library()
MAX_MODEL = 60  # characters


@register.filter
def policy_name(policy: str, model: str) -> str:
    """The name of the run's model for the policy `model`; else the policy itself."""
    return _short(model) if policy == MODEL and model else policy


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
