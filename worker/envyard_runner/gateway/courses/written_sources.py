"""A wrong value in what the reference writes, and the same where the right value stands.

A verifier that compares two sheets pays a policy that may write both: it makes the right sheet as
wrong as the other. Pure functions of the recorded rollout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.overwritten_files import DIGIT, replaced, with_arguments
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of
from envyard_runner.probing.tool_schemas import name_of, parameters_of

IDENT = "call_source"  # with which the ids of calls that write a source begin
MOST = 3  # sources
# Where the prompt says that something is right or wrong: without that, two sheets may be made
# to agree in any way.
JUDGED = re.compile(
    r"\b(?:right|true|trusted|authoritative|binding|correct\w*|incorrect|wrong\w*|mistakes?|errors?"
    r"|mistyped|typos?|faulty|according to|source of truth)\b",
    re.IGNORECASE,
)
# Where either may be changed.
OPEN = re.compile(
    r"\b(?:either|whichever|no matter which|(?:does not|doesn't) matter|your choice|up to you)\b",
    re.IGNORECASE,
)


def misset(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The recorded replies with another value in the last call that writes into one of several
    containers; None where no call names a container, or the prompt leaves open which is right."""
    return _course(transcript, changes, further=False)


def source_written(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The same, and right behind it the same value in the containers that the reference does not
    write."""
    return _course(transcript, changes, further=True)


def _course(
    transcript: Transcript, changes: Callable[[Any], bool], *, further: bool
) -> Course | None:
    replies, prompt = recorded_replies(transcript), first_prompts(transcript)
    writes = [call for call in calls_of(replies) if changes(call)]
    if not writes or not JUDGED.search(prompt) or OPEN.search(prompt):
        return None
    for call in reversed(writes):
        given = arguments_of(call)
        for container, sources in _containers(transcript, call, writes):
            if changed := _changed(given, container):
                calls = [with_arguments(call, given | changed, str(call.get("id")))]
                for place, source in enumerate(sources if further else ()):
                    copied = given | changed | {container: source}
                    calls.append(with_arguments(call, copied, f"{IDENT}{place}"))
                after = ", ".join(map(written, calls))
                return Course(replaced(replies, call, calls), written(call), after)
    return None


def _containers(
    transcript: Transcript, call: Message, writes: Sequence[Message]
) -> Iterator[tuple[str, list[str]]]:
    """The arguments of a call that name a container, such as a sheet, each with the other
    containers that the reference reads, or that tool or prompt name, and that it does not write."""
    given = arguments_of(call)
    for name, value in given.items():
        if not isinstance(value, str) or len(given) < 2:
            continue
        # One that no call writes is right; a name that differs from call to call is that of a row.
        own = {str(arguments_of(each).get(name)) for each in writes}
        known = dict.fromkeys(_named(transcript, call, name))
        sources = [each for each in known if each not in own]
        if value in known and sources:
            yield name, sources[:MOST]


def _named(transcript: Transcript, call: Message, name: str) -> Iterator[str]:
    """The values of an argument: in calls of other tools, in the schema of this one, and marked
    behind its name in the prompt."""
    tool = str(call["function"].get("name"))
    read = [
        arguments_of(each).get(name)
        for each in calls_of(recorded_replies(transcript))
        if each["function"].get("name") != tool
    ]
    place = transcript.calls[0].tools
    offered = transcript.tools[place] if place >= 0 else []
    rules = [parameters_of(each["function"]).get(name) for each in offered if name_of(each) == tool]
    options = [each.get("enum") for each in rules if isinstance(each, dict)]
    marked = re.findall(
        rf"\b{re.escape(name)}s?[ :]{{1,2}}[`\"'](\w[\w .-]{{0,40}})[`\"']",
        first_prompts(transcript),
        re.IGNORECASE,
    )
    listed = [option for each in options if isinstance(each, list) for option in each]
    yield from (each for each in [*read, *listed, *marked] if isinstance(each, str) and each)


def _changed(given: dict[str, Any], container: str) -> dict[str, Any]:
    """The last argument that is a number, else the last text with a digit, with another last digit;
    empty where there is none beside the name of what is changed, as in a call that deletes a
    row."""
    values = {name: each for name, each in given.items() if name != container}
    numbers = [
        name
        for name, each in values.items()
        if isinstance(each, int | float) and not isinstance(each, bool)
    ]
    texts = [name for name, each in values.items() if isinstance(each, str) and DIGIT.search(each)]
    for name in (*numbers[-1:], *texts[-1:]) if len(values) > 1 or numbers else ():
        text = DIGIT.sub(lambda match: str((int(match[0]) + 1) % 10), str(values[name]))
        return {name: text if isinstance(values[name], str) else type(values[name])(text)}
    return {}
