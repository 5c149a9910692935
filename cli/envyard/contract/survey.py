"""The survey of a task set: many more tasks than a run plays, and references spread over them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.values import count, finite, record, records, text

SURVEY_TASKS = 100_000  # of a smoke run
SURVEY_SECONDS = 20.0  # in which they are listed
MAX_REFERENCES = 100
MAX_INDICES = 20
MAX_CONTRADICTIONS = 5
MAX_LABEL_OUTLIERS = 10
MAX_BENCHMARKS = 100  # lists


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
            _indices(data.get("tasks"))[:2],
            text(data.get("prompt"), 200),
            [text(answer, 100) for answer in shown],
        )


@dataclass(frozen=True, slots=True)
class LabelOutlier:
    """A task whose answer breaks the rule that others follow, and what the rule gives."""

    task: int
    prompt: str
    answer: str
    expected: str

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LabelOutlier:
        """Read an untrusted JSON form."""
        answers = (text(data.get(name), 100) for name in ("answer", "expected"))
        return cls(count(data.get("task")), text(data.get("prompt"), 200), *answers)


@dataclass(frozen=True, slots=True)
class LabelRule:
    """A rule by which the answers of `tasks` tasks follow from their prompts, in words; `broken` do
    not, and `outliers` are the first of these."""

    text: str
    tasks: int
    broken: int
    outliers: list[LabelOutlier] = field(default_factory=list)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LabelRule:
        """Read an untrusted JSON form."""
        return cls(
            text(data.get("text"), 200),
            count(data.get("tasks")),
            count(data.get("broken")),
            [
                LabelOutlier.from_dict(row)
                for row in records(data.get("outliers"), MAX_LABEL_OUTLIERS)
            ],
        )


@dataclass(frozen=True, slots=True)
class IncompletePrompts:
    """How many prompts lack what they ask about, the first of these tasks, what most of them lack,
    and the end of the first such prompt."""

    count: int
    tasks: list[int]
    reason: str
    prompt: str

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> IncompletePrompts:
        """Read an untrusted JSON form."""
        texts = (text(data.get(name), 200) for name in ("reason", "prompt"))
        return cls(count(data.get("count")), _indices(data.get("tasks")), *texts)


@dataclass(frozen=True, slots=True)
class ShortDecimals:
    """Answers with fewer decimals than the prompt asks for, where a calculation shows that they are
    rounded: how many of `tasks` tasks, the decimals that are asked for, and one of the answers."""

    count: int
    tasks: int
    asked: int
    task: int
    answer: str

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ShortDecimals:
        """Read an untrusted JSON form."""
        counts = (count(data.get(name)) for name in ("count", "tasks", "asked", "task"))
        return cls(*counts, text(data.get("answer"), 100))


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
            _indices(data.get("examples")),
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """What a load of up to `limit` tasks showed, with another seed where the environment takes one.

    `train` and `evaluation` state how far each split was listed; None where it was not. `exact` and
    `near` count tasks that repeat an earlier one, among `prompts` that are not empty; `empty` are
    tasks without a prompt where most have one, `unanswered` without an answer where nearly all have
    one. `contradicting` pairs have one prompt and two answers; `contradictions` are the first of
    them. Of the evaluation tasks `shared_exact` equal a training task and `shared_near` nearly do;
    `shared` are the first of them. `benchmarks` are the operator's lists; None where the runner has
    none. `same_answers` is how often the most common of `answers` occurs, which is `top_answer`.
    The answer of `copied` tasks is the piece `copied_place` of their prompt, such as "number 1"; 0
    where that of nine in ten is not. `label_rule` is the rule that most answers follow, where a few
    break it; `incomplete` are prompts that lack what they ask about, `short_decimals` answers that
    are rounded too much. `leaks` are tasks, of those in `references`, whose first call names the
    answer, `examples` those whose worked example gives it, with the excerpts `leak` and `example`
    of one of them. `seed_ignored`: the environment takes a seed and the first tasks are those of
    the other seed. `error` is why the tasks could not be loaded.
    """

    limit: int = 0
    tasks: int = 0
    prompts: int = 0
    exact: int = 0
    near: int = 0
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
    references: list[PlayedReference] = field(default_factory=list)
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
            *("contradicting", "shared_exact", "shared_near"),
        )
        return cls(
            **{name: count(data.get(name)) for name in counts},
            empty=_indices(data.get("empty")),
            unanswered=_indices(data.get("unanswered")),
            train=_split(data.get("train")),
            evaluation=_split(data.get("evaluation")),
            contradictions=[
                Contradiction.from_dict(row)
                for row in records(data.get("contradictions"), MAX_CONTRADICTIONS)
            ],
            shared=_indices(data.get("shared")),
            benchmarks=None
            if data.get("benchmarks") is None
            else [
                BenchmarkOverlap.from_dict(row)
                for row in records(data.get("benchmarks"), MAX_BENCHMARKS)
            ],
            copied_place=text(data.get("copied_place"), 40),
            top_answer=text(data.get("top_answer"), 200),
            label_rule=_label_rule(data.get("label_rule")),
            incomplete=_incomplete(data.get("incomplete")),
            short_decimals=_short_decimals(data.get("short_decimals")),
            references=[
                PlayedReference(
                    task=count(row.get("task")),
                    reward=finite(row.get("reward")),
                    error=text(row.get("error"), 300),
                    turns=count(row.get("turns")),
                )
                for row in records(data.get("references"), MAX_REFERENCES)
            ],
            leaks=_indices(data.get("leaks")),
            leak=text(data.get("leak"), 300),
            examples=_indices(data.get("examples")),
            example=text(data.get("example"), 300),
            seed_ignored=data.get("seed_ignored") is True,
            error=text(data.get("error"), 1000),
        )


def read_survey(value: Any) -> Survey | None:
    """The survey of an untrusted JSON form; None where there is none."""
    return Survey.from_dict(record(value)) if record(value) else None


def _split(value: Any) -> Split | None:
    return Split.from_dict(record(value)) if record(value) else None


def _label_rule(value: Any) -> LabelRule | None:
    return LabelRule.from_dict(record(value)) if record(value) else None


def _incomplete(value: Any) -> IncompletePrompts | None:
    return IncompletePrompts.from_dict(record(value)) if record(value) else None


def _short_decimals(value: Any) -> ShortDecimals | None:
    return ShortDecimals.from_dict(record(value)) if record(value) else None


def _indices(value: Any) -> list[int]:
    return [count(each) for each in value[:MAX_INDICES]] if isinstance(value, list) else []
