"""The measures of a card: pure functions from Evidence to Measure. docs/card.md explains them.

Thresholds and why they stand where they do: docs/decisions/0004-card-thresholds.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from envyard.contract.runner_events import RolloutResult
from registry.card import statistics
from registry.card.diversity import repeated
from registry.card.evidence import Evidence, excused, name
from registry.card.pay import ceiling, floor
from registry.card.rescoring import rescored

Status = Literal["pass", "warn", "fail", "unknown"]

COMPLETES = 0.9
EXCUSED_AT_MOST = 0.1
CRASHES = 0.05
LOWEST, HIGHEST = -1.0, 2.0
DUPLICATES = 0.05
SLOW_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Measure:
    """One number about a version with its threshold; `low` and `high` bound it at 95 %."""

    code: str
    title: str
    value: float | None
    unit: str
    threshold: float | None
    status: Status
    n: int
    low: float | None = None
    high: float | None = None
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the card stores."""
        return asdict(self)


def all_measures(evidence: Evidence) -> list[Measure]:
    """Every measure, in the order in which a card shows them."""
    return [measure(evidence) for measure in MEASURES]


def completes(evidence: Evidence) -> Measure:
    """The share of planned rollouts that ended well.

    Rollouts that the model or the platform failed count neither way; beyond a tenth of them the
    share is unknown, so that nobody is listed or rejected for what the platform did.
    """
    planned = sum(evidence.planned(policy) for policy in evidence.policies)
    ok = sum(r.ok for r in evidence.rollouts)
    out = sum(excused(r) for r in evidence.rollouts)
    n = max(0, planned - out)
    short = [
        f"{p} {sum(r.ok for r in evidence.of(p))} of {evidence.planned(p)}"
        for p in evidence.policies
        if policy_rate(evidence, p) < COMPLETES
    ]
    parts = [f"{ok} of {planned} planned rollouts completed"]
    parts += [f"{out} were failed by the model or the platform"] if out else []
    left_out = sum(evidence.left_out(policy) for policy in evidence.policies)
    parts += [f"{left_out} more do not count"] if left_out else []
    parts += [f"too few: {', '.join(short)}{_first_error(evidence)}"] if short else []
    known = out <= EXCUSED_AT_MOST * planned
    status: Status = "unknown" if not known else "pass" if ok >= COMPLETES * n else "fail"
    return _share("completes", "Completes", min(ok, n), n, COMPLETES, status, "; ".join(parts))


def policy_rate(evidence: Evidence, policy: str) -> float:
    """The share of a policy's planned rollouts that ended well; 1 where none was to be made."""
    own = evidence.of(policy)
    n = evidence.planned(policy) - sum(excused(r) for r in own)
    return sum(r.ok for r in own) / n if n > 0 else 1.0


def crash_rate(evidence: Evidence) -> Measure:
    """The share of rollouts in which the environment's own code failed."""
    crashed = [r for r in evidence.rollouts if _crashed(r)]
    n = sum(not excused(r) for r in evidence.rollouts)
    detail = f"{len(crashed)} of {n} rollouts crashed" + (_error_of(crashed[0]) if crashed else "")
    status: Status = "pass" if not crashed else "warn" if len(crashed) <= CRASHES * n else "fail"
    return _share("crash_rate", "Crash rate", len(crashed), n, CRASHES, status, detail)


def reward_finite(evidence: Evidence) -> Measure:
    """The share of scored rollouts whose reward is a finite number."""
    scored = [r for r in evidence.rollouts if r.ok or _not_finite(r)]
    bad = [r for r in scored if r.reward is None]
    good = len(scored) - len(bad)
    detail = f"{good} of {len(scored)} rewards are finite numbers"
    if bad:
        said = bad[0].reward_text or (bad[0].error or {}).get("message") or "no reward at all"
        detail += f"; {name(bad[0])}: {said[:300]}"
    status: Status = "fail" if bad else "pass"
    return _share("reward_finite", "Finite rewards", good, len(scored), 1.0, status, detail)


def reward_range(evidence: Evidence) -> Measure:
    """The share of rewards within [LOWEST, HIGHEST]."""
    rewarded = {name(r): r.reward for r in evidence.rollouts if r.ok and r.reward is not None}
    outside = {who: got for who, got in rewarded.items() if not LOWEST <= got <= HIGHEST}
    detail = f"{LOWEST:g} to {HIGHEST:g} is allowed"
    if rewarded:
        least, most = min(rewarded.values()), max(rewarded.values())
        detail = f"rewards run from {least:g} to {most:g}; {detail}"
    if outside:
        who, got = next(iter(outside.items()))
        detail += f"; {who} got {got:g}"
    n = len(rewarded)
    status: Status = "fail" if outside else "pass"
    return _share("reward_range", "Reward range", n - len(outside), n, 1.0, status, detail)


def reproducible_tasks(evidence: Evidence) -> Measure:
    """The share of tasks that a second process, given the same seed if any, loaded as the same."""
    code, title = "reproducible_tasks", "Reproducible tasks"
    tasks, again = evidence.facts.tasks, evidence.facts.hashes_again
    if tasks is None or again is None:
        missing = "the tasks" if tasks is None else "a second load of the tasks"
        return _unknown(code, title, "share", 1.0, f"the run reported nothing about {missing}")
    n = max(len(tasks), len(again))
    pairs = zip((task.hash for task in tasks), again, strict=False)
    differ = [place for place, (one, two) in enumerate(pairs) if one != two]
    same = min(len(tasks), len(again)) - len(differ)
    counted = f"{same} of {n} tasks were the same"
    counted += f", the first that differs is task {differ[0]}" if differ else ""
    detail = _two_loads(evidence, counted, differing=same < n)
    return _share(code, title, same, n, 1.0, "pass" if same == n else "fail", detail)


def takes_no_seed(evidence: Evidence) -> bool:
    """Whether the runner reported that nothing of the environment takes a seed."""
    return evidence.facts.seed_options == []


def _two_loads(evidence: Evidence, counted: str, *, differing: bool) -> str:
    """What two loads showed, and which seed both were given, as far as the runner reported it."""
    options, entry = evidence.facts.seed_options, evidence.facts.seed_entry or "the environment"
    if options:
        return f"{counted} when loaded again with the same seed ({entry}: {', '.join(options)})"
    if options is None or not differing:
        return f"{counted} when loaded again"
    return f"{entry} takes no seed; tasks differed between two loads: {counted}"


def reproducible_reward(evidence: Evidence) -> Measure:
    """The share of replayed rollouts that were rewarded as before; only ever a warning, because a
    judge or a clock may be meant to decide."""
    code, title = "reproducible_reward", "Reproducible reward"
    found = rescored(evidence.rollouts)
    if not found.n:
        return _unknown(code, title, "share", 1.0, found.sentence)
    status: Status = "warn" if found.differing else "pass"
    return _share(code, title, found.agreeing, found.n, 1.0, status, found.sentence)


def floor_measure(evidence: Evidence) -> Measure:
    """The mean reward of the best-paid policy that does no work."""
    floors = floor(evidence)
    if not floors:
        detail = "no policy that does no work was rewarded"
        return _unknown("floor", "Floor", "reward", None, detail)
    worst = max(floors, key=lambda f: (f.status == "fail", f.status == "warn", f.excess))
    score = worst.score
    told = ", ".join(f"{f.score.policy} {f.score.mean:.3g}" for f in floors)
    told = f"paid on average: {told} (full marks: {worst.full:.3g})"
    told = "; ".join([told, *(f.sentence for f in floors if f.status != "pass")])
    return Measure(
        code="floor",
        title="Floor",
        value=score.mean,
        unit="reward",
        threshold=worst.allowed,
        status=worst.status,
        n=score.n,
        low=score.low,
        high=score.high,
        detail=told,
    )


def ceiling_measure(evidence: Evidence) -> Measure:
    """The mean reward of the reference answers; enforced where the environment has an oracle()."""
    found = ceiling(evidence)
    if found is None:
        detail = "no task offers a reference answer, or the oracle was not asked"
        return _unknown("ceiling", "Ceiling", "reward", None, detail)
    return Measure(
        code="ceiling",
        title="Ceiling",
        value=found.score.mean,
        unit="reward",
        threshold=found.wanted,
        status=found.status,
        n=found.score.n,
        low=found.score.low,
        high=found.score.high,
        detail=found.sentence,
    )


def diversity(evidence: Evidence) -> Measure:
    """The share of tasks whose prompt repeats an earlier one; only ever a warning, because games
    may rightly begin every task with the same words."""
    code, title = "diversity", "Repeated prompts"
    found = repeated([task.prompt for task in evidence.facts.tasks or ()])
    if found.n < 2:
        return _unknown(code, title, "share", DUPLICATES, "fewer than two prompts to compare")
    hits = found.exact + found.near
    detail = f"{found.exact} of {found.n} prompts equal an earlier one, {found.near} nearly do"
    status: Status = "warn" if hits > DUPLICATES * found.n else "pass"
    return _share(code, title, hits, found.n, DUPLICATES, status, detail)


def speed(evidence: Evidence) -> Measure:
    """The 95th percentile of a rollout's own seconds: those that it did not wait for the model."""
    code, title = "speed", "Environment seconds"
    own = sorted(max(0.0, r.seconds - r.usage.model_seconds) for r in evidence.rollouts if r.ok)
    if not own:
        return _unknown(code, title, "seconds", SLOW_SECONDS, "no rollout completed")
    half, most = statistics.percentile(own, 0.5), statistics.percentile(own, 0.95)
    rate = f"; {len(own) / sum(own):.3g} rollouts a second" if sum(own) > 0 else ""
    return Measure(
        code=code,
        title=title,
        value=most,
        unit="seconds",
        threshold=SLOW_SECONDS,
        status="warn" if most > SLOW_SECONDS else "pass",
        n=len(own),
        detail=f"p50 {half:.3g} s, p95 {most:.3g} s a rollout, apart from the model{rate}",
    )


MEASURES: tuple[Callable[[Evidence], Measure], ...] = (
    completes,
    crash_rate,
    reward_finite,
    reward_range,
    reproducible_tasks,
    reproducible_reward,
    floor_measure,
    ceiling_measure,
    diversity,
    speed,
)


def _share(
    code: str, title: str, hits: int, n: int, threshold: float, status: Status, detail: str
) -> Measure:
    """A rate with Wilson's interval; unknown, whatever the status, where nothing was counted."""
    low, high = statistics.wilson(hits, n)
    value = hits / n if n else None
    return Measure(
        code, title, value, "share", threshold, status if n else "unknown", n, low, high, detail
    )


def _unknown(code: str, title: str, unit: str, threshold: float | None, detail: str) -> Measure:
    return Measure(code, title, None, unit, threshold, "unknown", 0, detail=detail)


def _not_finite(rollout: RolloutResult) -> bool:
    return (rollout.error or {}).get("type") == "RewardNotFinite"


def _crashed(rollout: RolloutResult) -> bool:
    return not rollout.ok and not excused(rollout) and not _not_finite(rollout)


def _error_of(rollout: RolloutResult) -> str:
    error = rollout.error or {}
    text = f"{error.get('type') or 'no error given'}: {error.get('message', '')}"
    return f"; {name(rollout)}: {text[:300]}"


def _first_error(evidence: Evidence) -> str:
    failed = [r for r in evidence.rollouts if not r.ok and not excused(r)]
    return _error_of(failed[0]) if failed else ""
