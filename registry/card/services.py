"""Compute and store a version's card, from stored rollouts alone: no GPU, no runner."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from envyard.card.evidence import Evidence, name
from envyard.card.learnability import ModelResults, model_results
from envyard.card.measures import all_measures
from envyard.card.scores import by_policy
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts
from envyard.contract.findings import Finding
from envyard.contract.frameworks.adapters import adapters_of
from envyard.contract.replay import Replay
from envyard.contract.rules import RULES
from envyard.contract.runner_events import RolloutResult, Usage
from envyard.contract.suite import SMOKE
from registry.card.facet_values import facet_values
from registry.card.models import Card
from registry.card.summary import summary_of
from registry.catalog.services import store_learnability
from registry.runs import transcripts
from registry.runs.models import Rollout, Run

log = logging.getLogger(__name__)


def evidence_of(run: Run) -> Evidence:
    """The run's stored facts and rollouts, without the transcripts."""
    rows = run.rollouts.order_by("task", "attempt")
    order = {policy: index for index, policy in enumerate(run.policies)}
    facts = Facts.from_dict(run.facts)
    counted = [r for r in map(_result, rows) if name(r) not in (facts.not_counted or {})]
    return Evidence(
        policies=tuple(run.policies),
        tasks=run.tasks,
        attempts=run.attempts,
        facts=facts,
        model=run.model,
        rollouts=tuple(sorted(counted, key=lambda r: (order[r.policy], r.task, r.attempt))),
    )


def compute(*, run: Run) -> Card:
    """Measure the run and store it as its version's card; the same run gives the same card."""
    evidence = evidence_of(run)
    results = _results(run, evidence)
    first = results[0] if results else None
    measures = [measure.to_dict() for measure in all_measures(evidence)]
    stored_results = [result.to_dict() for result in results]
    card, _ = Card.objects.update_or_create(
        version=run.version,
        defaults={
            "run": run,
            "measures": measures,
            "rules": RULES,
            "release": newest_release(run.version.framework),
            "scores": [score.to_dict() for score in by_policy(evidence)],
            "model_results": stored_results,
            "summary": summary_of(measures, stored_results).to_dict(),
        },
    )
    learnability = first.learnability if first else None
    store_learnability(
        run.version,
        learnability=learnability,
        difficulty=first.difficulty if first else "",
        facets=facet_values(
            evidence,
            keywords=run.version.keywords,
            learnability=learnability,
            tools=_offers_tools(run),
        ),
    )
    return card


def _offers_tools(run: Run) -> bool | None:
    """Whether the first transcript of the run offers tools; None where there is none, and where
    the storage fails, on which no card may depend."""
    row = run.rollouts.filter(ok=True, pack__isnull=False).select_related("pack").first()
    try:
        transcript = transcripts.read(row) if row else None
    except Exception:  # each storage raises its own
        log.exception("the transcripts of run %s cannot be read", run.pk)
        return None
    return None if transcript is None else any(transcript.tools)


def results_of(run: Run) -> list[ModelResults]:
    """What the run's model can learn, also of a run that has no card; its baselines are those of
    the version's newest run with probes."""
    probed = newest_probed([run.version_id]).get(run.version_id) if run.is_evaluation else None
    return _results(run, evidence_of(run), probes=evidence_of(probed) if probed else None)


def newest_probed(versions: Iterable[int]) -> dict[int, Run]:
    """Version -> its newest run with a result that played probes: one that listed it, or measured
    it again. One query, without facts, which are read where the evidence is.

    Sorted here: for the database's order SQLite without statistics reads the ended runs of all.
    """
    rows = Run.objects.filter(version__in=versions, status=Run.Status.SUCCEEDED)
    rows = rows.exclude(purpose=Run.Purpose.EVALUATION).defer("facts").order_by()
    return {run.version_id: run for run in sorted(rows, key=lambda run: run.created_at)}


def _results(run: Run, evidence: Evidence, probes: Evidence | None = None) -> list[ModelResults]:
    name = run.suite.name if run.suite else SMOKE
    return model_results(evidence, suite=name, probes=probes)


def newest_release(framework: str) -> str:
    """The newest release of the framework that this hub's adapters know; empty where none."""
    releases = [release for row in adapters_of(framework) for release in row.known_releases()]
    return str(max((release.version for release in releases), default=""))


def verdict(*, run: Run, required_policies: Sequence[str]) -> list[Finding]:
    """The card's findings about the run; those of severity error prevent listing."""
    return findings_of(evidence_of(run), required_policies)


def _result(row: Rollout) -> RolloutResult:
    return RolloutResult(
        policy=row.policy,
        task=row.task,
        attempt=row.attempt,
        ok=row.ok,
        reward=row.reward,
        reward_text=row.reward_text,
        rewards=row.rewards,
        metrics=row.metrics,
        turns=row.turns,
        stop=row.stop,
        truncated=row.truncated,
        seconds=row.seconds,
        scoring_seconds=row.scoring_seconds,
        usage=Usage(
            row.prompt_tokens,
            row.completion_tokens,
            row.calls,
            row.model_seconds,
            row.reasoning_tokens,
            row.judge_calls,
            row.judge_prompt_tokens,
            row.judge_completion_tokens,
            row.judge_seconds,
        ),
        error=row.error,
        replay=None if row.replay is None else Replay.from_dict(row.replay),
    )
