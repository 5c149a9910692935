"""What a trainer's host paid in the shards of one run, added up."""

from __future__ import annotations

from envyard.contract.facts import Facts, TaskResult
from envyard.contract.training import TrainingFacts
from registry.runs.merging import Part, merge


def merged(*training: TrainingFacts | None) -> TrainingFacts | None:
    """The facts of a run of as many shards."""
    parts = [
        Part(range(at, at + 1), "runner", Facts(tasks=[TaskResult(at, str(at), "")], training=each))
        for at, each in enumerate(training)
    ]
    return merge(parts).training


def test_compared_rollouts_of_all_shards_are_added_up() -> None:
    facts = merged(TrainingFacts(0, reason="its rewards compare attempts"), TrainingFacts(8, 2))
    assert facts == TrainingFacts(8, 2)


def test_where_no_shard_compared_a_rollout_the_first_reason_is_kept() -> None:
    facts = merged(None, TrainingFacts(0, reason="late"), TrainingFacts(0, reason="a judge"))
    assert facts == TrainingFacts(0, reason="late")


def test_shards_that_report_nothing_add_up_to_nothing() -> None:
    assert merged(None, None) is None
