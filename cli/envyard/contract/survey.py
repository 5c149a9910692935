"""The survey of a task set: many more tasks than a run plays, and references spread over them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.values import count, finite, record, records, text

SURVEY_TASKS = 300  # of a smoke run: their texts must fit what one sandbox may report
MAX_REFERENCES = 100
MAX_INDICES = 20


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
class Survey:
    """What a load of up to `limit` tasks showed, with another seed where the environment takes one.

    `exact` and `near` count prompts that repeat an earlier one, among `prompts` that are not empty;
    `empty` are tasks without a prompt where most have one. `same_answers` is how often the most
    common of `answers` occurs, which is `top_answer`. `leaks` are tasks, of those in `references`,
    whose first call names the answer. `seed_ignored`: the environment takes a seed and the first
    tasks are those of the other seed. `error` is why the tasks could not be loaded.
    """

    limit: int = 0
    tasks: int = 0
    prompts: int = 0
    exact: int = 0
    near: int = 0
    empty: list[int] = field(default_factory=list)
    answers: int = 0
    same_answers: int = 0
    top_answer: str = ""
    references: list[PlayedReference] = field(default_factory=list)
    leaks: list[int] = field(default_factory=list)
    leak: str = ""
    seed_ignored: bool = False
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Survey:
        """Read an untrusted JSON form."""
        counts = ("limit", "tasks", "prompts", "exact", "near", "answers", "same_answers")
        return cls(
            **{name: count(data.get(name)) for name in counts},
            empty=_indices(data.get("empty")),
            top_answer=text(data.get("top_answer"), 200),
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
            seed_ignored=data.get("seed_ignored") is True,
            error=text(data.get("error"), 1000),
        )


def read_survey(value: Any) -> Survey | None:
    """The survey of an untrusted JSON form; None where there is none."""
    return Survey.from_dict(record(value)) if record(value) else None


def _indices(value: Any) -> list[int]:
    return [count(each) for each in value[:MAX_INDICES]] if isinstance(value, list) else []
