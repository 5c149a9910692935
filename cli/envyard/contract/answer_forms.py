"""The form in which a bare answer field was given to the verifier, and what the forms earned."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from envyard.contract.values import count, finite, text

CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The best-paid of several forms of a right answer, with three dots in the answer's place.

    `tried` counts the forms, `reward` is the mean over the tasks on which they were tried, `lowest`
    that of the worst-paid form: where both are equal, the form decides nothing. Both are None where
    no attempt got a reward. `asked` is a form that the prompts ask for beyond doubt and that is not
    the best-paid, empty where there is none; `asked_reward` is its mean. `field` is the
    field of the task's data that was taken for the answer; empty where it is named `answer`.
    """

    form: str
    tried: int
    reward: float | None = None
    lowest: float | None = None
    asked: str = ""
    asked_reward: float | None = None
    field: str = ""

    @property
    def is_paid(self) -> bool:
        """Whether the form earned more than another."""
        return self.reward is not None and self.lowest is not None and self.reward > self.lowest

    @property
    def is_refuted(self) -> bool:
        """Whether the field was a guess, and the verifier paid it in no form."""
        return bool(self.field) and not self.is_paid and not self.reward

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AnswerForm:
        """Read an untrusted JSON form."""
        return cls(
            form=text(data.get("form"), CHARACTERS),
            tried=count(data.get("tried")),
            reward=finite(data.get("reward")),
            lowest=finite(data.get("lowest")),
            asked=text(data.get("asked"), CHARACTERS),
            asked_reward=finite(data.get("asked_reward")),
            field=text(data.get("field"), CHARACTERS),
        )
