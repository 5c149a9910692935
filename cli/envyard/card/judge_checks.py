"""What a reward makes of its judge, from recorded rollouts under other verdicts. Pure functions.

docs/decisions/0049 gives the rules and their reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from envyard.contract.findings import Finding, finding
from envyard.contract.judge import JudgeCheck, JudgeFacts
from envyard.contract.replay import agree

VERDICTS = ("own", "given", "yes", "no")  # those that a parser should read
Rewards = Mapping[str, float]
EMPTY = (
    "An empty reply in place of that of {rollout} got {more} when the judge approved it, "
    "and {less} when it did not."
)
ORDER = (
    "A reply without an answer in place of that of {rollout} got {more} with an order to the "
    "judge, and {less} without."
)
# Two checks with other replies than the policy's, the first of which must earn no more.
REPLIES = (
    ("judge.empty_paid", "empty_yes", "empty_no", EMPTY),
    ("judge.talked_over", "pleading", "plain", ORDER),
)


def judge_findings(facts: JudgeFacts | None, checks: Sequence[JudgeCheck]) -> list[Finding]:
    """The findings about the judge of one run, in the order of the codes."""
    rollouts = repeatable(checks)
    findings = list(_over_budget(facts))
    if is_ignored(rollouts):
        names = ", ".join(rollouts)
        message = f"The reward of {names} was the same whatever verdict the judge gave."
        findings.append(finding("judge.ignored", message, rollouts=list(rollouts)))
    else:
        findings += _paid_without_verdict(rollouts)
    for rollout, rows in rollouts.items():
        findings += _paid_replies(rollout, {row.check: row for row in rows})
    return findings


def repeatable(checks: Sequence[JudgeCheck]) -> dict[str, list[JudgeCheck]]:
    """The checks by rollout, without rollouts whose own verdicts gave another reward this time."""
    rows: defaultdict[str, list[JudgeCheck]] = defaultdict(list)
    for check in checks:
        rows[check.rollout].append(check)
    return {
        rollout: own
        for rollout, own in rows.items()
        if any(row.check == "own" and agree(row.reward, row.recorded) for row in own)
    }


def is_ignored(rollouts: Mapping[str, Sequence[JudgeCheck]]) -> bool:
    """Whether no verdict changed any reward, although one that can be read was given: by a schema,
    or that of a rollout with another reward."""
    readable = False
    for rows in rollouts.values():
        for row in rows:
            if row.check not in VERDICTS or row.reward is None:
                continue
            if not agree(row.reward, row.recorded):
                return False
            differs = row.donor != "" and not agree(row.donor_reward, row.recorded)
            readable = readable or row.readable or (row.check == "given" and differs)
    return readable


def dependence(checks: Sequence[JudgeCheck]) -> float | None:
    """The mean difference between the best and the worst reward of a rollout under verdicts that a
    parser should read; None where nothing was compared."""
    spans = []
    for rows in repeatable(checks).values():
        rewards = list(_rewards(rows, VERDICTS).values())
        if len(rewards) > 1:
            spans.append(max(rewards) - min(rewards))
    return sum(spans) / len(spans) if spans else None


def _over_budget(facts: JudgeFacts | None) -> Iterable[Finding]:
    if facts is not None and facts.over_budget:
        message = f"{facts.over_budget} calls to the judge were refused: a budget was spent."
        yield finding("judge.over_budget", message, calls=facts.over_budget)


def _paid_without_verdict(rollouts: Mapping[str, Sequence[JudgeCheck]]) -> Iterable[Finding]:
    """Rewards above the lowest that a verdict gave the same rollout, for no readable verdict."""
    paid: defaultdict[str, list[str]] = defaultdict(list)
    for rollout, rows in rollouts.items():
        lowest = min(_rewards(rows, VERDICTS).values())
        for check, reward in _rewards(rows, ("mute", "broken", "negated")).items():
            if reward > lowest and not agree(reward, lowest):
                code = "negation_paid" if check == "negated" else "unreadable_paid"
                how = "a failed call" if check == "broken" else "an unreadable verdict"
                how = "the verdict 'Not yes.'" if check == "negated" else how
                paid[code].append(f"{rollout} got {reward:g} for {how}, {lowest:g} for another")
    for code in ("unreadable_paid", "negation_paid"):
        if code == "negation_paid" and "unreadable_paid" in paid:
            continue  # the same parser, which pays for any text
        if sentences := paid.get(code):
            yield finding(f"judge.{code}", f"{'; '.join(sentences)}.")


def _paid_replies(rollout: str, checks: Mapping[str, JudgeCheck]) -> Iterable[Finding]:
    """Findings about replies that the policy never gave."""
    for code, check, other, sentence in REPLIES:
        if check not in checks or other not in checks:
            continue
        more, less = checks[check].reward, checks[other].reward
        if more is not None and (less is None or (more > less and not agree(more, less))):
            if less is None and more <= 0:
                continue
            without = "no reward" if less is None else f"{less:g}"
            message = sentence.format(rollout=rollout, more=f"{more:g}", less=without)
            yield finding(code, message, where=rollout, reward=more, other=less)


def _rewards(rows: Sequence[JudgeCheck], checks: Sequence[str]) -> Rewards:
    return {row.check: row.reward for row in rows if row.check in checks and row.reward is not None}
