"""The forms in which prompts may want an answer, by what they name, quote and show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard_runner.mutation.asked import asked_layouts
from envyard_runner.mutation.examples import surroundings
from envyard_runner.mutation.forms import (
    ANSWER_NAMES,
    ASKED,
    REASONING,
    SURE_NAMES,
    Form,
    items_of,
    parsed,
)
from envyard_runner.mutation.pattern_samples import surroundings_of_groups

MAX_FORMS = 8
FEWEST_NAMED = 2  # of the forms that prompts name, which are the surest
FEWEST_LINES = 2
MOST_TAGS = 20
LINE_LABEL = re.compile(r"^[ \t]*([A-Za-z][\w -]{0,30}?)[ \t]*[:=]", re.MULTILINE)
FORMS_OF_CODE = 3
LONGEST_PROMPT = 40_000  # characters that are searched, from both ends
LONGEST_FIELD = 80  # characters in a tag that describe what goes there; more are data
GAP = "\x00"  # the answer's place while a form is built
TAG = re.compile(r"<([A-Za-z][\w-]{0,30})>")
AGAINST = re.compile(
    r"(?:\bnot\b|n't\b|\bno\b|\bnever\b|\bwithout\b|\binstead of\b)[^.\n]{0,60}"
    r"(?:boxed|<\w+>|####|\bjson\b|\btags?\b|\bmarkup\b|\bformat)",
    re.IGNORECASE,
)
BOXED = re.compile(r"\\+boxed")
JSON_WORD = re.compile(r"\bjson\b|\{\s*[\"']\w+[\"']\s*:", re.IGNORECASE)
KEY = re.compile(r"[\"'`](\w{1,30})[\"'`]\s*:(?:\s*(\d+(?:\.\d+)?))?")
NAMED_KEY = re.compile(
    r"\bkeys?\b[^.\n]{0,20}?[\"'`](\w{1,30})[\"'`](?:[^.\n]{0,20}?[\"'`](\w{1,30})[\"'`])?"
)
LABEL = re.compile(
    r"(?<![\w<])((?:the )?(?:final |correct |your )?(?:answer|solution|result|label|prediction|"
    r"choice|output|verdict|guess|move)(?: is)?\s*(?::|=))",
    re.IGNORECASE,
)
FENCE = re.compile(r"```(\w*)|code (?:block|fence)", re.IGNORECASE)
# A place for the answer in a quoted pattern: <number>, [answer], {answer}, YOUR ANSWER, X, ...
PLACE = (
    r"<[^<>/\n]{1,40}>|\[[^\[\]\n]{1,40}\]|\{\w{1,30}\}|\(your [^()\n]{1,30}\)|"
    r"\b(?:YOUR|THE)[_ ][A-Z_]{2,20}\b|\b(?:ANSWER|NUMBER|LETTER|VALUE|WORD)\b(?!\s*[:=])|"
    r"\b[XYNZ]\b|\.\.\.|…|_{2,}"
)
LABELLED = re.compile(
    r"([A-Za-z][\w ]{0,30}[:=] ?)"
    r"(?:[A-Z]{2,20}(?:[ _][A-Z]{2,20}){0,2}|[$\u20ac\u00a3]?-?\d[\d.,]{0,20}%?|[A-Z][a-z]{1,20})"
)
# A command in capitals with a place for its value, at the beginning of a line or quoted.
COMMAND = re.compile(
    r"(?:^[ \t]{0,8}|[`\"'])([A-Z]{2,12}) (?:[nxNX]\b|<[\w ]{1,30}>)", re.MULTILINE
)
COMMANDS = 4
OWN_LINE = re.compile(r"^[ \t]{0,8}([A-Za-z][\w ]{0,30}[:=] )(\S[^\n]{0,80})$", re.MULTILINE)
OWN_LINES = 200  # that are read
# A label alone, which a prompt quotes, and words of a dialogue with several questions or moves.
LABEL_ALONE = re.compile(r"[A-Za-z][\w ]{0,30}[:=]")
TURNS = re.compile(
    r"\b(?:questions|turns?|moves?|rounds?|steps?|one (?:by one|at a time|after)|in turn"
    r"|(?:each|every|one|per) (?:reply|message|question|item|reading)|next)\b",
    re.IGNORECASE,
)
MOST_TURNS = 20
NEAR = 60  # characters
WANTED_LINE = re.compile(
    r"\b(?:lines?|forms?|formats?|ends?|ending|repl(?:y|ies)|answers?|write|finish|state|name"
    r"|as in)\b"
    r"(?:[^.?!\n]|\n(?!\n))*\Z",
    re.IGNORECASE,
)
QUOTED = re.compile(r"`([^`\n]{2,90})`|\"([^\"\n]{2,90})\"|'([^'\n]{2,90})'")
BEHIND_COLON = re.compile(
    r"(?:form|format|formatted|exactly|with|as|line|like(?: this)?)\s*:\s*\n?[ \t]*(\S[^\n]{0,89})",
    re.IGNORECASE,
)
BARE = Form()
USUAL = (
    Form("<answer>", "</answer>"),
    Form("\\boxed{", "}"),
    Form("Answer: "),
    Form("#### "),
    Form('{"answer": ', "}", "text"),
    Form("```\n", "\n```"),
)


def candidates(
    prompts: Iterable[str], answer: str = "", constants: ScoringConstants = NO_CONSTANTS
) -> list[Form]:
    """The MAX_FORMS forms to try: what the prompts name, the bare answer, the forms of examples in
    the prompts, the bare answer in a format that they ask for, those that the scoring code reads,
    and the usual ones.

    A bare `answer` that already has a named form stays first.
    """
    text = "\n".join(_searched(prompt) for prompt in prompts)
    named = list(dict.fromkeys([*_of_lines(text, answer), *_named(text)]))
    if any(form.before.strip() and form.before.strip() in answer for form in named):
        named.insert(0, BARE)
    named = [*_of_several(parsed(answer), named), *named]
    shown = [Form(before, after) for before, after in surroundings(text, answer)]
    shown += [Form(layout=layout) for layout in asked_layouts(text, answer)]
    if TURNS.search(text) and 1 < len(items_of(answer)) <= MOST_TURNS:
        around = next((form for form in named if not form.layout), BARE)
        if any(f"[{item}]" in text for item in items_of(answer)):
            around = Form("[", "]")
        shown.append(replace(around, layout="turns"))
    read = list(islice(_read(constants, [*named, *shown, *USUAL]), FORMS_OF_CODE))
    # The bare answer and a usual form are always tried.
    room = max(FEWEST_NAMED, MAX_FORMS - 2 - len(shown) - len(read))
    return list(dict.fromkeys([*named[:room], BARE, *shown, *read, *USUAL]))[:MAX_FORMS]


def _read(constants: ScoringConstants, known: list[Form]) -> Iterator[Form]:
    """Forms that the scoring code reads, without those of `known` labels."""
    labels = {_label(form.before) for form in known}
    read = [*surroundings_of_groups(constants.patterns)]
    read += [(f"{label.rstrip()} ", "") for label in constants.labels]
    for before, after in read:
        if _label(before) not in labels:
            labels.add(_label(before))
            yield Form(before, after)


def _label(before: str) -> str:
    return "".join(before.casefold().split())


def asked_beyond_doubt(prompts: Iterable[str], answer: str) -> list[Form]:
    """The forms of `candidates` that the prompts ask for without a word against them: a box, a tag
    or a key that is called answer, ####, and the formats of `asked`."""
    prompts = list(prompts)
    text = "\n".join(_searched(prompt) for prompt in prompts)
    forms = candidates(prompts, answer)
    named = set(_named(text)) if not AGAINST.search(text) else set()
    value, keys = parsed(answer), KEY.search(text) or NAMED_KEY.search(text)
    if isinstance(value, dict) or (isinstance(value, list) and not keys):
        # The JSON that a prompt wants is the answer itself.
        named = {form for form in named if not form.before.startswith("{")}
    return [form for form in forms if form.layout in ASKED or (form in named and _is_sure(form))]


def _is_sure(form: Form) -> bool:
    openings = [f"<{name}>" for name in SURE_NAMES] + [f'"{name}": ' for name in SURE_NAMES]
    return form.before in ("\\boxed{", "#### ") or form.before.endswith(tuple(openings))


def _of_several(answer: Any, named: list[Form]) -> Iterator[Form]:
    """The forms of an answer of several parts, in the form that the prompts name first."""
    around = next((form for form in named if not form.layout), BARE)
    if isinstance(answer, list):
        yield replace(around, layout="commas")
        yield around
        yield replace(around, layout="lines")
        yield replace(around, layout="first")
    elif isinstance(answer, dict):
        if any(form.before.startswith("<") for form in named):
            yield Form(layout="tags")
        yield BARE


def _searched(prompt: str) -> str:
    if len(prompt) <= LONGEST_PROMPT:
        return prompt
    half = LONGEST_PROMPT // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def _named(text: str) -> Iterator[Form]:
    """The forms that a text asks for, the surest first."""
    yield from _tags(text)
    if BOXED.search(text):
        yield Form("\\boxed{", "}")
    if JSON_WORD.search(text):
        yield from _objects(text)
    if "####" in text:
        yield Form("#### ")
    yield from _patterns(text)
    yield from _labelled_values(text)
    yield from _own_lines(text)
    for label in dict.fromkeys(match[1] for match in LABEL.finditer(text)):
        yield Form(f"{label} ")
    if fence := FENCE.search(text):
        yield Form(f"```{fence[1] or ''}\n", "\n```")
    if "[[" in text:
        yield Form("[[", "]]")
    for command in list(dict.fromkeys(COMMAND.findall(text)))[:COMMANDS]:
        yield Form(f"{command} ")


def _labelled_values(text: str) -> Iterator[Form]:
    """Labels of quoted lines such as `Total: 123.45` or `Quote: AMOUNT`, behind words that ask for
    such a line."""
    for match in QUOTED.finditer(text):
        quoted = next(filter(None, match.groups()))
        line = LABELLED.fullmatch(quoted)
        label = f"{quoted} " if LABEL_ALONE.fullmatch(quoted) else line[1] if line else ""
        if label and WANTED_LINE.search(text[max(0, match.start() - NEAR) : match.start()]):
            yield Form(label)


def _own_lines(text: str) -> Iterator[Form]:
    """Labels of lines of their own, such as `Total: <number> kg` or `Clock: 15:20`, behind words
    that ask for such a line."""
    for match in islice(OWN_LINE.finditer(text), OWN_LINES):
        before = text[max(0, match.start() - 2 * NEAR) : match.start()].rstrip()
        if not WANTED_LINE.search(before):
            continue
        place = re.search(PLACE, match[2])
        start, end = place.span() if place else (0, len(match[2]))
        yield Form(f"{match[1]}{match[2][:start]}", match[2][end:])


def _tags(text: str) -> Iterator[Form]:
    """The answer in a tag that the text names, alone and behind the other tags that it names."""
    names = [name for name in dict.fromkeys(TAG.findall(text)) if _is_field(text, name)]
    if not names:
        return
    ranked = sorted(names, key=_rank)
    answer = ranked[0] if _rank(ranked[0]) < len(ANSWER_NAMES) else names[-1]
    leading = [name for name in names[: names.index(answer)] if _rank(name) == len(ANSWER_NAMES)]
    opening = "".join(f"<{name}>\n{REASONING}\n</{name}>\n" for name in leading)
    yield Form(f"{opening}<{answer}>", f"</{answer}>")
    for name in ranked[1:3]:
        if _rank(name) < len(ANSWER_NAMES):
            yield Form(f"<{name}>", f"</{name}>")


def _of_lines(text: str, answer: str) -> Iterator[Form]:
    """An answer of several lines in the tag that shows lines of these labels."""
    labels = _line_labels(answer)
    if len(labels) < FEWEST_LINES:
        return
    for name in islice(dict.fromkeys(TAG.findall(text)), MOST_TAGS):
        for content in _contents(text, name):
            lines = content.rpartition(f"<{name}>")[2]  # the tag may be named before it is shown
            if _line_labels(lines) == labels and lines.startswith("\n") and lines.endswith("\n"):
                yield Form(f"<{name}>\n", f"\n</{name}>")
                break


def _contents(text: str, name: str) -> Iterator[str]:
    """What stands between each tag and the next end of one."""
    opening, closing = f"<{name}>", f"</{name}>"
    end = 0
    while (start := text.find(opening, end)) >= 0:
        if (end := text.find(closing, start)) < 0:
            return
        yield text[start + len(opening) : end]


def _line_labels(text: str) -> list[str]:
    return [match[1].casefold() for match in LINE_LABEL.finditer(text)]


def _is_field(text: str, name: str) -> bool:
    """Whether a tag asks for content: with long content it holds data of the task."""
    contents = list(_contents(text, name))
    return not contents or min(map(len, contents)) <= LONGEST_FIELD


def _rank(name: str) -> int:
    plain = name.lower().replace("-", "_")
    return ANSWER_NAMES.index(plain) if plain in ANSWER_NAMES else len(ANSWER_NAMES)


def _objects(text: str) -> Iterator[Form]:
    """JSON objects with the keys that the text names; the answer as a number, and as text."""
    shown = {key: float(number) if number else REASONING for key, number in KEY.findall(text)}
    named = {key: REASONING for row in NAMED_KEY.findall(text) for key in row if key}
    keys = [*{**shown, **named}] or ["answer"]
    answer = min(keys, key=lambda key: (_rank(key), -keys.index(key)))
    row = {**named, **shown, answer: GAP}
    before, after = json.dumps(row, ensure_ascii=False).split(json.dumps(GAP))
    yield Form(before, after, "value")
    yield Form(before, after, "text")


def _patterns(text: str) -> Iterator[Form]:
    """Patterns with a place for the answer that the text quotes or has behind a colon."""
    quoted = [next(filter(None, match.groups())) for match in QUOTED.finditer(text)]
    for pattern in [*quoted, *(match[1] for match in BEHIND_COLON.finditer(text))]:
        places = list(re.finditer(PLACE, pattern))
        if not places or not pattern[: places[0].start()].strip():
            continue
        before, after = pattern[: places[0].start()], pattern[places[-1].end() :]
        if not TAG.search(before) and "{" not in before:
            yield Form(before, after.rstrip("`\"'."))
