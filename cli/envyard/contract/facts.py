"""What a runner measures once per run: tasks, loads, connections, the judge, mutants, the survey.

An environment's code can influence everything in here; see `runner_events`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from envyard.contract.answer_forms import AnswerForm
from envyard.contract.connections import OUTSIDE, Connection, read_connections
from envyard.contract.judge import MAX_CHECKS, JudgeCheck, JudgeFacts
from envyard.contract.mutants import MAX_MUTANTS, MutantResult
from envyard.contract.scoring import Scoring
from envyard.contract.survey import Survey, read_survey
from envyard.contract.training import TrainingFacts
from envyard.contract.values import count, finite, names_of, record, rows_of, text, texts_of

MAX_NOT_COUNTED = 20_000
MAX_TASKS = 100_000


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task as the environment loaded it: identity, the text of its prompt, its split.

    `reference`: the environment has a reference answer for it; `hook`: its own oracle() returns
    that answer, and only then is the ceiling enforced.
    """

    index: int
    hash: str
    prompt: str
    split: str = ""
    reference: bool = False
    hook: bool = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TaskResult:
        """Read an untrusted JSON form."""
        return cls(
            index=count(data.get("index")),
            hash=text(data.get("hash"), 64),
            prompt=text(data.get("prompt"), 4000),
            split=text(data.get("split"), 40),
            reference=data.get("reference") is True,
            hook=data.get("hook") is True,
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """Values measured once per run: install and load seconds, tasks, and the second load.

    `environment_began` is True once the guest driver reported that it starts to import the
    environment's module. Before that no fault can be the environment's.
    `seed_options` names the options of `seed_entry` that were given the seed, empty where it has
    none; None where that is not known. `not_counted` names the rollouts (`policy/task/attempt`)
    that are no evidence, each with the code of the finding. `right_replies` names the
    rollouts in which a probe happened to reply with the reference. `connections` are those to hosts
    outside the sandbox, the refused ones too. `scoring` is what the wheel declares about its
    rewards, None where that is nothing. `judge` is there where the judge was called, and
    `judge_checks` are its recorded rollouts, played again with other verdicts;
    `mutants` are changed replies, `survey` is what a load of many more tasks showed. `answer_form`
    is the form in which answer fields were given, None where there are none.
    `loaded_tasks` counts the tasks that were loaded, up to the last of the run or shard;
    `earlier_tasks` is the digest (`digest_of`) of those before the first of the shard. `training`
    is what a trainer's host paid, None where the run did not come that far.
    """

    install_seconds: float | None = None
    load_seconds: float | None = None
    framework_version: str = ""
    packages: int | None = None
    sandbox: str = ""
    peak_memory_bytes: int | None = None
    tasks: list[TaskResult] | None = None
    hashes_again: list[str] | None = None
    environment_began: bool | None = None
    seed_entry: str = ""
    seed_options: list[str] | None = None
    not_counted: dict[str, str] | None = None
    right_replies: list[str] | None = None
    connections: list[Connection] | None = None
    judge: JudgeFacts | None = None
    judge_checks: list[JudgeCheck] | None = None
    mutants: list[MutantResult] | None = None
    scoring: Scoring | None = None
    survey: Survey | None = None
    answer_form: AnswerForm | None = None
    loaded_tasks: int | None = None
    earlier_tasks: str = ""
    training: TrainingFacts | None = None

    @property
    def uses_network(self) -> bool:
        """Whether a connection reached a host outside the sandbox."""
        return any(row.route in OUTSIDE for row in self.connections or ())

    def to_dict(self) -> dict[str, Any]:
        """The JSON form without unknown values."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Facts:
        """Read an untrusted JSON form."""
        packages, peak = finite(data.get("packages")), finite(data.get("peak_memory_bytes"))
        loaded = finite(data.get("loaded_tasks"))
        return cls(
            install_seconds=finite(data.get("install_seconds")),
            load_seconds=finite(data.get("load_seconds")),
            framework_version=text(data.get("framework_version"), 80),
            packages=None if packages is None else count(packages),
            sandbox=text(data.get("sandbox"), 80),
            peak_memory_bytes=None if peak is None else int(min(max(peak, 0.0), 1 << 53)),
            tasks=rows_of(data.get("tasks"), TaskResult.from_dict, MAX_TASKS),
            hashes_again=texts_of(data.get("hashes_again"), 64, MAX_TASKS),
            seed_entry=text(data.get("seed_entry"), 80),
            seed_options=texts_of(data.get("seed_options"), 80, 20),
            environment_began=True if data.get("environment_began") is True else None,
            not_counted=names_of(data.get("not_counted"), MAX_NOT_COUNTED),
            right_replies=texts_of(data.get("right_replies"), 100, MAX_NOT_COUNTED),
            connections=read_connections(data.get("connections")),
            judge=JudgeFacts.from_dict(data["judge"]) if record(data.get("judge")) else None,
            judge_checks=rows_of(data.get("judge_checks"), JudgeCheck.from_dict, MAX_CHECKS),
            survey=read_survey(data.get("survey")),
            mutants=rows_of(data.get("mutants"), MutantResult.from_dict, MAX_MUTANTS),
            scoring=Scoring.from_dict(data["scoring"]) if record(data.get("scoring")) else None,
            answer_form=AnswerForm.from_dict(data["answer_form"])
            if record(data.get("answer_form"))
            else None,
            loaded_tasks=None if loaded is None else count(loaded),
            earlier_tasks=text(data.get("earlier_tasks"), 64),
            training=TrainingFacts.from_dict(data["training"])
            if record(data.get("training"))
            else None,
        )


def digest_of(hashes: Iterable[str]) -> str:
    """SHA-256 over the hashes of tasks in their order, in hexadecimal; empty for none."""
    joined = "\n".join(hashes)
    return hashlib.sha256(joined.encode()).hexdigest() if joined else ""
