"""What the survey of a task set shows. Pure functions; docs/decisions/0073 gives the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from envyard.card import statistics
from envyard.card.evidence import Evidence, excused, name
from envyard.card.reward_bounds import ceiling, floor
from envyard.card.unlike_tasks import unlike_tasks
from envyard.contract.findings import Finding, finding
from envyard.contract.probes import ORACLE, SILENT
from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES

PAID = 0.1  # of the way from the floor to the median reference; below it a reference is refused
FULL = 0.95  # of the best reference's reward, from which on another one is paid in full
PARTLY, ENOUGH_REFERENCES = 0.2, 10  # share of each kind, and references
ENOUGH_ANSWERS = 20
HALF = 0.5
MAXIMUM_REPEATED = 0.05
MAXIMUM_SHARED = 0.01  # of the evaluation tasks
NAMED = 10


@dataclass(frozen=True, slots=True)
class References:
    """How the references of single tasks were paid: each is named, with its reward or None.

    `enforced`: the environment's own oracle() gave them, in one reply each. `partly` are those paid
    less than the best one, where a fifth earn as much as that and a fifth do not.
    """

    paid: tuple[tuple[str, float], ...]
    refused: tuple[tuple[str, float | None], ...]
    enforced: bool
    partly: tuple[tuple[str, float], ...] = ()

    @property
    def n(self) -> int:
        """The number of references that were played."""
        return len(self.paid) + len(self.refused)


def references(evidence: Evidence) -> References | None:
    """Which references were paid more than no work; None where none was, or where their form is
    unverified: then their rewards say nothing of the answers."""
    top = ceiling(evidence)
    if top is not None and top.is_unverified:
        return None
    rows, turns = [], []
    for rollout in evidence.of(ORACLE):
        if not excused(rollout):
            rows.append((name(rollout), rollout.reward if rollout.ok else None))
            turns.append(rollout.turns)
    survey = evidence.facts.survey
    for played in survey.references if survey else ():
        rows.append((f"task {played.task} of the survey", played.reward))
        turns.append(played.turns)
    rewards = [reward for _, reward in rows if reward is not None]
    lowest = max((f.score.mean or 0.0 for f in floor(evidence)), default=0.0)
    above = [reward for reward in rewards if reward > lowest]
    if not above:
        return None
    usual = median(above)
    least = lowest + PAID * (usual - lowest)
    # Where no work gets a penalty, 0 is more than that, and still no reward; but it is a draw where
    # a loss costs what a win earns.
    nothing = usual > 0 and lowest > -usual
    paid, refused = [], []
    for who, reward in rows:
        if reward is None or reward < least or (nothing and reward <= 0):
            refused.append((who, reward))
        else:
            paid.append((who, reward))
    hooks = any(task.hook for task in evidence.facts.tasks or ())
    enforced = hooks and max(turns) <= 1
    scoring = evidence.facts.scoring
    judged = enforced and (scoring is None or scoring.reward is None)
    return References(tuple(paid), tuple(refused), enforced, _partly(paid) if judged else ())


def _partly(paid: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Those paid in part; none where tasks are of many worths, as with step penalties."""
    best = max(reward for _, reward in paid)
    full = [who for who, reward in paid if reward >= FULL * best]
    partly = tuple((who, reward) for who, reward in paid if reward < FULL * best)
    enough = len(paid) >= ENOUGH_REFERENCES and best > 0
    both = min(len(full), len(partly)) >= PARTLY * len(paid)
    return partly if enough and both else ()


def survey_findings(evidence: Evidence) -> list[Finding]:
    """The findings about the whole task set, in the order of the codes."""
    survey = evidence.facts.survey
    if survey is None:
        return []
    scoring = evidence.facts.scoring
    leaks = [] if scoring is not None and scoring.echo else _leaks(survey)
    abstains = scoring is not None and bool(scoring.abstention)
    return [
        *leaks,
        *([] if scoring is not None and scoring.echo else _copied(survey)),
        *([] if _plays_turns_by_oracle(evidence) else _labels(survey)),
        *_label_outliers(survey),
        *([] if _takes_turns(evidence) else _contradictions(survey)),
        *_incomplete(survey),
        *_late_tasks(survey, evidence),
        *unlike_tasks(evidence),
        *([] if abstains else _unanswered(survey)),
        *_splits(survey),
        *_split_difference(survey),
        *_benchmarks(survey),
        *_seed(survey),
    ]


def _leaks(survey: Survey) -> Iterator[Finding]:
    found, played = len(survey.leaks), len(survey.references)
    if found > 1 and found >= HALF * min(played, MAX_INDICES):
        message = (
            f"The first call of {found} of {played} tasks names the answer, such as "
            f"{survey.leak!r} in task {survey.leaks[0]} of the survey."
        )
        yield finding("card.leaks", message, tasks=survey.leaks)
    if survey.examples:
        message = (
            f"The worked example of {len(survey.examples)} tasks is the task itself: "
            f"{survey.example!r} gives the answer of task {survey.examples[0]} of the survey."
        )
        yield finding("card.leaks", message, tasks=survey.examples)


def _copied(survey: Survey) -> Iterator[Finding]:
    if survey.copied:
        known = max(survey.answers, survey.copied) if survey.answers else survey.tasks
        message = (
            f"In {survey.copied} of {known} tasks the answer is {survey.copied_place} of "
            "the prompt: a policy that reads nothing else is paid."
        )
        yield finding("card.answer_place", message, n=known, value=survey.copied)


def _labels(survey: Survey) -> Iterator[Finding]:
    low = statistics.wilson(survey.same_answers, survey.answers).low
    if survey.answers >= ENOUGH_ANSWERS and low is not None and low > HALF:
        message = (
            f"{survey.same_answers} of {survey.answers} tasks have the answer "
            f"{survey.top_answer!r}: a policy that always gives it is paid for it."
        )
        yield finding("card.labels", message, n=survey.answers, value=survey.same_answers)


def _label_outliers(survey: Survey) -> Iterator[Finding]:
    rule = survey.label_rule
    if rule is None or not rule.outliers:
        return
    first = rule.outliers[0]
    yield finding(
        "card.label_outliers",
        f"In {rule.tasks - rule.broken} of {rule.tasks} tasks of one kind the answer is "
        f"{rule.text}; in {rule.broken} it is not. Task {first.task} ({first.prompt[:80]!r}) has "
        f"{first.answer!r}, not {first.expected!r}.",
        n=rule.tasks,
        value=rule.broken,
        tasks=[outlier.task for outlier in rule.outliers],
    )


def _plays_turns_by_oracle(evidence: Evidence) -> bool:
    """Whether the right replies are several of an oracle(): a field of the task is none of them."""
    hooks = any(task.hook for task in evidence.facts.tasks or ())
    return hooks and _takes_turns(evidence)


def _takes_turns(evidence: Evidence) -> bool:
    """Whether an environment goes on after an empty reply: a secret or a state that no prompt shows
    may decide there."""
    return any(rollout.turns > 1 for rollout in evidence.of(SILENT))


def _contradictions(survey: Survey) -> Iterator[Finding]:
    if not survey.contradictions:
        return
    first = survey.contradictions[0]
    named = " and ".join(f"{answer!r}" for answer in first.answers)
    pairs = [pair.tasks for pair in survey.contradictions]
    yield finding(
        "card.contradictions",
        f"{survey.contradicting} pairs of {survey.tasks} tasks ask the same and have two answers: "
        f"tasks {' and '.join(map(str, first.tasks))} ({first.prompt[:80]!r}) have {named}.",
        n=survey.tasks,
        value=survey.contradicting,
        tasks=pairs,
    )


def _incomplete(survey: Survey) -> Iterator[Finding]:
    lacking = survey.incomplete
    if lacking is not None and lacking.tasks:
        first = lacking.tasks[0]
        end = f"Task {first} ends with {lacking.prompt[-100:]!r}." if lacking.prompt else ""
        yield finding(
            "card.incomplete_prompts",
            f"{lacking.count} of {survey.tasks} prompts lack what they ask about: "
            f"{lacking.reason}. {end or f'The first is task {first}.'}",
            n=survey.tasks,
            value=lacking.count,
            tasks=lacking.tasks,
        )


def _splits(survey: Survey) -> Iterator[Finding]:
    shared = survey.shared_exact + survey.shared_near
    listed = survey.evaluation.tasks if survey.evaluation else 0
    if shared > 1 and shared > MAXIMUM_SHARED * listed:
        named = ", ".join(map(str, survey.shared[:NAMED]))
        yield finding(
            "card.splits_overlap",
            f"{survey.shared_exact} of {listed} evaluation tasks equal a training task, "
            f"{survey.shared_near} nearly do: {named}.",
            n=listed,
            value=shared,
            tasks=survey.shared,
        )


def _split_difference(survey: Survey) -> Iterator[Finding]:
    differs = survey.split_difference
    if differs is not None and differs.broken:
        expected = f", not {differs.expected!r}" if differs.expected else ""
        yield finding(
            "card.splits_differ",
            f"In {differs.train} training tasks of one kind {differs.text}; in {differs.broken} of "
            f"{differs.evaluation} evaluation tasks of this kind that is not so. Evaluation task "
            f"{differs.task} has {differs.answer!r}{expected}.",
            n=differs.evaluation,
            value=differs.broken,
        )


def _benchmarks(survey: Survey) -> Iterator[Finding]:
    for each in survey.benchmarks or ():
        if each.tasks > 1:
            named = ", ".join(map(str, each.examples))
            yield finding(
                "card.overlap",
                f"{each.tasks} of {survey.tasks} tasks share 13 words in a row, or a whole shorter "
                f"item, with the benchmark list {each.name!r}: {named}.",
                n=survey.tasks,
                value=each.tasks,
                name=each.name,
                tasks=each.examples,
            )


def _unanswered(survey: Survey) -> Iterator[Finding]:
    if survey.unanswered:
        named = ", ".join(map(str, survey.unanswered[:NAMED]))
        yield finding(
            "card.late_tasks",
            f"Of {survey.tasks} tasks these have no answer, although the others have: {named}.",
            tasks=survey.unanswered,
        )


def _late_tasks(survey: Survey, evidence: Evidence) -> Iterator[Finding]:
    first = len(evidence.facts.tasks or ())
    if survey.error:
        message = (
            f"Up to {survey.limit} tasks with the environment's own seed did not load, although "
            f"the first {first} did: {survey.error}"
        )
        yield finding("card.late_tasks", message)
    elif survey.train is not None and survey.train.error:
        message = (
            f"The tasks end with an error after task {survey.train.tasks - 1}: {survey.train.error}"
        )
        yield finding("card.late_tasks", message)
    elif survey.empty:
        named = ", ".join(map(str, survey.empty))
        message = f"Of {survey.tasks} tasks these have no prompt, although most have: {named}."
        yield finding("card.late_tasks", message, tasks=survey.empty)


def _seed(survey: Survey) -> Iterator[Finding]:
    """Games may rightly have the same opening for every seed, so repeated prompts show nothing."""
    if survey.seed_ignored and survey.exact <= MAXIMUM_REPEATED * survey.prompts:
        yield finding("card.seed_ignored", "Two loads with different seeds gave the same tasks.")
