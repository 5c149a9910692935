"""Tasks whose reference disagrees with what models agree on: their label may be wrong.

Pure functions of answers and rewards; decision 0113 gives the rule, docs/evaluations.md its limits.
May import the statistics alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card.statistics import mean, wilson
from envyard.contract.findings import Finding, finding

CODE = "card.disputed_labels"
MIN_VOTES = 4  # equal answers of a task: of one model four attempts, of two models two each
AGREEING = 0.85  # of a task's rollouts: all of four, seven of eight, eleven of twelve
STRONG = 0.8  # of the best model's share of paid rollouts
NOTHING, PAID = 0.1, 0.9  # of the highest reward
RELIABLE = 0.8  # lower bound of the share of agreements that are paid
FEWEST = 3  # disputed tasks
FEWEST_OF_MANY = 2  # disputed tasks where several models have MANY_ROLLOUTS of one of them
MANY_ROLLOUTS = 8
FACTOR = 4  # disputed tasks for each task at which some rollouts share an error
COMMONEST = 2 / 3  # of the agreements with one answer, beyond which it says nothing of a task
NAMED = 5  # tasks in a sentence


@dataclass(frozen=True, slots=True)
class Vote:
    """One rollout: its normalised answer, empty where its last reply has none, and its reward."""

    answer: str
    reward: float


Votes = Mapping[int, Sequence[Vote]]  # task -> the rollouts of one model


@dataclass(frozen=True, slots=True)
class DisputedTask:
    """A task at which `agreeing` of `rollouts` rollouts give `answer`, and none earns anything."""

    task: int
    answer: str
    agreeing: int
    rollouts: int


@dataclass(frozen=True, slots=True)
class Disputes:
    """The disputed tasks, by index, and how far agreement can be relied on elsewhere.

    `models` took part, `paid` of the `agreed` other tasks at which they agree pay the answer (whose
    share lies above `low` at 95 %, by Wilson); at `shared_errors` tasks half of the rollouts, but
    not all, share an unpaid answer.
    """

    tasks: list[DisputedTask]
    models: int
    agreed: int
    paid: int
    low: float
    shared_errors: int

    @property
    def share(self) -> float:
        """The share of the other agreements that are paid."""
        return self.paid / self.agreed if self.agreed else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self) | {"share": self.share}


@dataclass(frozen=True, slots=True)
class _Poll:
    """The rollouts of one task, with the commonest answer and how many give it."""

    task: int
    votes: Sequence[Vote]
    answer: str
    count: int

    @property
    def agrees(self) -> bool:
        """Whether nearly all rollouts give the same answer."""
        return self.count >= max(MIN_VOTES, AGREEING * len(self.votes))

    def pays(self, paid: float) -> bool:
        """Whether the rollouts with the commonest answer earn a full reward on average."""
        return (mean([v.reward for v in self.votes if v.answer == self.answer]) or 0.0) >= paid

    def shares_error(self, nothing: float) -> bool:
        """Whether half of the rollouts, two at least, but not all share an unpaid answer."""
        wrong = Counter(v.answer for v in self.votes if v.answer and v.reward <= nothing)
        most = max(wrong.values(), default=0)
        return not self.agrees and most >= 2 and 2 * most >= len(self.votes)


def disputes(models: Sequence[Votes]) -> Disputes | None:
    """The tasks at which strong models agree on an answer that earns nothing; None where there is
    none, or agreement cannot be relied on.

    `models` holds the rollouts of each model on the same tasks. Of several only the strong ones
    take part, and at a disputed task two of them at least. Agreement must be paid at most other
    tasks (RELIABLE), and be about different answers (COMMONEST). Errors that only a part of the
    rollouts share show that hard tasks have a common wrong answer: there must be few (FACTOR).
    """
    rewards = [vote.reward for model in models for votes in model.values() for vote in votes]
    highest = max(rewards, default=0.0)
    nothing, paid = NOTHING * highest, PAID * highest
    strong = _strong(models, paid) if highest > 0 else []
    polls = _polls(strong)
    agreed = [poll for poll in polls if poll.agrees]
    answers = Counter(poll.answer for poll in agreed)
    disputed = [poll for poll in agreed if all(v.reward <= nothing for v in poll.votes)]
    many = len(strong) > 1 and any(len(poll.votes) >= MANY_ROLLOUTS for poll in disputed)
    if len(disputed) < (FEWEST_OF_MANY if many else FEWEST):
        return None
    if max(answers.values()) > COMMONEST * len(agreed):
        return None
    others, paying = len(agreed) - 1, sum(poll.pays(paid) for poll in agreed)
    bound = wilson(paying, others).low or 0.0
    shared = sum(poll.shares_error(nothing) for poll in polls)
    if bound < RELIABLE or FACTOR * shared > len(disputed):
        return None
    rows = [DisputedTask(p.task, p.answer, p.count, len(p.votes)) for p in disputed]
    return Disputes(rows, len(strong), others, paying, bound, shared)


def disputes_finding(disputed: Disputes) -> Finding:
    """The warning: the tasks, what is agreed there, and how far agreement is paid elsewhere."""
    who = f"{disputed.models} models" if disputed.models > 1 else "nearly all attempts of the model"
    named = [f"task {row.task} ({row.answer[:40]!r})" for row in disputed.tasks[:NAMED]]
    more = f" and {len(disputed.tasks) - NAMED} more" if len(disputed.tasks) > NAMED else ""
    elsewhere = f"{disputed.paid} of {disputed.agreed} other tasks where they agree"
    message = (
        f"At {len(disputed.tasks)} tasks {who} agree on an answer that earns nothing: "
        f"{', '.join(named)}{more}. At {elsewhere} ({disputed.share:.0%}) the answer is paid."
    )
    return finding(
        CODE,
        message,
        where=f"task {disputed.tasks[0].task}",
        n=disputed.agreed,
        value=disputed.share,
        low=disputed.low,
        shared_errors=disputed.shared_errors,
        tasks=[asdict(row) for row in disputed.tasks],
    )


def _strong(models: Sequence[Votes], paid: float) -> list[Votes]:
    """The models with at least STRONG of the best one's share of paid rollouts."""
    shares = [
        mean([float(vote.reward >= paid) for votes in model.values() for vote in votes]) or 0.0
        for model in models
    ]
    best = max(shares, default=0.0)
    return [m for m, share in zip(models, shares, strict=True) if best and share >= STRONG * best]


def _polls(models: Sequence[Votes]) -> list[_Poll]:
    """The poll of each task that two of the models played, or the only one."""
    by_task: dict[int, list[Sequence[Vote]]] = defaultdict(list)
    for model in models:
        for task, votes in model.items():
            if votes:
                by_task[task].append(votes)
    polls = []
    for task, groups in sorted(by_task.items()):
        votes = [vote for group in groups for vote in group]
        counts = Counter(vote.answer for vote in votes if vote.answer)
        if len(groups) < min(2, len(models)) or not counts:
            continue
        answer, count = counts.most_common(1)[0]
        giving = sum(any(vote.answer == answer for vote in group) for group in groups)
        if giving >= min(2, len(models)):
            polls.append(_Poll(task, votes, answer, count))
    return polls
