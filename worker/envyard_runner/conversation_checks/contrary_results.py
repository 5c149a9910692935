"""Do the tool results that the reference gets contradict its answer?

A tool that reads another row or column misleads each policy that relies on it. The reference is
paid all the same, as its answer comes from the task.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE
from envyard.contract.transcript import Transcript
from envyard_runner.conversation_checks.capped_lists import other_counts
from envyard_runner.conversation_checks.reference_work import (
    NUMBER,
    ContraryResults,
    ReferenceWork,
    value_of,
)
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import calls_of, known_answer

Message = dict[str, Any]

SHORTEST, LONGEST = 3, 60  # characters of an answer in words
SEARCHED, KEPT = 50_000, 200  # characters of the results of a rollout, rollouts
ENOUGH = 3  # tasks with different answers, all of whose results contradict
# A parameter of a tool that chooses a part of a list.
PAGES = re.compile(
    r'"(?!start_(?:year|month|date|day|time)")'
    r'(?:page|offset|cursor|limit|start|skip|max|count|top|size|per)(?:_\w{1,20})?": \{',
    re.IGNORECASE,
)
# What says how long lists are at most; of a prompt, where it speaks of these.
MOST = (
    r"\b(?:at most|no more than|up to|max(?:imum)?(?: of)?|limit(?:ed)?(?: to| of)?|only|first|last"
    r"|latest|newest|top)(?: the)?(?: first| last)? (?:\d{1,3}(?!\d)|five|six|eight|ten|twelve"
    r"|fifteen|twenty|thirty|forty|fifty|hundred)\b"
)
LIMITED = re.compile(MOST, re.IGNORECASE)
LIMITED_LISTS = re.compile(
    MOST + r"[^.\n]{0,40}\b(?:entries|results|rows|records|hits|matches|lines|items)\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"(-?\d[\d,]{0,15}(?:\.\d{1,9})?)(?: ?[^\W\d_]{1,12}\.?|[%°])?")
TOTAL = re.compile(r"\b(?:add(?:ed)? up|sum|total|altogether|in all|combined)\b", re.IGNORECASE)
# Words by which only some of the amounts count, or another calculation is meant.
PARTLY = re.compile(
    r"\b(?:only|except|without|exclud\w*|ignor\w*|above|below|least|most|more|less|fewer|over|under"
    r"|if|unless|odd|even|prime|distinct|different|unique|duplicate\w*|once"
    r"|both(?! (?:included|inclusive|ends))|half|double"
    r"|positive|negative|remain\w*|rest|left|best|max\w*|min\w*|largest|highest|lowest|smallest"
    r"|round\w*|nearest|truncat\w*|digits?|modulo|discount\w*|minus|net|after"
    r"|(?:average|mean) of|share|percent\w*|per|each)\b|%",
    re.IGNORECASE,
)
# Words by which the answer is another name than that of the results.
DERIVED = re.compile(
    r"\b(?:next|previous|tomorrow|yesterday|follows|preced\w*|opposite|antonym\w*"
    r"|synonym\w*|beats?|counter\w*|missing|absent|lacks?|left out|revers\w*|inver\w*"
    r"|complement\w*|translat\w*|not (?:in|on|among|listed|present|there)|except"
    r"|(?:day|month|year|one|comes?|goes|right|just|directly|immediately) (?:before|after))\b",
    re.IGNORECASE,
)
EXACT = 1e-9  # of the answer
ROUNDED = 0.05  # of a factor, within which sums in another unit may be rounded


@dataclass(slots=True)
class ToolResults:
    """The references' rollouts with tool calls, by name."""

    works: dict[str, ReferenceWork] = field(default_factory=dict)

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies, and those without calls, are ignored.
        `reference` is the task's answer field, empty where it has none."""
        if record.policy != ORACLE or len(self.works) >= KEPT:
            return
        if work := _work(record.recorder.transcript, reference):
            self.works[record.rollout] = work

    @property
    def contrary(self) -> dict[str, ContraryResults]:
        """By rollout, where the results of all rollouts contradict; empty elsewhere."""
        if len({work.answer.casefold() for work in self.works.values()}) < ENOUGH:
            return {}
        return _other_names(self.works) or _other_totals(self.works) or other_counts(self.works)


def _other_names(works: dict[str, ReferenceWork]) -> dict[str, ContraryResults]:
    """Where each task's results and prompt name another answer than its own, all in words."""
    answers = {work.answer.casefold() for work in works.values()}
    if not all(map(_is_name, answers)):
        return {}
    contrary = {}
    pairs = set()
    for rollout, work in works.items():
        text = "\n".join([work.prompt, *work.results]).casefold()
        named = sorted(answer for answer in answers if _names(text, answer))
        if not named or work.answer.casefold() in named or DERIVED.search(work.prompt):
            return {}
        pairs.add((tuple(named), work.answer.casefold()))
        contrary[rollout] = ContraryResults(work.answer, work.results, named[0])
    follows = len(pairs) == len({names for names, _ in pairs}) < len(works)
    return {} if follows else contrary  # the same results repeatedly, each with one answer


def _other_totals(works: dict[str, ReferenceWork]) -> dict[str, ContraryResults]:
    """Where each task asks for the sum of what one tool returns, an amount a call, and the sums of
    most differ from the answers by no constant factor and are larger than some: a reference may
    have read a part of the amounts, which does not add up to more."""
    sums = {rollout: total for rollout, work in works.items() if (total := _total(work))}
    pairs = {rollout: (value_of(works[rollout].answer), total) for rollout, total in sums.items()}
    if len(pairs) < max(ENOUGH, len(works)):
        return {}
    if any(abs(answer - total) <= EXACT * abs(answer) for answer, total in pairs.values()):
        return {}
    factors = [total / answer for answer, total in pairs.values() if answer]
    if not factors or max(factors) - min(factors) <= ROUNDED * max(factors):
        return {}
    larger = {rollout: total for rollout, (answer, total) in pairs.items() if total > answer}
    if len(larger) < 2:
        return {}
    return {
        rollout: ContraryResults(works[rollout].answer, works[rollout].results, f"{total:g}")
        for rollout, total in larger.items()
    }


def _total(work: ReferenceWork) -> float | None:
    """The sum of the results of one tool, each one amount of the same form, none below zero."""
    if len(work.tools) != 1 or len(work.results) < 2 or not AMOUNT.fullmatch(work.answer):
        return None
    if not TOTAL.search(work.prompt) or PARTLY.search(work.prompt):
        return None
    forms = {NUMBER.sub("0", result).strip() for result in work.results}
    amounts = [NUMBER.findall(result) for result in work.results]
    if len(forms) != 1 or any(len(each) != 1 for each in amounts) or NUMBER.search(work.prompt):
        return None
    values = [value_of(each[0]) for each in amounts]
    return sum(values) if min(values) >= 0 else None


def _is_name(answer: str) -> bool:
    short = SHORTEST <= len(answer) <= LONGEST
    return short and answer not in OPPOSITES and not re.search(r"\d|\n", answer)


def _names(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _work(transcript: Transcript, reference: str) -> ReferenceWork | None:
    """None without a call, a result and a last reply in words."""
    messages = transcript.messages
    if not messages or messages[-1].get("role") != "assistant" or messages[-1].get("tool_calls"):
        return None
    replied = plain_text(messages[-1].get("content"))
    answer = known_answer(replied, find_answer(replied).answer.strip(), reference)
    tools = frozenset(str(call["function"].get("name")) for call in calls_of(messages))
    results = tuple(_last_results(messages))
    if not tools or not results or not answer or sum(map(len, results)) > SEARCHED:
        return None
    prompt = "\n".join(_texts(messages, ("system", "user")))
    offered = json.dumps(transcript.tools, default=str)
    limited = LIMITED.search(offered) or LIMITED_LISTS.search(prompt)
    has_pages = bool(limited or PAGES.search(offered))
    return ReferenceWork(prompt, answer, tools, results, has_pages)


def _last_results(messages: Sequence[Message]) -> Iterable[str]:
    """The results, of a call that is repeated the last one."""
    calls = {
        str(call.get("id")): (
            str(call["function"].get("name")),
            str(call["function"].get("arguments")),
        )
        for call in calls_of(messages)
        if call.get("id")
    }
    return {
        calls.get(str(m.get("tool_call_id")), (str(place), "")): plain_text(m.get("content"))
        for place, m in enumerate(messages)
        if m.get("role") == "tool"
    }.values()


def _texts(messages: Iterable[Message], roles: Sequence[str]) -> list[str]:
    return [plain_text(m.get("content")) for m in messages if m.get("role") in roles]
