"""Does the form that a prompt asks for earn what the right answer earns? Pure functions.

docs/decisions/0080 gives the rule and its reasons.
"""

from __future__ import annotations

from envyard.card.evidence import Evidence
from envyard.card.mutants import comparable
from envyard.contract.findings import Finding, finding

UNPAID = 0.1  # of the way from the worst-paid form to the best


def reference_form_findings(evidence: Evidence) -> list[Finding]:
    """A warning where the right answer is paid, and not in the form that the prompt asks for."""
    form = evidence.facts.answer_form
    if form is None or not form.is_paid or not form.asked or form.asked_reward is None:
        return []
    lowest, best = form.lowest or 0.0, form.reward or 0.0
    if form.asked_reward > lowest + UNPAID * (best - lowest):
        return []
    message = (
        f"The prompt asks for the answer as {form.asked!r}, and the right answer in this form "
        f"earns {form.asked_reward:.3g}; as {form.form!r} it earns {best:.3g}."
    )
    return [finding("card.reference_form", message, asked=form.asked, paid=form.form)]


def reference_decimals_findings(evidence: Evidence) -> list[Finding]:
    """A warning where references are rounded more than the prompt asks for, unless the verifier has
    a tolerance that pays answers with one decimal more."""
    short = evidence.facts.survey.short_decimals if evidence.facts.survey else None
    if short is None or not short.count:
        return []
    finer = [
        result for result in comparable(evidence.facts.mutants or ()) if result.operator == "finer"
    ]
    paid = sum(result.reward == result.recorded for result in finer)
    if finer and paid > len(finer) / 2:
        return []
    message = (
        f"The prompts ask for {short.asked} decimals, and {short.count} of {short.tasks} "
        f"references are rounded to fewer, such as {short.answer!r} in task {short.task}: an "
        "answer that is as exact as asked for differs from them."
    )
    return [finding("card.reference_decimals", message, n=short.tasks, value=short.count)]
