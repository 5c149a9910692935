"""Does the refusal of a malformed reply show what the reference replies, and no message before?

A game that answers a reply that it cannot read with the text of its own state shows the secret,
perhaps beside other values. The reference, whose replies are read, is never shown it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from envyard.contract.probes import MALFORMED, ORACLE, PROBES
from envyard.contract.transcript import Transcript
from envyard_runner.conversation_checks.answers_in_results import FAILED, corrected, field_with
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text

SHORTEST, LONGEST = 4, 80  # characters of an answer that is no number
KEPT, SEARCHED, AROUND = 300, 5_000, 60
NUMBER = re.compile(r"(?<![\w.])-?\d++(?![\w.]*\w)")
SHORT = re.compile(r"-?\d{2,9}")
PLACES = range(-6, 6)  # of numbers in a message, from its end and from its beginning
FEWEST, NEARLY_ALL = 3, 0.9  # different numbers, and the share of a policy's rollouts


@dataclass(frozen=True, slots=True)
class Refused:
    """What a policy that does no work read before one of its first replies, and the message behind
    that one."""

    opening: str
    message: str


@dataclass(slots=True)
class RefusedReplies:
    """The first refusals by rollout, and by task the reference's reply that nothing had shown."""

    refused: dict[str, Refused] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record, reference: str) -> None:
        """Read a rollout that ended; `reference` is the task's answer field, empty where it has
        none."""
        transcript, task = record.recorder.transcript, record.rollout.split("/")[1]
        probe = PROBES.get(record.policy)
        if record.policy == ORACLE and (answer := _reference_answer(transcript, reference)):
            self.answers.setdefault(task, answer)
        elif probe and probe.floor is not None and not probe.calls_tools:
            at = 1 if record.policy == MALFORMED else 0
            refused = _refusal(transcript, at) if len(self.refused) < KEPT else None
            if refused:
                self.refused[record.rollout] = refused

    @property
    def excerpts(self) -> dict[str, str]:
        """By rollout, where the refusal shows the answer: as that of a field or alone among its
        words, and of no other task, or as the number at one place in nearly all rollouts of a
        policy."""
        return dict(self._words()) | self._numbers()

    def _words(self) -> Iterator[tuple[str, str]]:
        for rollout, refused in self.refused.items():
            answer = self.answers.get(rollout.split("/")[1], "")
            others = {*self.answers.values()} - {answer}
            if len(answer) < SHORTEST or any(_named(each, refused.message) for each in others):
                continue
            is_field = not _named(answer, refused.opening) and field_with(refused.message, answer)
            if shown := is_field or corrected(refused.message, answer, refused.opening):
                yield rollout, shown

    def _numbers(self) -> dict[str, str]:
        policies: defaultdict[str, dict[str, Refused]] = defaultdict(dict)
        for rollout, refused in self.refused.items():
            answer = self.answers.get(rollout.split("/")[1], "")
            if SHORT.fullmatch(answer) and not _named(answer, refused.opening):
                policies[rollout.split("/")[0]][rollout] = refused
        for place in PLACES:
            shown: dict[str, str] = {}
            for rollouts in policies.values():
                at_place = {
                    rollout: excerpt
                    for rollout, refused in rollouts.items()
                    if (excerpt := self._at(place, rollout, refused.message))
                }
                if len(at_place) >= max(FEWEST, NEARLY_ALL * len(rollouts)):
                    shown |= at_place
            if len({self.answers[rollout.split("/")[1]] for rollout in shown}) >= FEWEST:
                return shown
        return {}

    def _at(self, place: int, rollout: str, message: str) -> str:
        """The part of a message around its number at a place, where that is the answer."""
        matches = [*NUMBER.finditer(message)]
        if not -len(matches) <= place < len(matches):
            return ""
        match = matches[place]
        if match[0] != self.answers[rollout.split("/")[1]]:
            return ""
        return message[max(0, match.start() - AROUND) : match.end() + AROUND]


def _reference_answer(transcript: Transcript, reference: str) -> str:
    """The answer of the reference's last reply, or the answer field; empty where that calls a tool,
    where a message has it before, or where the only reply is a number of few digits."""
    replies = [call.reply for call in transcript.calls if call.reply >= 0]
    if not replies or transcript.nodes[replies[-1]].message.get("tool_calls"):
        return ""
    last = plain_text(transcript.nodes[replies[-1]].message.get("content"))
    answer = find_answer(last).answer.strip()
    answer = reference.strip() if reference and _named(reference.strip(), last) else answer
    texts = (
        plain_text(node.message.get("content"))
        for place, node in enumerate(transcript.nodes)
        if place not in replies
    )
    is_searched = 2 <= len(answer) <= LONGEST and answer.casefold() not in OPPOSITES
    is_chance = len(replies) == 1 and SHORT.fullmatch(answer)
    is_shown = any(_named(answer, text) for text in texts)
    return answer if is_searched and not is_chance and not is_shown else ""


def _refusal(transcript: Transcript, at: int) -> Refused | None:
    """The message behind the first reply of a rollout, or the one `at` that number, where it
    refuses; and the messages before it."""
    replies = [call.reply for call in transcript.calls if call.reply >= 0]
    texts = [plain_text(node.message.get("content"))[:SEARCHED] for node in transcript.nodes]
    place = replies[at] if at < len(replies) else len(texts)
    if place + 1 >= len(texts) or not FAILED.search(texts[place + 1]):
        return None
    is_call = transcript.nodes[place].message.get("tool_calls")
    return None if is_call else Refused("\n".join(texts[: place + 1]), texts[place + 1])


def _named(answer: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(answer)}(?!\.?\w)", text, re.IGNORECASE) is not None
