"""Calls that copy what a task is to repair over what it is compared with.

A workbook has sheets, and a verifier may compare one of them with another that tools can write as
well. Pure functions of texts, tools and the conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.constant_calls import KEY, SETTING, VALUE
from envyard_runner.probing.tool_probes import first_prompt
from envyard_runner.probing.tool_schemas import SHOWS, name_of, parameters_of

Message = dict[str, Any]

HOLDER = re.compile(
    r"^(?:sheet|table|tab|section|document|register|book|ledger|page|form)(?:_name)?$"
)
KEYS = re.compile(rf"{KEY.pattern}|^(?:ref|reference|row|line)$")
# Where such a copy is the task itself.
COPIES = re.compile(
    r"\b(?:cop(?:y|ies)|mirror|duplicate|transfer|synchroni|carry over|fill|enter|populate"
    r"|consolidate|summari[sz]e|compile|(?:complete|build|create) (?:the|a|an|another) )",
    re.IGNORECASE,
)
# Words of a prompt in which something that exists is judged; what is to be written has none.
JUDGED = re.compile(
    r"\b(?:repair|fix|correct|mend|debug|wrong|broken|faulty|bugs?|mistakes?|errors?|differs?|differ"
    r"ence|disagree|mismatch|reconcile|balance|agrees?|match(?:es)?|compared?|checked|not yours)\b",
    re.IGNORECASE,
)
REPAIRED = r"\b(?:repair|fix|correct|mend|debug|change|edit|adjust|update)\b[^.?!\n]{0,120}"
LONGEST_NAME = 40
CELL = re.compile(
    r"^[ \t|>-]{0,8}(?!error\b)([A-Za-z]{1,12}[\w.-]{0,20})[ \t]{0,4}[:=|][ \t]*(\S[^\n]{0,80})$",
    re.MULTILINE,
)
COMPUTED = re.compile(r"^(\S[^\n]{0,60}?)[ \t]{1,8}(?:->|→|=>)[ \t]*(\S+)$")
NAMES = r"s?[ :]{1,2}[`\"'(]?([A-Za-z]\w{0,30})(?: (?:or|and) ([A-Za-z]\w{0,30})\))?"
SHOW = "call_show_"  # with which the id of a call begins, before the name of the holder
MAX_NAMES, MAX_CALLS, SEARCHED = 5, 24, 20_000


def show_calls(tools: Sequence[Message], texts: Sequence[str]) -> list[Message]:
    """A call that shows each sheet that the texts name; none where no tool writes into a cell of a
    sheet, or where the first text asks for a copy or for nothing that would be judged."""
    prompt = texts[0] if texts else ""
    if not any(True for _ in _writers(tools)) or COPIES.search(prompt) or not JUDGED.search(prompt):
        return []
    calls = []
    for tool in tools:
        fields = [*parameters_of(tool["function"])] if name_of(tool) else []
        if len(fields) == 1 and HOLDER.match(fields[0]) and SHOWS.search(name_of(tool)):
            for named in _holders(fields[0], texts):
                given = json.dumps({fields[0]: named})
                function = {"name": name_of(tool), "arguments": given}
                calls.append({"id": f"{SHOW}{named}", "type": "function", "function": function})
    return calls


def mirror_calls(messages: Sequence[Message], tools: Sequence[Message]) -> list[Message]:
    """Calls that write the cells of the first shown sheet into each other one: by their names, or
    by their rows where that one was shown with other cells. The first one is that which the prompt
    wants repaired, if it names one; it is never written into, nor is a sheet with formulas."""
    shown = _shown(messages)
    prompt = first_prompt(messages)
    repaired = [name for name in shown if _is_repaired(name, prompt)]
    writer = next(_writers(tools), None)
    source = next((name for name in [*repaired, *shown] if shown[name]), "")
    if writer is None or not source:
        return []
    name, holder, key, value = writer
    calls: list[Message] = []
    others = [each for each in shown if each not in (source, *repaired)]
    for other in [each for each in others if not any(_computed(shown[each]))]:
        for cell, text in _copied(shown[source], shown[other]):
            given = json.dumps({holder: other, key: cell, value: text})
            function = {"name": name, "arguments": given}
            calls.append(
                {"id": f"call_mirror{len(calls)}", "type": "function", "function": function}
            )
    return calls[:MAX_CALLS]


def _shown(messages: Sequence[Message]) -> dict[str, dict[str, str]]:
    """The cells of each sheet that the results of `show_calls` have."""
    cells: dict[str, dict[str, str]] = {}
    for message in messages:
        ident = str(message.get("tool_call_id"))
        name = ident.removeprefix(SHOW)
        is_shown = message.get("role") == "tool" and name != ident and len(name) <= LONGEST_NAME
        if is_shown and len(cells) < MAX_NAMES:
            cells[name] = dict(CELL.findall(plain_text(message.get("content"))[:SEARCHED]))
    return cells


def _is_repaired(name: str, prompt: str) -> bool:
    """Whether a prompt asks for the repair of the sheet of this name."""
    pattern = rf"{REPAIRED}(?<!\w){re.escape(name)}(?!\w)"
    return re.search(pattern, prompt[:SEARCHED], re.IGNORECASE) is not None


def _copied(source: dict[str, str], other: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The cells to write into another sheet, with what the first one shows: its computed values in
    the last cell of each row, or cells of the same names, the last ones first."""
    computed = {_row(cell): match[2] for cell, match in _computed(source)}
    rows = [cell for cell in other if _row(cell) in computed]
    if rows:
        yield from {_row(cell): (cell, computed[_row(cell)]) for cell in rows}.values()
        return
    formulas = {cell: match[1] for cell, match in _computed(source)}
    for cell, text in reversed(source.items()):
        if not other or cell in other:
            yield cell, formulas.get(cell, text)


def _computed(source: dict[str, str]) -> Iterator[tuple[str, re.Match[str]]]:
    """The cells that show a formula and its value."""
    for cell, text in source.items():
        if match := COMPUTED.match(text):
            yield cell, match


def _row(cell: str) -> str:
    return re.sub(r"\D", "", cell)


def _writers(tools: Sequence[Message]) -> Iterator[tuple[str, str, str, str]]:
    """Name, and the parameters for sheet, cell and content, of tools that write one cell."""
    for tool in tools:
        fields = [*parameters_of(tool["function"])] if name_of(tool) else []
        kinds = [[field for field in fields if kind.match(field)] for kind in (HOLDER, KEYS, VALUE)]
        one_each = len(fields) == len(kinds) and all(len(each) == 1 for each in kinds)
        if one_each and SETTING.search(name_of(tool)):
            (holder,), (key,), (value,) = kinds
            yield name_of(tool), holder, key, value


def _holders(noun: str, texts: Sequence[str]) -> list[str]:
    """The names that stand behind the noun: `the sheet Audit`, `a sheet (ledger or control)`."""
    word = noun.removesuffix("_name")
    names: dict[str, None] = {}
    for text in texts:
        for match in re.finditer(rf"\b{word}{NAMES}", text[:SEARCHED], re.IGNORECASE):
            behind = text[match.end() : match.end() + 1]
            listed = match[2] is not None
            for name in filter(None, match.groups()):
                if listed or name[0].isupper() or behind in ("`", '"', "'"):
                    names.setdefault(name)
    return list(names)[:MAX_NAMES]
