"""Does the environment show the answer to a policy that does no work?

A probe's replies earn nothing, so neither a tool's result nor the next message of a user should
contain the task's answer while the policy may still reply.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from envyard.contract.probes import ORACLE, PROBES
from envyard.contract.transcript import Transcript
from envyard_runner.conversation_checks.answers_in_results import (
    corrected,
    entry_in,
    field_with,
    only_value_of_its_form,
    presents,
)
from envyard_runner.conversation_checks.odd_entries import odd_entry
from envyard_runner.conversation_checks.refused_replies import RefusedReplies
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.junk_calls import (
    results_for_junk,
    results_for_unknown_keys,
    results_for_wrong_values,
)
from envyard_runner.probing.named_calls import is_named_call
from envyard_runner.probing.page_calls import is_page_call
from envyard_runner.probing.submitted_answers import is_submitted, known_answer

SHORTEST, LONGEST = 4, 2_000  # characters of an answer; a shorter one is there by chance
KEPT = 100  # rollouts of several calls whose task's answer is not known before all have ended
AROUND = 60  # characters of an excerpt before and behind the answer
SHORT, NUMBER = re.compile(r"-?\d{1,3}"), re.compile(r"(?<![\w.])-?\d++(?![\w.]*\w)")
FEWEST_SHORT, NEARLY_ALL = 4, 0.9  # different short answers, and the share of rollouts
FEWEST_GIVEN = 2  # numbers of a question from which a dialogue's last answer may be computed
REPEATED = re.compile(r"\b(?:repeat|remember|recall|memori[sz]e|cop[yi])", re.IGNORECASE)
CANDIDATES = 2  # other answers that the first messages must name


class ShownAnswers:
    """The rollouts of a run in which messages to a probe that does no work may show the answer.

    Where a task's answer is no field, it is the oracle's reply if that is the only one of its
    rollout, or the last one if it is a number that no message of that rollout has: a policy that
    plays several turns may rightly be shown its next move.
    """

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._kept: dict[str, Transcript] = {}
        self._answers: dict[str, str] = {}
        self._short = ShortAnswers()
        self._refused = RefusedReplies()

    def add(self, record: Record, reference: str, field: str = "") -> None:
        """Read a rollout that ended; `reference` is what the task's reference replies with if that
        is a field, `field` the field even where an oracle() replies; empty where it has none."""
        transcript, task = record.recorder.transcript, record.rollout.split("/")[1]
        self._short.add(record, reference or field)
        self._refused.add(record, reference or field)
        if record.policy == ORACLE and is_submitted(transcript.messages, field):
            self._answers.setdefault(task, _searched(field))
        elif record.policy == ORACLE:
            self._answers.setdefault(task, _last_answer(transcript))
        elif not _does_no_work(record.policy) or len(transcript.calls) < 2:
            return
        elif reference and (excerpt := shown_answer(transcript, _searched(reference))):
            self._shown[record.rollout] = excerpt
        elif len(self._kept) < KEPT:
            self._kept[record.rollout] = transcript
            if reference:
                self._answers.setdefault(task, _searched(reference))

    @property
    def excerpts(self) -> dict[str, str]:
        """The excerpts by rollout; none of a message that shows another task's answer too, as a
        list of all options does."""
        shown = self._shown | self._short.excerpts | self._refused.excerpts
        for rollout, transcript in self._kept.items():
            answer = self._answers.get(rollout.split("/")[1], "")
            others = {*self._answers.values()} - {answer, ""}
            excerpt = shown_answer(transcript, answer) or named_candidate(
                transcript, answer, others
            )
            if excerpt and not any(shown_answer(transcript, other) for other in others):
                shown[rollout] = excerpt
        return shown


class ShortAnswers:
    """Numbers of few digits, which a message may have by chance: they count where nearly all
    rollouts are shown theirs as the only new number of the first message behind a reply, and are
    not to repeat it."""

    def __init__(self) -> None:
        self._new: dict[str, tuple[list[str], str]] = {}
        self._answers: dict[str, str] = {}

    def add(self, record: Record, reference: str) -> None:
        """Read a rollout; `reference` is the task's answer field, empty where an oracle() replies,
        whose only reply then counts, or the last one where the prompt has numbers to compute with.
        """
        transcript, task = record.recorder.transcript, record.rollout.split("/")[1]
        replies = [call.reply for call in transcript.calls]
        is_last = bool(replies) and replies[-1] >= 0
        if record.policy == ORACLE and is_last and _is_one_question(transcript):
            reply = transcript.nodes[replies[-1]].message
            reference = reference or plain_text(reply.get("content"))
        elif _does_no_work(record.policy) and len(transcript.calls) > 1:
            self._read(record.rollout, transcript)
        if SHORT.fullmatch(answer := find_answer(reference).answer.strip()):
            self._answers.setdefault(task, answer)

    def _read(self, rollout: str, transcript: Transcript) -> None:
        texts = [plain_text(node.message.get("content")) for node in transcript.nodes]
        replies = {call.reply for call in transcript.calls if call.reply >= 0}
        first = min(replies, default=len(texts))
        later = [place for place in range(first, len(texts)) if place not in replies]
        is_repeated = any(map(REPEATED.search, texts[:first]))
        if not later or is_repeated or len(self._new) >= KEPT:
            return
        known = {number for text in texts[: first + 1] for number in NUMBER.findall(text)}
        text = texts[later[0]]
        new = [*dict.fromkeys(number for number in NUMBER.findall(text) if number not in known)]
        self._new[rollout] = (new, text[: 2 * AROUND])

    @property
    def excerpts(self) -> dict[str, str]:
        """The excerpts by rollout; none where chance may explain them."""
        known = {
            rollout: (self._answers[task], *read)
            for rollout, read in self._new.items()
            if (task := rollout.split("/")[1]) in self._answers
        }
        shown = {name: text for name, (answer, new, text) in known.items() if new == [answer]}
        answers = {known[rollout][0] for rollout in shown}
        enough = len(answers) >= FEWEST_SHORT and len(shown) >= NEARLY_ALL * len(known)
        return shown if enough else {}


def _is_one_question(transcript: Transcript) -> bool:
    """Whether the last reply answers the first messages: the only one, or that of a dialogue which
    begins with FEWEST_GIVEN numbers or more."""
    first = min((call.reply for call in transcript.calls if call.reply >= 0), default=0)
    opening = "\n".join(
        plain_text(node.message.get("content")) for node in transcript.nodes[:first]
    )
    return len(transcript.calls) == 1 or len(NUMBER.findall(opening)) >= FEWEST_GIVEN


def last_answer(record: Record) -> str:
    """What the last reply of a reference marks as its answer; empty where it marks none."""
    messages = record.recorder.transcript.messages
    text = plain_text(messages[-1].get("content")) if messages else ""
    answer = find_answer(text).answer.strip()
    return answer if answer != text.strip() and SHORTEST <= len(answer) <= LONGEST else ""


def _last_answer(transcript: Transcript) -> str:
    """The answer of the oracle's only reply, or the number of its last one; empty where that calls
    tools, or a message has the number."""
    replies = {call.reply for call in transcript.calls}
    last = transcript.nodes[max(replies)].message if replies and min(replies) >= 0 else {}
    answer = "" if last.get("tool_calls") else _searched(plain_text(last.get("content")))
    others = [node.message for at, node in enumerate(transcript.nodes) if at not in replies]
    shown = any(_named(answer, plain_text(message.get("content"))) for message in others)
    alone = len(replies) == 1 or (answer.isdecimal() and not shown)
    return answer if alone else ""


def _does_no_work(policy: str) -> bool:
    probe = PROBES.get(policy)
    return probe is not None and probe.floor is not None and not probe.calls_tools


def _searched(reference: str) -> str:
    """The answer of a reference; empty where it is too short or too common to be searched for."""
    answer = find_answer(reference).answer.strip()
    if not SHORTEST <= len(answer) <= LONGEST or answer.casefold() in OPPOSITES:
        return ""
    return answer


def shown_answer(transcript: Transcript, answer: str) -> str:
    """Where a message contains the answer, which neither the first messages nor the replies do;
    empty where none does."""
    if not answer:
        return ""
    pattern = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    return _excerpt(transcript, pattern)


def named_candidate(transcript: Transcript, answer: str, others: Collection[str]) -> str:
    """Where a later message names the answer alone of the candidates that the first messages list;
    empty where none does, or where these list no others."""
    first = min((call.reply for call in transcript.calls if call.reply >= 0), default=0)
    texts = [plain_text(node.message.get("content")) for node in transcript.nodes]
    opening = "\n".join(texts[:first])
    candidates = [each for each in others if _named(each, opening)]
    if not answer or not _named(answer, opening) or len(candidates) < CANDIDATES:
        return ""
    replies = {call.reply for call in transcript.calls}
    if any(_named(answer, texts[place]) for place in replies if place >= 0):
        return ""
    for place in range(first, len(texts)):
        match = _named(answer, texts[place])
        if match and not any(_named(each, texts[place]) for each in candidates):
            return texts[place][max(0, match.start() - AROUND) : match.end() + AROUND]
    return ""


def _named(answer: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JunkResults:
    """What tools returned to calls whose arguments name nothing, and the task's answer; `listings`
    are the results of all calls, `unknown` those for a key that nothing has. `refusals` are the
    results for wrong values, each with whether that was a code, `prompt` is what came first and
    `question` what the user wrote."""

    answer: str
    results: tuple[str, ...]
    listings: tuple[str, ...] = ()
    unknown: str = ""
    refusals: tuple[tuple[str, bool], ...] = ()
    prompt: str = ""
    question: str = ""

    @classmethod
    def of(cls, record: Record, reference: str, field: str = "") -> JunkResults:
        """Read the whole conversation of a rollout; without a reference its right reply counts, or
        the task's `field` where that marks no answer."""
        right = record.right_answer or {}
        known = "" if right.get("tool_calls") else plain_text(right.get("content"))
        answer = find_answer(reference or known).answer.strip()
        answer = answer if reference else known_answer(known, answer, field)
        messages = record.recorder.transcript.messages
        listings = (
            plain_text(m.get("content"))
            for m in messages
            if m.get("role") == "tool"
            and not is_page_call(m.get("tool_call_id"))
            and not is_named_call(m.get("tool_call_id"))
        )
        question, prompt = (
            "\n".join(plain_text(m.get("content")) for m in messages if m.get("role") in roles)
            for roles in (("user",), ("user", "system", "developer"))
        )
        unknown = "\n".join(results_for_unknown_keys(messages))
        refusals = tuple(results_for_wrong_values(messages))
        junk = tuple(results_for_junk(messages))
        return cls(answer, junk, tuple(listings), unknown, refusals, prompt, question)

    @property
    def entry(self) -> tuple[str, str]:
        """The word of the question and the piece of an unknown key's result that give the answer;
        empty texts where there is none."""
        return entry_in(self.unknown, self.question, self.answer)

    def presented(self, answer: str) -> str:
        """The excerpt in which a result presents this answer; empty where none does."""
        excerpts = (presents(result, answer) for result in self.results)
        shown = next(filter(None, excerpts), "") or field_with(self.unknown, answer)
        corrections = (
            corrected(result, answer, self.prompt, is_code=is_code)
            for result, is_code in self.refusals
        )
        shown = shown or next(filter(None, corrections), "")
        return shown or only_value_of_its_form(self.unknown, answer, self.prompt)

    @property
    def conspicuous(self) -> str:
        """The only entry of another form in a listing, where it names the answer; else empty."""
        named = re.compile(rf"(?<!\w){re.escape(self.answer)}(?!\w)", re.IGNORECASE)
        odd = (odd_entry(result) for result in self.listings)
        return next((each for each in odd if self.answer and named.search(each)), "")


def _excerpt(transcript: Transcript, pattern: re.Pattern[str]) -> str:
    replies = {call.reply for call in transcript.calls if call.reply >= 0}
    shown = ""
    for place, node in enumerate(transcript.nodes):
        content = plain_text(node.message.get("content"))
        if match := pattern.search(content):
            if place in replies or place < min(replies, default=0):
                return ""
            shown = shown or content[max(0, match.start() - AROUND) : match.end() + AROUND]
    return shown
