"""The survey of a task set: many more tasks than a run plays, and references spread over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from envyard.contract.mutants import MutantResult
from envyard.contract.task_texts import (
    IncompletePrompts,
    LabelRule,
    ShortDecimals,
    SplitDifference,
    indices,
)
from envyard.contract.values import count, finite, record, records, text

SURVEY_TASKS = 100_000  # of a smoke run
SURVEY_SECONDS = 20.0  # in which they are listed
MAX_REFERENCES = 100
MAX_SURVEY_MUTANTS = 160
MAX_CONTRADICTIONS = 5
MAX_BENCHMARKS = 100  # lists
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class PlayedReference:
    """A task's reference and what it earned: `reward` is None where the rollout failed (`error`).

    `turns` counts its replies.
    """

    task: int
    reward: float | None = None
    error: str = ""
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Split:
    """How the listing of one split ended: after its last task (`complete`), by a limit of time or
    number, or by an `error`. `endless`: it states no end."""

    tasks: int = 0
    complete: bool = False
    endless: bool = False
    error: str = ""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Split:
        """Read an untrusted JSON form."""
        return cls(
            tasks=count(data.get("tasks")),
            complete=data.get("complete") is True,
            endless=data.get("endless") is True,
            error=text(data.get("error"), 500),
        )


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two tasks with the same prompt and the same other data, and their answers."""

    tasks: list[int]
    prompt: str
    answers: list[str]

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Contradiction:
        """Read an untrusted JSON form."""
        answers = data.get("answers")
        shown = answers[:2] if isinstance(answers, list) else []
        return cls(
            indices(data.get("tasks"))[:2],
            text(data.get("prompt"), 200),
            [text(answer, 100) for answer in shown],
        )


@dataclass(frozen=True, slots=True)
class BenchmarkOverlap:
    """How many tasks share words with an item of a list of the operator's, and the first of them.

    `items` is how many items of the list are long enough to be compared.
    """

    name: str
    items: int
    tasks: int
    examples: list[int] = field(default_factory=list)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> BenchmarkOverlap:
        """Read an untrusted JSON form."""
        return cls(
            text(data.get("name"), 100),
            count(data.get("items")),
            count(data.get("tasks")),
            indices(data.get("examples")),
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """What a load of up to `limit` tasks showed, with the seed that the environment has by itself.

    `train` and `evaluation` state how far each split was listed; None where it was not. `exact` and
    `near` count tasks that repeat an earlier one, among `prompts` that are not empty; `problems`
    are those that differ in more than what decides no answer, 0 where they are not few; `empty` are
    tasks without a prompt where most have one, `unanswered` without an answer where nearly all have
    one. `contradicting` pairs have one prompt and two answers; `contradictions` are the first of
    them. Of the evaluation tasks `shared_exact` equal a training task and `shared_near` nearly do;
    `shared` are the first of them. `benchmarks` are the operator's lists; None where the runner has
    none. `same_answers` is how often the most common of `answers` occurs, which is `top_answer`.
    The answer of `copied` tasks is the piece `copied_place` of their prompt, such as "number 1"; 0
    where that of nine in ten is not. `label_rule` is the rule that most answers follow, where a few
    break it; `incomplete` are prompts that lack what they ask about, `short_decimals` answers that
    are rounded too much; `split_difference` is how the answers of evaluation tasks differ.
    `mutants` are changes of `references`, whose rollouts are named `survey/task/0`. `leaks` are
    tasks, of those in `references`, whose first call names the answer, `examples` tasks whose
    worked example gives it, with the excerpts `leak` and `example` of one of them. `seed_ignored`:
    the environment takes a seed and the first tasks are those of the run's seed. `error` is why the
    tasks could not be loaded.
    """

    limit: int = 0
    tasks: int = 0
    prompts: int = 0
    exact: int = 0
    near: int = 0
    problems: int = 0
    empty: list[int] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)
    train: Split | None = None
    evaluation: Split | None = None
    contradicting: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)
    shared_exact: int = 0
    shared_near: int = 0
    shared: list[int] = field(default_factory=list)
    benchmarks: list[BenchmarkOverlap] | None = None
    answers: int = 0
    same_answers: int = 0
    copied: int = 0
    copied_place: str = ""
    top_answer: str = ""
    label_rule: LabelRule | None = None
    incomplete: IncompletePrompts | None = None
    short_decimals: ShortDecimals | None = None
    split_difference: SplitDifference | None = None
    references: list[PlayedReference] = field(default_factory=list)
    mutants: list[MutantResult] = field(default_factory=list)
    leaks: list[int] = field(default_factory=list)
    leak: str = ""
    examples: list[int] = field(default_factory=list)
    example: str = ""
    seed_ignored: bool = False
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Survey:
        """Read an untrusted JSON form."""
        counts = (
            *("limit", "tasks", "prompts", "exact", "near", "answers", "same_answers", "copied"),
            *("contradicting", "shared_exact", "shared_near", "problems"),
        )
        return cls(
            **{name: count(data.get(name)) for name in counts},
            empty=indices(data.get("empty")),
            unanswered=indices(data.get("unanswered")),
            train=_split(data.get("train")),
            evaluation=_split(data.get("evaluation")),
            contradictions=[
                Contradiction.from_dict(row)
                for row in records(data.get("contradictions"), MAX_CONTRADICTIONS)
            ],
            shared=indices(data.get("shared")),
            benchmarks=None
            if data.get("benchmarks") is None
            else [
                BenchmarkOverlap.from_dict(row)
                for row in records(data.get("benchmarks"), MAX_BENCHMARKS)
            ],
            copied_place=text(data.get("copied_place"), 80),
            top_answer=text(data.get("top_answer"), 200),
            label_rule=_read(LabelRule.from_dict, data.get("label_rule")),
            incomplete=_read(IncompletePrompts.from_dict, data.get("incomplete")),
            short_decimals=_read(ShortDecimals.from_dict, data.get("short_decimals")),
            split_difference=_read(SplitDifference.from_dict, data.get("split_difference")),
            references=[
                PlayedReference(
                    task=count(row.get("task")),
                    reward=finite(row.get("reward")),
                    error=text(row.get("error"), 300),
                    turns=count(row.get("turns")),
                )
                for row in records(data.get("references"), MAX_REFERENCES)
            ],
            mutants=[
                MutantResult.from_dict(row)
                for row in records(data.get("mutants"), MAX_SURVEY_MUTANTS)
            ],
            leaks=indices(data.get("leaks")),
            leak=text(data.get("leak"), 300),
            examples=indices(data.get("examples")),
            example=text(data.get("example"), 300),
            seed_ignored=data.get("seed_ignored") is True,
            error=text(data.get("error"), 1000),
        )


def read_survey(value: Any) -> Survey | None:
    """The survey of an untrusted JSON form; None where there is none."""
    return Survey.from_dict(record(value)) if record(value) else None


def _split(value: Any) -> Split | None:
    return Split.from_dict(record(value)) if record(value) else None


def _read(read: Callable[[dict[str, Any]], Part], value: Any) -> Part | None:
    return read(record(value)) if record(value) else None
