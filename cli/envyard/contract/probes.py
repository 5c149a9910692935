"""The registry of probes: scripted policies that answer in a model's place and need no GPU.

An entry holds all data about one probe. Its reply function has the same name in REPLIES of
`envyard_runner.gateway.probes`: only the runner computes replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FloorLimit:
    """The bound on what a probe that does no work may be paid, and the author's next step.

    `share` is the largest mean reward as a share of full marks. `warn_on_single_payment`: one
    rollout paid almost in full is a warning even where the mean stays below the bound.
    """

    share: float
    hint: str
    warn_on_single_payment: bool = False


@dataclass(frozen=True, slots=True)
class Probe:
    """One scripted policy.

    `reply` completes the sentence "the probe replies with ..." and `label` is its short form.
    `expected` completes "its replies must earn ...", for a floor probe in addition to the limit.
    `reference` names the reference answer that the environment hands to the gateway for it: the
    task's own, or that of another task whose answer differs; a task without one is not played.
    `floor` is None for a probe that deserves its reward.
    """

    name: str
    label: str
    reply: str
    expected: str = ""
    reference: Literal["", "own", "other"] = ""
    floor: FloorLimit | None = None

    @property
    def required_reward(self) -> str:
        """The reward that its replies must earn, as documented."""
        if self.floor is None:
            return self.expected
        limit = f"at most {self.floor.share:.0%} of full marks"
        return f"{limit}, {self.expected}" if self.expected else limit


# Silence and noise carry no information, so they earn next to nothing. An echo of the prompt and
# another task's answer may share words with the right one, so they may earn partial credit.
NO_INFORMATION = 0.25
SHARED_WORDS = 0.75

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
)
PROBES = {entry.name: entry for entry in ENTRIES}
PROBE_NAMES = tuple(PROBES)
ORACLE = "oracle"


def reference_of(policy: str) -> str:
    """Which reference answer the policy replies with; empty for other probes and for models."""
    return PROBES[policy].reference if policy in PROBES else ""
