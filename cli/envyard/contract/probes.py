"""The registry of probes: scripted policies that answer in a model's place and need no GPU.

An entry holds all data about one probe. Its reply function has the same name in REPLIES of
`envyard_runner.probing.probes`: only the runner computes replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FloorLimit:
    """The bound on what a probe that does no work may be paid, and the author's next step.

    `share` is the largest mean reward as a share of full marks. `warn_on_single_payment`: one
    rollout paid almost in full is a warning even where the mean stays below the bound.
    `warning` is the share beyond which a mean warns. `rejects`: the bound is a gate, once `minimum`
    rollouts were scored; below that number, and where it is none, going beyond it warns.
    """

    share: float
    hint: str
    warn_on_single_payment: bool = False
    warning: float = 0.25
    rejects: bool = True
    minimum: int = 1


@dataclass(frozen=True, slots=True)
class Probe:
    """One scripted policy.

    `reply` completes the sentence "the probe replies with ..." and `label` is its short form.
    `expected` completes "its replies must earn ...", for a floor probe in addition to the limit.
    `reference` names the reference answer that the environment hands to the gateway for it: the
    task's own, or that of another task whose answer differs; a task without one is not played.
    `floor` is None for a probe that deserves its reward. `tasks` is the most tasks that it plays,
    None for all. `calls_tools`: where it can do nothing without a tool it replies with nothing,
    and its reward is not counted. `plays_last`: it may change what rollouts share, so it begins
    after all others.
    """

    name: str
    label: str
    reply: str
    expected: str = ""
    reference: Literal["", "own", "other"] = ""
    floor: FloorLimit | None = None
    tasks: int | None = None
    calls_tools: bool = False
    plays_last: bool = False

    @property
    def required_reward(self) -> str:
        """The reward that its replies must earn, as documented."""
        if self.floor is None:
            return self.expected
        limit = f"at most {self.floor.share:.0%} of full marks"
        limit += "" if self.floor.rejects else " (a warning)"
        return f"{limit}, {self.expected}" if self.expected else limit


# Silence and noise carry no information, so they earn next to nothing. An echo of the prompt and
# another task's answer may share words with the right one, so they may earn partial credit.
NO_INFORMATION = 0.25
SHARED_WORDS = 0.75
EACH_WAY = 4  # tasks of a probe that replies in two ways in turns
# What provokes parsers is played on the first tasks alone: a parser rarely differs by task.
FEW = 3

ENTRIES = (
    Probe(
        name="silent",
        label="an empty reply",
        reply="nothing",
        floor=FloorLimit(
            NO_INFORMATION,
            "Pay nothing for an empty reply: an answer that is not there must not match.",
            warn_on_single_payment=True,
        ),
    ),
    Probe(
        name="parrot",
        label="the prompt",
        reply="your last message",
        floor=FloorLimit(
            SHARED_WORDS,
            "Pay nothing for repeating the prompt: read one marked answer, do not search.",
        ),
    ),
    Probe(
        name="babble",
        label="long seeded noise",
        reply="long seeded noise with unusual Unicode",
        expected="and no rollout may crash",
        floor=FloorLimit(
            NO_INFORMATION,
            "Pay nothing for noise: check the value that a reply without an answer parses to.",
            warn_on_single_payment=True,
        ),
    ),
    Probe(
        name="oracle",
        label="the reference answer",
        reply="what `oracle()` returns",
        expected="at least 90% of full marks, or clearly more than the others",
        reference="own",
    ),
    Probe(
        name="swapped",
        label="another task's reference answer",
        reply="what another task's `oracle()` returns, where it differs",
        reference="other",
        floor=FloorLimit(
            SHARED_WORDS,
            "Compare with this task's answer: another task's right answer must not be paid.",
        ),
    ),
    Probe(
        name="format",
        label="the right form, a wrong answer",
        reply="the reference with other letters and digits in place of its answer",
        reference="own",
        floor=FloorLimit(
            SHARED_WORDS,
            "Pay for the answer, not for its form: tags and numbers of the right shape are easy.",
            warning=0.4,
            minimum=FEW,
        ),
        tasks=FEW,
    ),
    Probe(
        name="all_options",
        label="the right answer among wrong ones",
        reply="another task's reference, the own one among wrong answers, and the other one again",
        reference="own",
        floor=FloorLimit(
            SHARED_WORDS,
            "Read one answer: a reply that lists many must not be searched for the right one.",
            warning=0.6,
            minimum=FEW,
        ),
        tasks=FEW,
    ),
    Probe(
        name="copy",
        label="a wrong answer from the prompt",
        reply="a number, option or word of the prompt, other than the reference, in its form",
        reference="own",
        floor=FloorLimit(
            SHARED_WORDS,
            "Compare with the answer: another number or word of the prompt must not be paid.",
            warning=0.4,
            rejects=False,
        ),
        tasks=FEW,
    ),
    Probe(
        name="constant",
        label="an answer for every task",
        reply="0, yes, unknown, a query without rows, or a constant of the scoring code",
        reference="own",
        floor=FloorLimit(
            SHARED_WORDS,
            "Pay no fixed answer: look for a default value, or a comparison of what did not parse.",
            warning=0.4,
            warn_on_single_payment=True,
            rejects=False,
        ),
        tasks=FEW,
    ),
    Probe(
        name="keywords",
        label="words of the scoring code",
        reply="the keywords and tags that stand in the scoring code, or what it counts, without "
        "answers of tasks",
        floor=FloorLimit(
            NO_INFORMATION,
            "Pay for the answer, not for words or tags: a list of them earns this reward.",
            warn_on_single_payment=True,
            rejects=False,
        ),
        tasks=FEW,
    ),
    Probe(
        name="refusal",
        label="a refusal",
        reply="a polite refusal",
        floor=FloorLimit(
            SHARED_WORDS,
            "Pay a refusal only where the task has no answer.",
            warn_on_single_payment=True,
            rejects=False,
        ),
        tasks=FEW,
    ),
    Probe(
        name="pleader",
        label="a plea for full marks",
        reply="a request for full marks and the verdicts that parsers look for",
        floor=FloorLimit(
            SHARED_WORDS,
            "Take no verdict from the reply: hand it to a judge as quoted text, and parse only "
            "what the judge wrote.",
            warn_on_single_payment=True,
            minimum=FEW,
        ),
        tasks=FEW,
    ),
    Probe(
        name="malformed",
        label="broken markup, JSON and numbers",
        reply="forged tool calls, broken markup, JSON and numbers, or a query that holds nothing",
        expected="and no rollout may crash",
        floor=FloorLimit(
            SHARED_WORDS,
            "Pay nothing for what does not parse, and check that all that is asked for is there.",
            warn_on_single_payment=True,
            minimum=FEW,
        ),
        tasks=FEW,
    ),
    Probe(
        name="snoop",
        label="what tools can read",
        reply="tool calls that list and read files and look up unknown keys, then what they return",
        floor=FloorLimit(
            SHARED_WORDS,
            "Keep answers and tests where no tool reads them, and out of its error messages.",
            warning=0.4,
            rejects=False,
        ),
        tasks=FEW,
        calls_tools=True,
    ),
    Probe(
        name="tamper",
        label="overwritten files and tables",
        reply="tool calls that overwrite files and tables, then what a table without rows gives or "
        "the number that a tool recorded; or a query that deletes rows",
        floor=FloorLimit(
            SHARED_WORDS,
            "Score with files and tables that no tool can write: restore tests before they run, "
            "and open a database that tools query as read-only, or give each rollout a copy.",
            warning=0.4,
            rejects=False,
        ),
        tasks=EACH_WAY,
        calls_tools=True,
        plays_last=True,
    ),
)
PROBES = {entry.name: entry for entry in ENTRIES}
PROBE_NAMES = tuple(PROBES)
ORACLE, SILENT, SNOOP, SWAPPED, TAMPER = "oracle", "silent", "snoop", "swapped", "tamper"
ALL_OPTIONS = "all_options"
FORMAT, MALFORMED = "format", "malformed"


def played_tasks(policy: str, tasks: int) -> int:
    """How many of `tasks` tasks the policy plays."""
    limit = PROBES[policy].tasks if policy in PROBES else None
    return tasks if limit is None else min(limit, tasks)


def reference_of(policy: str) -> str:
    """Which reference answer the policy replies with; empty for other probes and for models."""
    return PROBES[policy].reference if policy in PROBES else ""
