"""Does a tool write a file under another spelling of the path that it refuses?

`tamper` writes the first file that decides under its plain name and again with `./` before it. A
guard that compares paths as texts refuses the first and lets the second overwrite the tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import TAMPER
from envyard_runner.gateway.chat_text import plain_text
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.gateway.submitted_answers import arguments_of, calls_of
from envyard_runner.gateway.tool_probes import ALIAS

Message = dict[str, Any]

KEPT, SHOWN = 100, 120
REFUSED = re.compile(
    r"\b(?:read[- ]?only|denied|not allowed|not permitted|protected|forbidden|may not|must not|"
    r"cannot|can't|refused|permission|off[- ]limits|locked)\b",
    re.IGNORECASE,
)
FAILED = re.compile(r"\b(?:error|exception|traceback|invalid|no such|not found)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EvadedGuard:
    """The tool, the path that it refused, and what it returned for that and for the other
    spelling."""

    tool: str
    path: str
    refusal: str
    result: str


@dataclass(slots=True)
class WriteGuards:
    """The rollouts of `tamper` in which a tool refused a path and then wrote it, by name."""

    evaded: dict[str, EvadedGuard] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        if record.policy != TAMPER or len(self.evaded) >= KEPT:
            return
        if evaded := _evaded(record.recorder.transcript.messages):
            self.evaded[record.rollout] = evaded


def _evaded(messages: Sequence[Message]) -> EvadedGuard | None:
    results = {
        str(m.get("tool_call_id")): plain_text(m.get("content"))
        for m in messages
        if m.get("role") == "tool"
    }
    written: dict[tuple[str, str], str] = {}
    for call in calls_of(messages):
        name = str(call["function"].get("name"))
        for value in arguments_of(call).values():
            if isinstance(value, str):
                written[name, value] = results.get(str(call.get("id")), "")
    for (tool, path), result in written.items():
        refusal = written.get((tool, path.removeprefix(ALIAS)), "")
        if not path.startswith(ALIAS) or not result or not REFUSED.search(refusal):
            continue
        if not REFUSED.search(result) and not FAILED.search(result):
            return EvadedGuard(tool, path.removeprefix(ALIAS), refusal[:SHOWN], result[:SHOWN])
    return None
