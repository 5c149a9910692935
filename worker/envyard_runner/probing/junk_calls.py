"""Tool calls whose arguments name nothing, and the answers that their results present.

A tool that finds nothing has nothing to tell: a result with the field `answer` for an unknown key
comes from the task's own row. Results without such a word may rightly contain the answer, as that
of a search that lists all for an empty query.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.tool_schemas import LOOKUP, SHOWS, acts, name_of, parameters_of

Message = dict[str, Any]

# What a parameter is called without whose right value nothing is done.
SECRET = re.compile(r"code|pin\b|passw|passphrase|combination|secret|guess|answer", re.IGNORECASE)
# Where a code is no secret.
PUBLIC = re.compile(
    r"(?:country|currency|lang(?:uage)?|zip|post(?:al)?|area|region|airport|state|dial(?:ling)?"
    r"|product|item|status|error|source)_?code",
    re.IGNORECASE,
)
WRONG = "wxz-51907"  # beside an identifier that is known
UNKNOWN, UNKNOWN_NUMBER = "zqx-70913", 970_913
JUNK = (UNKNOWN, "", "%", "*", "../")
IDENTIFIER = re.compile(r"id$|number|index|key|row|line|page", re.IGNORECASE)
IDENT = "call_junk"  # with which the ids of such calls begin
MAX_CALLS = 6  # of one round
BARE, MAX_BARE = f"{IDENT}_bare", 3  # with which the ids of calls without arguments begin
PART = f"{IDENT}_part"  # the same of calls with a known identifier and a wrong value
CODE_PART = f"{PART}_code"  # of those in which this value is a code
SHORTEST, LONGEST = 4, 2_000  # characters of an answer
ENTRY_WORD = re.compile(r"[^\W_][\w-]{2,39}")  # by which an entry of a table is known
SEARCHED = 50_000  # of a result
FIELD = r"[\"']?[^\W\d]\w{0,39}[\"']?\s?[:=]\s?"
OBJECT = re.compile(r"[({][^(){}\n]{5,2000}[)}]")  # the text of one, without others in it
WORD = (
    r"(?<![A-Za-z])(?:(?:correct|expected|right|gold|final|true|reference|target)[_ -]?)?"
    r"(?:answer|solution|ground[_ -]?truth|truth|reference|expected|gold)"
    r"(?:[_ -]?(?:answer|value|output|reply))?"
    r"[\\\"']{0,3}\s*[:=]\s*[\\\"'\[({]{0,4}"
)
VALUE = re.compile(WORD + r"(?P<value>[^\\\"'\[\](){}\n,;]{1,200})", re.IGNORECASE)

# What stands before an answer that is known: a comparison says `expected 17, got 1`, and that of an
# assertion `'wxz-51907' != '17'`.
COMPARED = (
    r"\b(?:expected|correct|right|should(?: have)? be(?:en)?|instead of"
    r"|(?:compared|matched|checked) (?:to|with|against)"
    r"|(?:answer|solution|truth|total|value) (?:is|was))[^\w\n]{1,4}"
    rf"|\b(?:{WRONG}|{UNKNOWN})[^\w\n]{{0,3}}(?:[!=]=|\bis not\b|\bisn't\b)[^\w\n]{{1,4}}"
)

FAILED = re.compile(
    r"\b(?:fail\w*|errors?|wrong|incorrect|mismatch\w*|invalid|reject\w*|refus\w*|denied|not|no"
    r"|cannot|is ?n[o']t|does ?n[o']t|unlike|instead|expected|unknown|missing)\b",
    re.IGNORECASE,
)
VALUE_WORD = re.compile(r"(?<![\w.])\w(?:[\w.:/-]{0,60}\w)?")
# A value beside others is one of a list, which shows what there is; `14, not 15` is none.
BESIDE = re.compile(
    r"(?:[,;|/]|\bor\b|\band\b)[ \t]{0,3}[\"'`]?\Z|^[ \t]*[-*\u2022][ \t]{1,3}\Z", re.MULTILINE
)
FURTHER = re.compile(
    r"[\"'`]?[ \t]{0,3}(?:[,;|/]|\bor\b|\band\b)[ \t]{0,3}[\"'`]?(?!(?:not|but|instead|while)\b)\w"
    r"|[\"'`][ \t]{0,3}:",
    re.IGNORECASE,
)
# Parameters that choose what is shown; what they are given is compared with nothing.
CHOOSES = re.compile(
    r"(?:^|_)(?:property|field|attribute|column|metric|aspect|topic|question|query|message|text|kind"
    r"|type|unit|format|what|about)s?(?:_|$)",
    re.IGNORECASE,
)
AROUND = 80  # characters of an excerpt before an answer


def junk_calls(tools: Sequence[Message]) -> list[Message]:
    """Calls of tools that have a text or a number to look for: each tool with an unknown key first,
    then with other arguments that name nothing."""
    calls: list[Message] = []
    for place, junk in enumerate(JUNK):
        for tool in tools:
            arguments = _arguments(tool, junk)
            if any(value in (junk, UNKNOWN_NUMBER) for value in arguments.values()) and not (
                place and UNKNOWN_NUMBER in arguments.values()
            ):
                described = {
                    "name": tool["function"]["name"], "arguments": json.dumps(arguments)
                }  # fmt: skip
                number = f"{IDENT}{len(calls)}"
                calls.append({"id": number, "type": "function", "function": described})
    return calls[:MAX_CALLS]


def partly_known_calls(tools: Sequence[Message], identifier: str) -> list[Message]:
    """Calls of tools that take two values or more: an identifier that the prompt names, and others
    that name nothing, as the text of an error may show what they are compared with. A lookup
    compares nothing, and to act on what the prompt names may be the task, unless that takes a code,
    which then is wrong."""
    calls: list[Message] = []
    for tool in tools:
        arguments = _arguments(tool, WRONG)
        texts = [name for name, value in arguments.items() if value == WRONG]
        takes_code = any(map(SECRET.search, texts[1:]))
        chooses = any(map(CHOOSES.search, texts[1:]))
        if not takes_code and (acts(tool) or chooses or LOOKUP.match(name_of(tool))):
            continue
        if identifier and len(arguments) > 1 and len(texts) > 1:
            arguments[texts[0]] = identifier
            given = {"name": tool["function"]["name"], "arguments": json.dumps(arguments)}
            begin = CODE_PART if takes_code and _opens(tool, texts[1:]) else PART
            ident = f"{begin}{len(calls)}"
            calls.append({"id": ident, "type": "function", "function": given})
    return calls[:MAX_BARE]


def _opens(tool: Message, texts: Sequence[str]) -> bool:
    """Whether a tool does something for who has the code, and returns nothing without it."""
    secret = any(SECRET.search(name) and not PUBLIC.search(name) for name in texts)
    return secret and (acts(tool) or not LOOKUP.match(name_of(tool)))


def bare_calls(tools: Sequence[Message]) -> list[Message]:
    """Calls of tools without parameters that show something, by a word of their names."""
    names = [
        str(function.get("name"))
        for tool in tools
        if isinstance(function := tool.get("function"), dict) and not parameters_of(function)
    ]
    shown = [name for name in names if SHOWS.search(name)][:MAX_BARE]
    return [
        {
            "id": f"{BARE}{place}",
            "type": "function",
            "function": {"name": name, "arguments": "{}"},
        }
        for place, name in enumerate(shown)
    ]


def is_bare_call(call_id: Any) -> bool:
    """Whether this is the id of such a call."""
    return str(call_id).startswith(BARE)


def junk_results(messages: Sequence[Message]) -> Iterator[str]:
    """The results of calls whose arguments name nothing, or that have none."""
    return _results(messages, _is_junk)


def results_for_junk(messages: Sequence[Message]) -> Iterator[str]:
    """The same without those of tools that take no argument: a lookup may rightly be one."""
    return _results(messages, lambda call: _is_junk(call) and not is_bare_call(call.get("id")))


def results_for_wrong_values(messages: Sequence[Message]) -> Iterator[tuple[str, bool]]:
    """The results of calls with an identifier of the prompt and another value that is wrong, and
    whether this value is a code without which nothing is done."""
    for begin, is_code in ((CODE_PART, True), (PART, False)):
        ident = re.compile(rf"{begin}\d+")
        for result in _results(messages, partial(_has_id, ident)):
            yield result, is_code


def _has_id(ident: re.Pattern[str], call: Message) -> bool:
    return ident.fullmatch(str(call.get("id"))) is not None


def results_for_unknown_keys(messages: Sequence[Message]) -> Iterator[str]:
    """The results of calls with a key that nothing has: an empty text may match all."""
    return _results(messages, lambda call: UNKNOWN in str(_given(call)))


def _results(messages: Sequence[Message], chosen: Callable[[Message], bool]) -> Iterator[str]:
    called = [
        call
        for message in messages
        if message.get("role") == "assistant"
        for call in message.get("tool_calls") or ()
        if isinstance(call, dict)
    ]
    ids = {call.get("id") for call in called if chosen(call)}
    for message in messages:
        if message.get("role") == "tool" and message.get("tool_call_id") in ids:
            yield plain_text(message.get("content"))[:SEARCHED]


def presented_value(messages: Sequence[Message]) -> str:
    """The last value that a result of such a call presents as an answer; empty without one."""
    matches = (match for text in junk_results(messages) for match in VALUE.finditer(text))
    values = [match["value"].strip() for match in matches]
    return next((value for value in reversed(values) if value and value not in JUNK), "")


def presents(result: str, answer: str) -> str:
    """The excerpt in which a result presents this answer; empty where it does not."""
    if not 0 < len(answer) <= LONGEST:
        return ""
    words = f"(?:{WORD}|{COMPARED})"
    match = re.search(f"{words}{re.escape(answer)}(?![\\w.]*\\w)", result, re.IGNORECASE)
    return match[0][:200] if match else ""


def corrected(result: str, answer: str, prompt: str, *, is_code: bool = False) -> str:
    """The excerpt in which the refusal of a wrong value has the right answer, which the prompt has
    not, in whatever words; empty where it has none, or in a list of several. A word of refusal is
    no answer that could be known again.

    A refusal has a word for it, or the wrong value beside an answer that is no amount. What a wrong
    code gets is always one."""
    if not SHORTEST <= len(answer) <= LONGEST or FAILED.search(answer):
        return ""
    pattern = re.compile(rf"(?<![\w.]){re.escape(answer)}(?!\.?\w)", re.IGNORECASE)
    match = None if pattern.search(prompt) else pattern.search(result)
    repeats = WRONG in result.casefold() and not answer[0].isdigit()
    if match is None or not (is_code or repeats or FAILED.search(result)):
        return ""
    before = result[max(0, match.start() - AROUND) : match.start()]
    if BESIDE.search(before) or FURTHER.match(result, match.end()):
        return ""
    return result[max(0, match.start() - AROUND) : match.end()].strip()


def only_value_of_its_form(result: str, answer: str, prompt: str) -> str:
    """The excerpt in which the refusal of an unknown key has the answer, a code or number of a form
    that no other word of it has: of a list of what is known, others have the same form. Empty where
    there is none, or the prompt has the answer; a search may return its nearest entry."""
    if not SHORTEST <= len(answer) <= LONGEST or not re.search(r"\d", answer) or answer in prompt:
        return ""
    if not FAILED.search(result[:SEARCHED]):
        return ""
    words = [word for word in VALUE_WORD.findall(result[:SEARCHED]) if UNKNOWN not in word]
    alike = {word for word in words if _form_of(word) == _form_of(answer)}
    if alike != {answer}:
        return ""
    place = result.index(answer)
    return result[max(0, place - AROUND) : place + len(answer)].strip()


def _form_of(word: str) -> str:
    """Its capitals, small letters and digits by kind."""
    return re.sub(r"[^\W\d_a-z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d", "0", word)))


def field_with(result: str, answer: str) -> str:
    """The part of a result in which the answer is the only value of one of several fields in the
    text of an object, as `Sample(label='S-1', mineral='galena')`; empty where there is none. In a
    list of what is known, as `rooms: hall, attic`, further values follow, and a receipt, as
    `code: K-4578`, is no object. A model's own text has no brackets: `name='x' code='1234'`."""
    if not SHORTEST <= len(answer) <= LONGEST:
        return ""
    field = rf"(?<!\w)[^\W\d]\w{{0,39}}=([\"']){re.escape(answer)}\1(?!\w)"
    printed = re.search(field, result[:SEARCHED], re.IGNORECASE)
    if printed and not _has_others(result, printed[0]):
        return printed[0][:200]
    value = rf"{FIELD}[\"']?{re.escape(answer)}[\"']?\s?(?=[)}}]|[,;]\s?{FIELD})"
    for match in OBJECT.finditer(result[:SEARCHED]):
        named = re.search(value, match[0], re.IGNORECASE)
        is_one = named and len(re.findall(FIELD, match[0])) > 1
        if named and is_one and not _has_others(result, named[0]):
            return named[0].strip()[:200]
    return ""


def _has_others(result: str, field: str) -> bool:
    """Whether the name of a field stands in a result again: then it lists several things."""
    name = re.split(r"[\"']?\s?[:=]", field, maxsplit=1)[0].strip("\"'")
    again = rf"(?<!\w){re.escape(name)}[\"']?\s?[:=]"
    return len(re.findall(again, result[:SEARCHED], re.IGNORECASE)) > 1


def entry_in(text: str, prompt: str, answer: str) -> tuple[str, str]:
    """A word of the prompt and the piece of the text in which the answer stands right behind it, as
    in `amber: 10100`; empty texts where there is none. Single characters and short words are no
    answers that could be known again."""
    if not (len(answer) >= SHORTEST or (len(answer) > 1 and answer.isdigit())):
        return "", ""
    words = {word.casefold() for word in ENTRY_WORD.findall(prompt)}
    pattern = rf"(?<![\w-])([^\W_][\w-]{{2,39}})[\"']?[ :=|-]{{1,4}}[\"']?{re.escape(answer)}(?!\w)"
    for match in re.finditer(pattern, text[:SEARCHED], re.IGNORECASE):
        if match[1].casefold() in words:
            return match[1].casefold(), match[0][:200]
    return "", ""


def _arguments(tool: Message, junk: str) -> dict[str, Any]:
    """Junk for each text, an unknown number for each that identifies something, else 1; empty for
    a tool without a name."""
    function = tool.get("function") if name_of(tool) else None
    function = function if isinstance(function, dict) else {}
    parameters = function.get("parameters")
    required = parameters.get("required") if isinstance(parameters, dict) else None
    fields = parameters_of(function)
    names = [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    return {name: _value(name, fields.get(name), junk) for name in names or fields}


def _value(name: str, rules: Any, junk: str) -> Any:
    rules = rules if isinstance(rules, dict) else {}
    if isinstance(rules.get("enum"), list) and rules["enum"]:
        return rules["enum"][0]
    match rules.get("type"):
        case "integer" | "number":
            return UNKNOWN_NUMBER if IDENTIFIER.search(name) else 1
        case "boolean":
            return True
        case "array":
            return []
        case "object":
            return {}
    return junk


def _is_junk(call: Message) -> bool:
    """Whether the arguments name nothing: those of `junk_calls`, or none at all."""
    return str(call.get("id")).startswith(IDENT) or _given(call) in ("", "{}")


def _given(call: Message) -> Any:
    """The arguments of a call as it was written; None where it has none."""
    function = call.get("function")
    return function.get("arguments") if isinstance(function, dict) else None
