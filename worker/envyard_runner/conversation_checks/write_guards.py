"""Does a tool write a file under another spelling of the path that it refuses?

`tamper` writes the first file that decides under its plain name and again with `./` before it. A
guard that compares paths as texts refuses the first and lets the second overwrite the tests. Where
a tool keeps files by their names in a table, the second is another file: `tamper` then reads the
first one back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import TAMPER
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.overwriting import ALIAS, READ_BACK
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of

Message = dict[str, Any]

KEPT, SHOWN = 100, 120
REFUSED = re.compile(
    r"\b(?:read[- ]?only|denied|not allowed|not permitted|protected|forbidden|may not|must not|"
    r"cannot|can't|refused|permission|off[- ]limits|locked)\b",
    re.IGNORECASE,
)
FAILED = re.compile(
    r"\b(?:error|exception|traceback|invalid|no such|not found|unknown|unsupported|only|outside"
    r"|does not exist|failed)\b",
    re.IGNORECASE,
)
NEW_FILE = re.compile(r"\bcreated\b|\bnew file\b", re.IGNORECASE)


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
    results = results_of(messages)
    read = results.get(READ_BACK)
    written: dict[tuple[str, str], str] = {}
    contents: dict[tuple[str, str], set[str]] = {}
    for call in calls_of(messages):
        name = str(call["function"].get("name"))
        values = [each for each in arguments_of(call).values() if isinstance(each, str)]
        for value in values:
            written[name, value] = results.get(str(call.get("id")), "")
            contents[name, value] = {each.strip() for each in values} - {value, ""}
    for (tool, path), result in written.items():
        refusal = written.get((tool, path.removeprefix(ALIAS)), "")
        if not path.startswith(ALIAS) or not REFUSED.search(refusal) or not _succeeds(result):
            continue
        if read is None or any(content in read for content in contents[tool, path]):
            return EvadedGuard(tool, path.removeprefix(ALIAS), refusal[:SHOWN], result[:SHOWN])
    return None


def _succeeds(result: str) -> bool:
    """Whether a result says neither that nothing was written nor that it is another file."""
    failures = (REFUSED, FAILED, NEW_FILE)
    return bool(result) and not any(pattern.search(result) for pattern in failures)
