"""Reproducibility: the same tasks from a second load, the same reward from a replay."""

from __future__ import annotations

from typing import Any

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import (
    Measure,
    MeasureDefinition,
    OfTask,
    Reading,
    Status,
    gate_finding,
    numbered,
    share,
    share_of_rollouts,
    unknown,
)
from envyard.card.rescoring import rescored
from envyard.contract.findings import Finding
from envyard.contract.mutants import CONTROL, MutantResult
from envyard.contract.replay import agree


def reproducible_tasks(evidence: Evidence) -> Reading:
    """The share of tasks that a second process, given the same seed if any, loaded as the same."""
    tasks, second_hashes = evidence.facts.tasks, evidence.facts.hashes_again
    if tasks is None or second_hashes is None:
        missing = "the tasks" if tasks is None else "a second load of the tasks"
        return unknown(f"the run reported nothing about {missing}")
    n = max(len(tasks), len(second_hashes))
    pairs = zip((task.hash for task in tasks), second_hashes, strict=False)
    differing = [index for index, (first, second) in enumerate(pairs) if first != second]
    equal = min(len(tasks), len(second_hashes)) - len(differing)
    count = f"{equal} of {n} tasks were the same"
    count += f", the first that differs is task {differing[0]}" if differing else ""
    detail = _two_loads(evidence, count, differing=equal < n)
    return share(equal, n, "pass" if equal == n else "fail", detail)


def takes_no_seed(evidence: Evidence) -> bool:
    """Whether the runner reported that nothing of the environment takes a seed."""
    return evidence.facts.seed_options == []


def _two_loads(evidence: Evidence, count: str, *, differing: bool) -> str:
    """The two loads in words, with the seed that both were given as far as the runner reported
    it."""
    options, entry = evidence.facts.seed_options, evidence.facts.seed_entry or "the environment"
    if options:
        return f"{count} when loaded again with the same seed ({entry}: {', '.join(options)})"
    if options is None or not differing:
        return f"{count} when loaded again"
    return f"{entry} takes no seed; tasks differed between two loads: {count}"


def _differing_tasks(measure: Measure, evidence: Evidence) -> list[Finding]:
    """Tasks that differ have a code of their own where the environment takes no seed."""
    if takes_no_seed(evidence):
        return [numbered("card.takes_no_seed", f"{measure.detail}.", measure)]
    return gate_finding(measure, evidence)


def reproducible_reward(evidence: Evidence) -> Reading:
    """The share of replayed rollouts that were rewarded as before; only ever a warning, because a
    judge or a clock may be meant to decide.

    Paid replies that were repeated once more in the process of the replays count too: state that a
    reward leaves behind shows only there.
    """
    rescoring, again = rescored(evidence.rollouts), _repeated_beside_others(evidence)
    if not rescoring.n and not again:
        return unknown(rescoring.sentence)
    changed = [result for result, same in again if not same]
    detail = rescoring.sentence
    if changed:
        first = changed[0]
        detail += (
            f"; {len(changed)} of {len(again)} paid replies got another reward when they were "
            f"repeated among others: {first.rollout} {first.recorded:g}, then {first.reward:g}"
        )
    status: Status = "warn" if rescoring.differing or changed else "pass"
    compared: list[tuple[OfTask, bool]] = [
        *((rollout, True) for rollout in rescoring.agreeing),
        *((rollout, False) for rollout in rescoring.differing),
        *again,
    ]
    return share_of_rollouts(compared, status, detail)


def _repeated_beside_others(evidence: Evidence) -> list[tuple[MutantResult, bool]]:
    """The controls of mutants, and whether each got the recorded reward."""
    controls = [m for m in evidence.facts.mutants or () if m.operator == CONTROL]
    return [
        (m, agree(m.recorded, m.reward))
        for m in controls
        if m.reward is not None and m.recorded is not None
    ]


def _differing_rewards(evidence: Evidence) -> dict[str, Any]:
    """The rollouts whose rewards differ, with both rewards of each."""
    pairs = rescored(evidence.rollouts).pairs
    for result, same in _repeated_beside_others(evidence):
        if not same:
            pairs.setdefault(result.rollout, [result.recorded, result.reward])
    return {"where": next(iter(pairs)), "rewards": pairs}


REPRODUCIBILITY = (
    MeasureDefinition(
        code="reproducible_tasks",
        rollouts="policy=oracle&sort=task",
        title="Reproducible tasks",
        unit="share",
        threshold=1.0,
        source="observed",
        read=reproducible_tasks,
        question="Does a second, new sandbox load the same tasks? Both loads get the same "
        "seed where the environment takes one.",
        advice="Seed every random choice; do not iterate over a set.",
        must_be_known=True,
        errors=_differing_tasks,
    ),
    MeasureDefinition(
        code="reproducible_reward",
        rollouts="outcome=replayed",
        title="Reproducible reward",
        unit="share",
        threshold=1.0,
        source="observed",
        read=reproducible_reward,
        question="Is the same conversation paid the same twice?",
        advice="Seed what scoring draws; keep no state between rollouts; let no clock decide.",
        warning_details=_differing_rewards,
    ),
)
