"""What mutants of paid replies show of a verifier. Pure functions.

docs/decisions/0065 gives the rules and their reasons.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from envyard.contract.mutants import (
    ALONE,
    BEFORE_LAST,
    BEGUN_WORSE,
    BESIDE,
    BLANK,
    CLAIMED,
    CONTROL,
    LAST_TURN,
    LEFT_OUT,
    MARKED_WRONG,
    MIDDLE,
    MISREPORTED,
    MISSED,
    MISSET,
    MISWRITTEN,
    NOTED,
    OPERATORS,
    OTHER_ARGUMENT,
    OVERWRITTEN,
    REPORTED,
    SOURCE_WRITTEN,
    UNCALLED,
    UNNOTED,
    UNREPORTED,
    MutantResult,
)
from envyard.contract.replay import agree

KEPT = 0.5  # of what no answer loses, which an equivalent answer must keep
SHOWN = 3  # survivors in a sentence
CHARACTERS = 60  # of an answer in a sentence


@dataclass(frozen=True, slots=True)
class MutationScore:
    """The mutants of one kind, and those that the verifier did not treat as it should.

    `by_operator` has for each operator the number of mutants and of survivors.
    """

    results: tuple[MutantResult, ...]
    survivors: tuple[MutantResult, ...]
    by_operator: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of mutants."""
        return len(self.results)

    @property
    def caught(self) -> int:
        """The number of mutants that were treated as they should."""
        return self.n - len(self.survivors)

    @property
    def overlooked(self) -> list[str]:
        """The surest operators of which more than their share of several mutants survived."""
        return [
            name
            for name, (n, survived) in self.by_operator.items()
            if OPERATORS[name].surest and n > 1 and survived > OPERATORS[name].share * n
        ]


def corrupting(results: Sequence[MutantResult]) -> MutationScore:
    """Mutants that make the answer wrong, or longer; one survives if it earns as much as the right
    answer, or more than it."""
    return _score(results, "corrupting", "padding")


def equivalent(results: Sequence[MutantResult]) -> MutationScore:
    """Mutants that keep the answer right; here one survives if it loses more than half of what
    nothing in the answer's place loses."""
    return _score(results, "equivalent")


def comparable(results: Sequence[MutantResult]) -> list[MutantResult]:
    """Mutants of rollouts that got their reward again when nothing was changed.

    In several turns the last text may rightly count for nothing: tools or earlier moves decide. So
    changes of it count where nothing in its place lost reward, and a step that is left out or has
    another argument counts where it did not. Where the last reply alone is paid in full, the calls
    before it only looked something up, and nothing in its place must not be paid. The right answer
    before a mark counts where a wrong one in the mark lost reward: of texts that the policy is to
    write, another may be as right. The last turn counts where the turn before it was paid in full,
    calls that a reply or a note only claims where those without them lost reward, and calls and
    values that it reports where the reply without the report did. Files that are emptied beside a
    wrong value, and a source that gets it too, count where that alone lost reward. Another last
    value after the worst one is compared with what it earns alone, where that lost reward.
    """
    controls = [e for e in results if e.operator == CONTROL]
    steady = {e.rollout for e in controls if agree(e.recorded, e.reward)}
    decides = {e.rollout: False for e in controls if not e.before}  # a last call has no text
    decides |= {e.rollout: not _survives(e, "corrupting") for e in results if e.operator == BLANK}
    marks = (e for e in results if e.operator == MARKED_WRONG)
    marked = {e.rollout for e in marks if not _survives(e, "corrupting")}
    alone, late = (
        {e.rollout for e in results if e.operator == operator and agree(e.recorded, e.reward)}
        for operator in (ALONE, BEFORE_LAST)
    )
    needed, scored, unclaimed, judged, compared = (
        {e.rollout for e in results if e.operator == name and not _survives(e, "corrupting")}
        for name in (UNCALLED, UNREPORTED, UNNOTED, MISWRITTEN, MISSET)
    )
    shown = {BESIDE: marked, LAST_TURN: late, CLAIMED: needed, NOTED: unclaimed}
    shown |= {REPORTED: scored, MISREPORTED: scored, OVERWRITTEN: judged}
    shown[SOURCE_WRITTEN] = compared
    missed = {e.rollout: e.reward for e in results if e.operator == MISSED}
    shown[BEGUN_WORSE] = {e.rollout for e in results if _loses(e, missed.get(e.rollout))}
    return [
        replace(each, recorded=missed[each.rollout]) if each.operator == BEGUN_WORSE else each
        for each in results
        if each.rollout in steady & shown.get(each.operator, steady)
        and each.operator in OPERATORS
        and (
            each.turns == 1
            or (each.operator == BLANK and each.rollout in alone)
            or _may_count(each.operator, decides.get(each.rollout))
        )
    ]


def _loses(result: MutantResult, reward: float | None) -> bool:
    """Whether a reward is less than that of the rollout without a change."""
    recorded = result.recorded or 0.0
    return reward is not None and reward < recorded and not agree(reward, recorded)


def _may_count(operator: str, decides: bool | None) -> bool:
    """Whether a change of a rollout of several turns counts; `decides`: its last text does, None
    where that was not tried."""
    if operator in (LEFT_OUT, OTHER_ARGUMENT):
        return decides is False
    return bool(decides) or (OPERATORS[operator].course and operator != MIDDLE)


def difference(result: MutantResult) -> str:
    """The change of an answer as a word diff: `[-removed-]{+added+}`."""
    before, after = result.before[:CHARACTERS], result.after[:CHARACTERS]
    if " " not in before.strip():
        return f"[-{before}-]{{+{after}+}}"
    parts = []
    old, new = before.split(), after.split()
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        removed, added = " ".join(old[i:j]), " ".join(new[k:m])
        if tag == "equal":
            parts.append(removed)
        else:
            parts.append(
                (f"[-{removed}-]" if removed else "") + (f"{{+{added}+}}" if added else "")
            )
    return " ".join(parts)


def sentence(score: MutationScore) -> str:
    """The worst survivors in words, one of each operator first."""
    first: dict[str, MutantResult] = {}
    for survivor in sorted(score.survivors, key=lambda s: not OPERATORS[s.operator].surest):
        first.setdefault(survivor.operator, survivor)
    shown = [
        f"{OPERATORS[s.operator].label}, {s.rollout}: {difference(s)} got "
        f"{'no reward' if s.reward is None else f'{s.reward:g}'}"
        for s in list(first.values())[:SHOWN]
    ]
    more = len(score.survivors) - len(shown)
    return "; ".join([*shown, *([f"{more} more"] if more > 0 else [])])


def _score(results: Sequence[MutantResult], *kinds: str) -> MutationScore:
    chosen = [r for r in comparable(results) if OPERATORS[r.operator].kind in kinds]
    lowest = {r.rollout: r.reward or 0.0 for r in results if r.operator == BLANK}
    survivors = tuple(
        r for r in chosen if _survives(r, OPERATORS[r.operator].kind, lowest.get(r.rollout, 0.0))
    )
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for result in chosen:
        counts[result.operator][0] += 1
        counts[result.operator][1] += result in survivors
    by_operator = {operator: (n, survived) for operator, (n, survived) in counts.items()}
    return MutationScore(tuple(chosen), survivors, by_operator)


def _survives(result: MutantResult, kind: str, lowest: float = 0.0) -> bool:
    """Whether a mutant got what it should not; `lowest` is the reward of its rollout without an
    answer."""
    reward, recorded = result.reward, result.recorded or 0.0
    if kind == "equivalent":
        most = min(abs(recorded), recorded - lowest) if recorded > lowest else abs(recorded)
        return reward is None or reward < recorded - KEPT * most
    if kind == "padding":
        return reward is not None and reward > recorded and not agree(reward, recorded)
    return reward is not None and (reward > recorded or agree(reward, recorded))
