"""A move and the one that undoes it, again and again: before the reference's own course, or until
the end.

A reward that pays each step towards the goal and takes nothing for a step away from it pays such a
policy for standing still. Pure functions of the recorded rollout and of the conversation that
follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

FEWEST_TURNS = 3  # of a reference that has a way to go
BEFORE, UNTIL_END = 4, 60  # pairs of moves
ROUNDS = 2  # pairs after which the environment must send the same
IDENT = "call_fro"  # with which the ids of such calls begin
SHOWN = 40  # characters of a move in words
LONGEST = 2_000  # characters of a reply that is changed, and of a message that is compared
OPPOSITES = {
    "north": "south",
    "northeast": "southwest",
    "northwest": "southeast",
    "east": "west",
    "left": "right",
    "up": "down",
    "upward": "downward",
    "upwards": "downwards",
    "forward": "backward",
    "forwards": "backwards",
    "ahead": "back",
    "clockwise": "counterclockwise",
    "increase": "decrease",
    "raise": "lower",
    "add": "remove",
    "take": "drop",
    "open": "close",
    "n": "s",
    "e": "w",
    "u": "d",
    "l": "r",
}
OPPOSITES |= {undoing: move for move, undoing in OPPOSITES.items()}
OPPOSITES |= {"back": "forward"}
LETTERS = "|".join(word for word in OPPOSITES if len(word) == 1)
WORDS = "|".join(word for word in OPPOSITES if len(word) > 1)
WORD = re.compile(rf"(?<![^\W_])(?:{WORDS})(?![^\W_])", re.IGNORECASE)
LETTER = re.compile(rf"(?<![\w'])(?:{LETTERS})(?![\w'])", re.IGNORECASE)
SIGNED = re.compile(r"(?<![\w.])[+-](?=\d{1,4}(?![\w.]))")
BETWEEN = re.compile(
    r"(?<!\w)(?P<from>\w{1,20})(?P<to>\s(?:to|into|onto)\s|\s?(?:->|\u2192)\s?)(?P<at>\w{1,20})(?!\w)"
)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Tasks in which to stay is the aim, or to go to and fro.
STAYING = re.compile(
    r"\b(?:surviv\w*|alive|balanc\w*|as long as|back and forth|to and fro|there and back"
    r"|alternat\w*|patrol\w*|swing\w*|shuttl\w*|oscillat\w*)\b",
    re.IGNORECASE,
)


def to_and_fro(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The recorded replies, with their first move made, undone and made again some times."""
    move = _first_move(transcript)
    if move is None:
        return None
    place, pair = move
    replies = recorded_replies(transcript)
    course = [*replies[:place], *_repeated(pair, BEFORE), *replies[place:]]
    first, back = map(_described, pair)
    return Course(course, first, f"{BEFORE} times {first}, {back}; then its own course")


def stays(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The first move of the recorded replies and the one that undoes it, until the end."""
    move = _first_move(transcript)
    if move is None:
        return None
    place, pair = move
    replies = recorded_replies(transcript)
    course = [*replies[:place], *_repeated(pair, UNTIL_END)]
    first, back = map(_described, pair)
    return Course(course, first, f"{first}, {back} again and again")


def are_undone(course: Sequence[Message], messages: Sequence[Message]) -> bool:
    """Whether the environment sends the same after each of the first pairs, but for numbers that
    count, such as the turns that are left. `course` are the replies that were given."""
    pairs = _pairs_of(course)
    if pairs is None:
        return False
    place, pair = pairs
    answered = [*_answered(messages)]
    after = answered[place:]
    rounds = min(len(after) // 2, BEFORE)
    if rounds < ROUNDS or any(
        _key(reply) != _key(pair[at % 2]) for at, (_, reply) in enumerate(after[: 2 * rounds])
    ):
        return False
    return all(_are_alike([text for text, _ in after[at : 2 * rounds : 2]]) for at in (0, 1))


def _first_move(transcript: Transcript) -> tuple[int, tuple[Message, Message]] | None:
    """The place of the first reply that another one undoes, and both; None without one, where the
    reference goes back itself, or where the task is to stay."""
    replies = recorded_replies(transcript)
    if len(replies) < FEWEST_TURNS or STAYING.search(first_prompts(transcript)):
        return None
    keys = {_key(reply) for reply in replies}
    for place, reply in enumerate(replies[:-1]):
        if undoing := _undoing(reply):
            return None if _key(undoing) in keys else (place, (reply, undoing))
    return None


def _undoing(reply: Message) -> Message | None:
    """The reply that undoes a move; None where it is not one move."""
    calls = reply.get("tool_calls") or []
    if not calls:
        text = plain_text(reply.get("content"))
        changed = _opposite(text)
        return {"role": "assistant", "content": changed} if changed else None
    if len(calls) != 1:
        return None
    function = calls[0].get("function") or {}
    name, given = str(function.get("name")), str(function.get("arguments"))
    arguments = _opposite_arguments(given)
    name = _opposite(name) or name if arguments is None else name
    if arguments is None and name == function.get("name"):
        return None
    described = {"name": name, "arguments": arguments or given}
    call = {"id": f"{IDENT}_back", "type": "function", "function": described}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def _opposite_arguments(given: str) -> str | None:
    try:
        arguments = json.loads(given)
    except (ValueError, RecursionError):
        return None
    if not isinstance(arguments, dict):
        return None
    changed = {
        name: opposite
        for name, value in arguments.items()
        if (opposite := _opposite_value(value)) is not None
    }
    return json.dumps(arguments | changed) if len(changed) == 1 else None


def _opposite_value(value: object) -> object:
    if isinstance(value, str):
        return _opposite(value) or None
    return -value if type(value) is int and value else None


def _opposite(text: str) -> str:
    """The text with the opposite of its only word for a move, the other sign of its only signed
    number, or the two places of a move exchanged; empty where it has none or several."""
    if len(text) > LONGEST:
        return ""
    for pattern in (WORD, LETTER):
        if matches := [*pattern.finditer(text)]:
            match = matches[0]
            other = _in_case(OPPOSITES[match[0].casefold()], match[0])
            return (
                f"{text[: match.start()]}{other}{text[match.end() :]}" if len(matches) == 1 else ""
            )
    if matches := [*SIGNED.finditer(text)]:
        match = matches[0]
        other = "-" if match[0] == "+" else "+"
        return f"{text[: match.start()]}{other}{text[match.end() :]}" if len(matches) == 1 else ""
    moves = [*BETWEEN.finditer(text)]
    if len(moves) != 1 or moves[0]["from"] == moves[0]["at"]:
        return ""
    move = moves[0]
    back = f"{move['at']}{move['to']}{move['from']}"
    return f"{text[: move.start()]}{back}{text[move.end() :]}"


def _in_case(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


def _repeated(pair: Sequence[Message], times: int) -> Iterator[Message]:
    """The pair again and again; each call has an id of its own."""
    for number in range(times):
        for at, reply in enumerate(pair):
            calls = [
                {**call, "id": f"{IDENT}{number}_{at}"} for call in reply.get("tool_calls") or ()
            ]
            yield {**reply, "tool_calls": calls} if calls else reply


def _pairs_of(course: Sequence[Message]) -> tuple[int, tuple[Message, Message]] | None:
    """Where a course begins to repeat two replies, and both; None where it does not."""
    for place in range(len(course) - 3):
        first, second, third, fourth = map(_key, course[place : place + 4])
        if first == third != second == fourth:
            return place, (course[place], course[place + 1])
    return None


def _answered(messages: Sequence[Message]) -> Iterator[tuple[str, Message]]:
    """What the environment sent after each reply, with the reply."""
    reply: Message | None = None
    sent: list[str] = []
    for message in messages:
        if message.get("role") != "assistant":
            sent.append(plain_text(message.get("content"))[:LONGEST])
            continue
        if reply is not None:
            yield "\n".join(sent), reply
        reply, sent = message, []
    if reply is not None and sent:
        yield "\n".join(sent), reply


def _are_alike(texts: Sequence[str]) -> bool:
    """Whether texts are the same but for numbers that grow, or shrink, by the same each time."""
    if len({NUMBER.sub("0", text) for text in texts}) != 1:
        return False
    rows = [[float(number) for number in NUMBER.findall(text)] for text in texts]
    steps = [
        [round(after - before, 6) for before, after in zip(row, following, strict=True)]
        for row, following in pairwise(rows)
    ]
    return all(step == steps[0] for step in steps)


def _key(reply: Message) -> str:
    """A reply without the ids of its calls."""
    calls = reply.get("tool_calls") or ()
    return "\n".join(map(written, calls)) or plain_text(reply.get("content")).strip()


def _described(reply: Message) -> str:
    return " ".join(_key(reply).split())[:SHOWN]
