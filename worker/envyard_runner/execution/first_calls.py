"""What the first calls of a survey's references show: the answer itself, in words that present it,
in a tool's description or as a worked example."""

from __future__ import annotations

import re
from collections.abc import Mapping

from envyard.contract.task_texts import MAX_INDICES
from envyard.contract.values import text
from envyard_runner.conversation_checks.answers_in_results import entry_in
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.survey.examples import Examples
from envyard_runner.survey.known_answers import KnownAnswers
from envyard_runner.survey.leaks import leak_in, tool_texts

SEARCHED = 100  # prompts that are searched for worked examples
ENTRIES = 3  # keys with their answers in the descriptions of tools
LONGEST_REPLY = 400
# What the prompt shows is to be repeated, whatever word stands before it.
COPY = re.compile(
    r"\b(?:copy|repeat|echo|reproduce|transcribe|(?:re)?type) (?:back )?"
    r"(?:the|this|it|what|every)\b"
    r"(?! (?:\w+ )?(?:answer|format|form|tag|key|label|result|solution|template|number)s?\b)"
    r"[^.\n]{0,80}\b(?:exactly|verbatim|unchanged|as it (?:is|stands)"
    r"|(?:word|character|letter) (?:for|by))\b",
    re.IGNORECASE,
)


class FirstCalls:
    """The first calls of references that were played; their replies are added to `answers`."""

    def __init__(self, answers: KnownAnswers) -> None:
        self._answers = answers
        self._leaks: dict[int, str] = {}
        self._entries: dict[int, tuple[str, str]] = {}  # of tools' descriptions
        self._examples = Examples()

    def add(self, task: int, played: Record) -> None:
        """Read one rollout; raises IndexError where it has no call."""
        transcript = played.recorder.transcript
        first = transcript.calls[0]
        sent = [transcript.nodes[at].message for at in transcript.path(first.asked)]
        texts = [plain_text(message.get("content")) for message in sent]
        reply = plain_text((played.reference or {}).get("content"))
        described: list[str] = []
        if first.tools >= 0:
            self._answers.tools = True
            described += tool_texts(transcript.tools[first.tools])
            answer = find_answer(reply).answer.strip()
            self._entries[task] = entry_in("\n".join(described), "\n".join(texts), answer)
        self._answers.add(task, text(reply, LONGEST_REPLY), replies=played.replies)
        messages = [
            (str(message.get("role")), each) for message, each in zip(sent, texts, strict=True)
        ]
        self._answers.instructions |= {each for role, each in messages if role != "user"}
        self._examples.add(task, messages, reply)
        copies = any(map(COPY.search, texts))
        if not copies and (leak := leak_in("\n".join([*texts, *described]), reply)):
            self._leaks[task] = leak

    @property
    def leaks(self) -> dict[int, str]:
        """The tasks whose answer is presented, each with an excerpt."""
        entries = {task: each for task, each in self._entries.items() if each[0]}
        if len({word for word, _ in entries.values()}) < ENTRIES:
            return self._leaks
        return {**self._leaks, **{task: entry for task, (_, entry) in entries.items()}}

    def examples(self, prompts: Mapping[int, str]) -> dict[int, str]:
        """The tasks that a worked example is, each with an excerpt; the prompts of tasks that were
        not played are searched too, where these are all that a policy is shown."""
        more = self._answers.instructions or self._answers.tools
        searched = {} if more else self._answers.all
        for task, reply in [*searched.items()][:SEARCHED]:
            self._examples.add(task, [("user", prompts.get(task, ""))], reply)
        return dict(sorted(self._examples.leaks.items())[:MAX_INDICES])
