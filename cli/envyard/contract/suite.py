"""Suites: a frozen choice of tasks, attempts, seed, sampling, limits, judge and rules version.

Two results may be compared only where their suites have the same digest.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from envyard.contract.rules import RULES
from envyard.contract.task_indexes import BadIndexes, indexes_text, read_indexes
from envyard.contract.values import finite, record

SMOKE, FULL = "smoke", "full"
BUILT_IN = (SMOKE, FULL)
USUAL_SIZES = {SMOKE: (5, 4), FULL: (100, 4)}  # tasks and attempts, where no operator chose others
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
TEMPERATURE = 1.0  # what training samples with
# Where a suite without a seed of its own takes it from: the bytes of the wheel (suites from before
# the other two), the version, or the environment, so that its versions share their tasks.
BY_WHEEL, BY_VERSION, BY_ENVIRONMENT = "wheel", "version", "environment"
SEEDS = (
    10_000  # seeds are below it, as those that trainers choose; a larger one names an evaluation
)
MAX_TASKS, MAX_ATTEMPTS, MAX_SEED, MAX_TEMPERATURE = 100_000, 64, (1 << 32) - 1, 2.0


class BadSuite(ValueError):
    """A definition that no suite may have; the message names the field and the rule."""


@dataclass(frozen=True, slots=True)
class SuiteLimits:
    """The limits of one rollout that bound what a policy can reach: seconds, turns, calls and
    tokens."""

    rollout_seconds: float = 120.0
    max_turns: int = 100
    max_tokens: int = 512
    calls_per_rollout: int = 200
    judge_calls_per_rollout: int = 32
    judge_tokens_per_rollout: int = 200_000
    judge_max_tokens: int = 2048


@dataclass(frozen=True, slots=True)
class SuiteDefinition:
    """What a suite freezes.

    `tasks` is the maximum number of tasks from the start of the data set or, with `indexes`, the
    number of those: exactly these tasks, ascending. `attempts` are the rollouts of each by a model.
    Without `seed` the hub derives one for each version or, by `seed_by`, each environment, which no
    code can know before the first run with it. `judge` is the name of the model that answers the
    environment's own calls, empty for none.
    """

    tasks: int
    attempts: int
    seed: int | None = None
    temperature: float = TEMPERATURE
    judge: str = ""
    limits: SuiteLimits = field(default_factory=SuiteLimits)
    rules: int = RULES
    indexes: tuple[int, ...] = ()
    seed_by: str = BY_VERSION

    @property
    def tasks_text(self) -> str:
        """`up to 100 tasks`, or `3 tasks (1, 7-8)` of a suite that names them."""
        if not self.indexes:
            return f"up to {self.tasks} tasks"
        named = f"{self.tasks} task{'' if self.tasks == 1 else 's'}"
        return f"{named} ({indexes_text(self.indexes)})"

    @property
    def digest(self) -> str:
        """SHA-256 of its canonical JSON, in hexadecimal."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def seed_of(self, wheel_sha256: str) -> int:
        """The seed of a run of that wheel where no hub derives one."""
        if self.seed is not None:
            return self.seed
        number = int(wheel_sha256[:8], 16)
        return number if self.seed_by == BY_WHEEL else number % SEEDS

    def to_dict(self) -> dict[str, Any]:
        """The JSON form. It has `indexes` only where the suite names tasks, and `seed_by` only
        where that says something: the digests of earlier definitions are unchanged."""
        plain = asdict(self)
        named, seed_by = plain.pop("indexes"), plain.pop("seed_by")
        if named:
            plain["indexes"] = list(named)
        if self.seed is None and seed_by != BY_WHEEL:
            plain["seed_by"] = seed_by
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SuiteDefinition:
        """Read the JSON form; raises BadSuite for a value outside its bounds."""
        limits = record(data.get("limits"))
        default = SuiteLimits()
        seed = data.get("seed")
        try:
            indexes = read_indexes(data.get("indexes"))
        except BadIndexes as error:
            raise BadSuite(str(error)) from None
        if indexes and data.get("tasks") not in (None, len(indexes)):
            raise BadSuite(f"tasks {data['tasks']!r} must be the number of indexes, or left out")
        data = data | ({"tasks": len(indexes)} if indexes else {})
        return cls(
            tasks=_whole(data, "tasks", 1, MAX_TASKS),
            attempts=_whole(data, "attempts", 1, MAX_ATTEMPTS),
            seed=None if seed is None else _whole(data, "seed", 0, MAX_SEED),
            temperature=_temperature(data.get("temperature", TEMPERATURE)),
            judge=str(data.get("judge") or "")[:200],
            limits=SuiteLimits(
                **{
                    each.name: type(getattr(default, each.name))(
                        limits.get(each.name, getattr(default, each.name))
                    )
                    for each in fields(SuiteLimits)
                }
            ),
            rules=_whole(data | {"rules": data.get("rules", RULES)}, "rules", 1, 10**6),
            indexes=indexes,
            seed_by=_seed_by(data.get("seed_by", BY_WHEEL)) if seed is None else BY_VERSION,
        )


def _whole(data: dict[str, Any], name: str, low: int, high: int) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadSuite(f"{name} {value!r} must be a whole number from {low} to {high}")
    return value


def _seed_by(value: Any) -> str:
    if value not in (BY_WHEEL, BY_VERSION, BY_ENVIRONMENT):
        raise BadSuite(f"seed_by {value!r} must be {BY_WHEEL}, {BY_VERSION} or {BY_ENVIRONMENT}")
    return str(value)


def _temperature(value: Any) -> float:
    parsed = finite(value)
    if parsed is None or not 0.0 <= parsed <= MAX_TEMPERATURE:
        raise BadSuite(f"temperature {value!r} must be a number from 0 to {MAX_TEMPERATURE:g}")
    return parsed
