"""Tasks whose reference disagrees with models: named, and sound tasks rarely accused.

The simulations have fixed seeds. A *lure* is a wrong answer that several rollouts of a hard task
give; docs/evaluations.md names the limits that they show.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from envyard.card.consensus import MIN_VOTES, Disputes, Vote, disputes, disputes_finding

SEEDS = range(20)
Model = dict[int, list[Vote]]


@dataclass(frozen=True, slots=True)
class World:
    """Tasks, models and what they do: `skill` is the chance of a right answer at a common task;
    a hard one has a lure, which is chosen with `lure`, the right answer with `right`."""

    models: int = 2
    attempts: int = 4
    tasks: int = 100
    options: int = 1000
    skill: float = 0.97
    wrong: float = 0.0
    hard: float = 0.0
    right: float = 0.1
    lure: float = 0.8

    def played(self, seed: int) -> tuple[list[Model], set[int]]:
        """The rollouts of each model, and the tasks with a wrong label."""
        draw = random.Random(seed)
        models: list[Model] = [{} for _ in range(self.models)]
        wrong = set()
        for task in range(self.tasks):
            truth = draw.randrange(self.options)
            label, lure = truth, self._other(draw, truth)
            if draw.random() < self.wrong:
                label = self._other(draw, truth)
                wrong.add(task)
            hard = draw.random() < self.hard
            for model in models:
                answers = [self._answer(draw, truth, lure, hard) for _ in range(self.attempts)]
                model[task] = [Vote(str(each), float(each == label)) for each in answers]
        return models, wrong

    def _other(self, draw: random.Random, value: int) -> int:
        return (value + 1 + draw.randrange(self.options - 1)) % self.options

    def _answer(self, draw: random.Random, truth: int, lure: int, hard: bool) -> int:
        number = draw.random()
        right = self.right if hard else self.skill
        if number < right:
            return truth
        if hard and number < right + self.lure:
            return lure
        return draw.randrange(self.options)


def accused(world: World) -> tuple[float, float]:
    """The share of worlds in which a sound task is accused, and of wrong labels that are named."""
    worlds = named = labels = 0
    for seed in SEEDS:
        models, wrong = world.played(seed)
        result = disputes(models)
        tasks = {row.task for row in result.tasks} if result else set()
        worlds += bool(tasks - wrong)
        named += len(tasks & wrong)
        labels += len(wrong)
    return worlds / len(SEEDS), named / max(1, labels)


SHAPES = [(1, 4), (1, 8), (2, 2), (2, 4), (3, 4)]


@pytest.mark.parametrize(("models", "attempts"), SHAPES)
@pytest.mark.parametrize(("skill", "options"), [(0.5, 1000), (0.9, 1000), (0.9, 4), (0.95, 2)])
def test_random_disagreement_accuses_no_task(
    models: int, attempts: int, skill: float, options: int
) -> None:
    world = World(models, attempts, skill=skill, options=options)
    assert accused(world)[0] <= 0.02


@pytest.mark.parametrize(("models", "attempts"), SHAPES)
@pytest.mark.parametrize("hard", [0.02, 0.05, 0.1])
@pytest.mark.parametrize(("right", "lure"), [(0.1, 0.8), (0.2, 0.6)])
def test_hard_tasks_with_a_common_wrong_answer_are_rarely_accused(
    models: int, attempts: int, hard: float, right: float, lure: float
) -> None:
    world = World(models, attempts, hard=hard, right=right, lure=lure)
    assert accused(world)[0] <= 0.1


@pytest.mark.parametrize(("models", "attempts"), SHAPES)
def test_wrong_labels_are_named_and_nothing_else(models: int, attempts: int) -> None:
    false, named = accused(World(models, attempts, wrong=0.05))
    assert false == 0
    assert named >= 0.4


def test_an_error_that_all_rollouts_share_looks_like_a_wrong_label() -> None:
    """The limit: nothing in the answers tells them apart."""
    assert accused(World(hard=0.05, right=0.0, lure=1.0))[0] > 0.5


def agreeing(tasks: int, unpaid: int, *, attempts: int = 4, answer: str = "") -> Model:
    """A model that gives one answer a task, unpaid at the first ones."""
    return {
        task: [Vote(answer or f"answer {task}", float(task >= unpaid))] * attempts
        for task in range(tasks)
    }


def test_the_finding_names_tasks_answers_and_the_share_of_other_agreements_that_are_paid() -> None:
    result = disputes([agreeing(60, 3), agreeing(60, 3)])
    assert isinstance(result, Disputes)
    assert [row.task for row in result.tasks] == [0, 1, 2]
    assert (result.models, result.agreed, result.paid, result.shared_errors) == (2, 59, 57, 0)
    finding = disputes_finding(result)
    assert (finding.code, finding.severity) == ("card.disputed_labels", "warning")
    assert finding.message == (
        "At 3 tasks 2 models agree on an answer that earns nothing: task 0 ('answer 0'), task 1 "
        "('answer 1'), task 2 ('answer 2'). At 57 of 59 other tasks where they agree (97%) the "
        "answer is paid."
    )
    assert finding.details["tasks"][0] == {
        "task": 0, "answer": "answer 0", "agreeing": 8, "rollouts": 8,
    }  # fmt: skip


def test_agreement_that_is_often_unpaid_accuses_nobody() -> None:
    assert disputes([agreeing(60, 12), agreeing(60, 12)]) is None


def test_one_answer_to_all_tasks_says_nothing_about_any() -> None:
    assert disputes([agreeing(60, 3, answer="done")] * 2) is None


def test_few_rollouts_and_few_tasks_accuse_nobody() -> None:
    assert disputes([agreeing(60, 3, attempts=MIN_VOTES - 1)]) is None
    assert disputes([agreeing(60, 2)]) is None
    assert disputes([agreeing(5, 3)] * 2) is None
    assert disputes([]) is None
    assert disputes([{}]) is None
    assert disputes([agreeing(60, 60)] * 2) is None


def test_replies_without_an_answer_agree_on_nothing() -> None:
    silent = {task: [Vote("", float(task >= 3))] * 4 for task in range(60)}
    assert disputes([silent, silent]) is None


def test_weak_models_do_not_take_part() -> None:
    weak = {task: [Vote(f"guess {task} {n}", 0.0) for n in range(4)] for task in range(60)}
    result = disputes([agreeing(60, 3), weak, agreeing(60, 3)])
    assert result is not None
    assert result.models == 2


def test_a_task_that_any_strong_rollout_solves_is_not_disputed() -> None:
    second = agreeing(60, 3) | {0: [*[Vote("answer 0", 0.0)] * 3, Vote("other", 1.0)]}
    result = disputes([agreeing(60, 3), second])
    assert result is None or 0 not in {row.task for row in result.tasks}


def test_rewards_below_zero_are_no_reward() -> None:
    model = {
        task: [Vote(f"a{task}", 1.0 if task >= 3 else 0.0 if task else -1.0)] * 4
        for task in range(60)
    }
    result = disputes([model, model])
    assert result is not None
    assert len(result.tasks) == 3
