"""Does a tool that lists entries page by page omit some that another tool has?

`snoop` calls such a tool for each page. The reference, which knows what the tasks hold, looks
entries up by their codes: one that it gets and no page lists cannot be reached by a policy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE, SNOOP
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.page_calls import LAST, SHOWN_AGAIN, is_page_call, parameters_of
from envyard_runner.probing.submitted_answers import arguments_of, calls_of

Message = dict[str, Any]

CODE = re.compile(
    r"(?<![\w-])(?=[\w-]{0,30}\d)(?=[\w-]{0,30}[A-Za-z])[A-Za-z0-9][\w-]{3,30}(?![\w-])"
)
NO_RESULT = re.compile(
    r"error|\bno\b|\bnot\b|unknown|invalid|fail|refuse|den(?:y|ied)", re.IGNORECASE
)
SEARCHED, KEPT = 20_000, 100  # characters of a result, rollouts


@dataclass(frozen=True, slots=True)
class Lookups:
    """The codes that the reference passed to tools and got something for, one form for all, and
    the names of the tools; `listed` are other codes of that form that these returned."""

    form: str
    codes: frozenset[str]
    tools: frozenset[str]
    listed: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The tool that was called page by page, its results in order, all other results, and the
    tools on offer with the number of their parameters."""

    tool: str
    pages: tuple[str, ...]
    others: tuple[str, ...]
    offered: dict[str, int]


@dataclass(frozen=True, slots=True)
class OmittedEntries:
    """The tool that lists entries, those that it lists and those that it omits."""

    tool: str
    listed: tuple[str, ...]
    omitted: tuple[str, ...]


@dataclass(slots=True)
class ListedPages:
    """The pages that `snoop` read, and the codes that the reference looked up in the same tasks."""

    listings: dict[str, Listing] = field(default_factory=dict)
    lookups: dict[str, Lookups] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        transcript, task = record.recorder.transcript, record.rollout.split("/")[1]
        if record.policy == SNOOP and len(self.listings) < KEPT:
            if (listing := _listing(transcript)) is not None:
                self.listings[record.rollout] = listing
        elif record.policy == ORACLE and (lookups := _lookups(transcript.messages)):
            self.lookups.setdefault(task, lookups)

    @property
    def omitting(self) -> dict[str, OmittedEntries]:
        """By rollout of `snoop`, where its pages list all but a few of the codes."""
        omitting = {}
        for rollout, listing in self.listings.items():
            lookups = self.lookups.get(rollout.split("/")[1])
            if lookups and (omitted := _omitted(listing, lookups)):
                omitting[rollout] = omitted
        return omitting


def _omitted(listing: Listing, lookups: Lookups) -> OmittedEntries | None:
    """None where codes may come from elsewhere, the list's end is unknown, or all are there."""
    known = {listing.tool, *lookups.tools}
    if lookups.listed or any(n and name not in known for name, n in listing.offered.items()):
        return None
    if listing.tool in lookups.tools or any(
        lookups.form in map(_form, _codes(text)) for text in listing.others
    ):
        return None
    *pages, again = listing.pages
    codes = [{each for each in _codes(page) if _form(each) == lookups.form} for page in pages]
    first = codes[0] or codes[1]
    if not first or codes[-1] or again != pages[SHOWN_AGAIN] or not codes[SHOWN_AGAIN]:
        return None
    listed = set().union(*codes)
    omitted = lookups.codes - listed
    if not omitted or len(omitted) >= len(lookups.codes & listed):
        return None
    present = lookups.codes & listed
    return OmittedEntries(listing.tool, (*sorted(present),), (*sorted(omitted),))


def _lookups(messages: Sequence[Message]) -> Lookups | None:
    """None where the codes have several forms, or a prompt names one."""
    calls = [*calls_of(messages)]
    results = _results(messages)
    codes: set[str] = set()
    returned: set[str] = set()
    tools: set[str] = set()
    for call in calls:
        values = [*arguments_of(call).values()]
        result = results.get(str(call.get("id")), "")
        tools.add(str(call["function"].get("name")))
        given = {each for value in values if isinstance(value, str) for each in _codes(value)}
        returned |= _codes(result) - given
        if (
            len(values) == 1
            and str(values[0]).upper() in given
            and result
            and not NO_RESULT.search(result)
        ):
            codes |= given
    forms = {*map(_form, codes)}
    prompts = (m for m in messages if m.get("role") not in ("assistant", "tool"))
    named = {code for m in prompts for code in _codes(plain_text(m.get("content")))}
    if len(forms) != 1 or codes & named:
        return None
    shows_others = bool(forms & {*map(_form, returned)})
    return Lookups(forms.pop(), frozenset(codes), frozenset(tools), shows_others)


def _listing(transcript: Transcript) -> Listing | None:
    results = _results(transcript.messages)
    calls = [*calls_of(transcript.messages)]
    paged = [call for call in calls if is_page_call(call.get("id"))]
    pages = [results.get(str(call.get("id")), "") for call in paged]
    if len(pages) != LAST + 2 or not transcript.calls or (place := transcript.calls[0].tools) < 0:
        return None
    name = str(paged[0]["function"].get("name"))
    others = [
        results.get(str(call.get("id")), "")
        for call in calls
        if str(call["function"].get("name")) != name
    ]
    offered = dict(map(parameters_of, transcript.tools[place]))
    return Listing(name, tuple(pages), tuple(others), offered)


def _results(messages: Sequence[Message]) -> dict[str, str]:
    return {
        str(message.get("tool_call_id")): plain_text(message.get("content"))[:SEARCHED]
        for message in messages
        if message.get("role") == "tool"
    }


def _codes(text: str) -> set[str]:
    return {each.upper() for each in CODE.findall(text)}


def _form(code: str) -> str:
    return re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", code.upper()))
