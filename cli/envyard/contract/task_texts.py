"""What a survey found in the texts of many tasks: wrong labels, incomplete prompts, short decimals,
and evaluation answers of another rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envyard.contract.values import count, records, text

MAX_INDICES = 20
MAX_LABEL_OUTLIERS = 10


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
    and the end of the first such prompt; empty where the survey did not read it."""

    count: int
    tasks: list[int]
    reason: str
    prompt: str

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> IncompletePrompts:
        """Read an untrusted JSON form."""
        texts = (text(data.get(name), 200) for name in ("reason", "prompt"))
        return cls(count(data.get("count")), indices(data.get("tasks")), *texts)


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
        return cls(
            **{name: count(data.get(name)) for name in ("count", "tasks", "asked", "task")},
            answer=text(data.get("answer"), 100),
        )


@dataclass(frozen=True, slots=True)
class SplitDifference:
    """What holds of the answers of `train` training tasks, in words, and not of `broken` of
    `evaluation` evaluation tasks of the same template: one of these, its answer, and the answer
    that the rule gives (empty where only the form differs)."""

    text: str
    train: int
    evaluation: int
    broken: int
    task: int
    answer: str
    expected: str

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SplitDifference:
        """Read an untrusted JSON form."""
        return cls(
            text=text(data.get("text"), 200),
            **{name: count(data.get(name)) for name in ("train", "evaluation", "broken", "task")},
            answer=text(data.get("answer"), 100),
            expected=text(data.get("expected"), 100),
        )


def indices(value: Any) -> list[int]:
    """The first task indices of an untrusted list."""
    return [count(each) for each in value[:MAX_INDICES]] if isinstance(value, list) else []
