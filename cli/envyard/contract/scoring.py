"""What an author declares about rewards in `[tool.envyard]`, so that the card judges by it.

A declaration replaces one expectation of the card and no other: an environment that declares to be
an echo may pay the probe that repeats the prompt, and none of the other probes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from envyard.contract.values import finite

MAX_REWARD = 1e6
FLAGS = ("abstention", "echo")
KEYS = ("reward", *FLAGS)


@dataclass(frozen=True, slots=True)
class Scoring:
    """What a wheel declares about its rewards.

    `reward` is the lowest and the highest total of a rollout. `echo`: the right reply repeats the
    prompt, or a part of it. `abstention`: a reply without an answer is right in some tasks, or
    earns a share.
    """

    reward: tuple[float, float] | None = None
    abstention: bool = False
    echo: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that `from_dict` reads."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Scoring:
        """Read an untrusted JSON form, or a table without `faults`; wrong shapes are left out."""
        flags = {name: fields[name] for name in FLAGS if isinstance(fields.get(name), bool)}
        return cls(reward=_range(fields.get("reward")), **flags)


def faults(table: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the keys of this module in a table, each as `KEY must be ...`."""
    if "reward" in table and _range(table["reward"]) is None:
        yield (
            "reward must be the lowest and the highest total of a rollout, such as [0, 10], "
            f"both within {-MAX_REWARD:g} and {MAX_REWARD:g}"
        )
    for name in FLAGS:
        if not isinstance(table.get(name, False), bool):
            yield f"{name} must be true or false"


def _range(value: Any) -> tuple[float, float] | None:
    """Two finite numbers in order; None for anything else."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    low, high = (None if isinstance(number, bool) else finite(number) for number in value)
    if low is None or high is None or not -MAX_REWARD <= low < high <= MAX_REWARD:
        return None
    return low, high
