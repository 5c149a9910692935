"""Rollouts of probes that replied rightly by chance or by work: pay for them is no fault."""

from __future__ import annotations

from collections import Counter

from envyard.contract.probes import ORACLE, SWAPPED
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.chat_text import plain_text


class RightReplies:
    """The rollouts of probes whose replies were all the right one, and those of another task's
    reference that ended with the answer of this task alone: it reads the conversation."""

    def __init__(self) -> None:
        self._replied: list[str] = []
        self._last: dict[str, dict[str, str]] = {ORACLE: {}, SWAPPED: {}}  # policy -> rollout

    def add(self, record: Record) -> None:
        """Read a rollout that was scored."""
        if record.gave_right_reply:
            self._replied.append(record.rollout)
        elif record.policy in self._last and record.replies > 1:
            message = record.recorder.transcript.messages[-1]
            self._last[record.policy][record.rollout] = plain_text(message.get("content")).strip()

    @property
    def rollouts(self) -> list[str]:
        """Their names. An answer that more than half of the references end with, such as `Done.`,
        shows no work."""
        ends = Counter(self._last[ORACLE].values())
        most = max(1, ends.total() // 2)
        worked = [
            rollout
            for rollout, reply in self._last[SWAPPED].items()
            if reply
            and 0 < ends[reply] <= most
            and reply == self._last[ORACLE].get(_of_oracle(rollout))
        ]
        return self._replied + worked


def _of_oracle(rollout: str) -> str:
    return f"{ORACLE}/{rollout.partition('/')[2]}"
