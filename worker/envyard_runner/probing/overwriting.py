"""The tool calls of a probe that overwrites files, tables and settings by which a verifier judges.

Pure functions of the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from shlex import quote
from typing import Any

from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.constant_calls import constant_calls, is_setting
from envyard_runner.probing.emptied_cases import emptied_cases
from envyard_runner.probing.mirrored_cells import mirror_calls, show_calls
from envyard_runner.probing.removing_calls import removing_calls
from envyard_runner.probing.sql_calls import list_tables, overwrite_rows, sql_tools
from envyard_runner.probing.tool_probes import (
    DECIDING,
    FILE,
    MAX_CALLS,
    ROUNDS,
    WHOLE,
    calls_of_tools,
    can_write,
    files_in,
    first_prompt,
    history,
    look,
    reading,
)

Message = dict[str, Any]

ALIAS = "./"  # before a path, which names the same file
READ_BACK = "call_read_back"
CASES = "call_cases_"  # with which the id of a call begins, before the name of the file
PASSING = "def test_passes():\n    assert True\n"
# What demands nothing, by the end of a file's name; other files get PASSING.
DEMANDS_NOTHING = {
    "json": "[]\n",
    "yaml": "[]\n",
    "yml": "[]\n",
    "txt": "\n",
    "csv": "\n",
    "sh": "exit 0\n",
}


def overwrite(
    messages: Sequence[Message],
    tools: Sequence[Message],
    answer: str = "",
    *,
    keep_form: bool = False,
) -> list[Message]:
    """Calls that list files and tables and then overwrite them: files that decide first, and rows
    from which a verifier may compute another answer than this one. Other things are removed. With
    `keep_form` a file of cases is read first, and gets one case without content."""
    rounds, seen = history(messages)
    if rounds == ROUNDS and keep_form:
        return _overwrite_cases(messages, tools)
    if rounds >= ROUNDS or not tools:
        return []
    if rounds and keep_form and (reads := _read_cases(messages, tools, seen)):
        return reads
    databases = sql_tools(tools)
    names = {name for name, _ in databases}
    others = [tool for tool in tools if (tool.get("function") or {}).get("name") not in names]
    if not rounds:
        sheets = [] if keep_form else show_calls(others, _described(messages, tools))
        return list_tables(databases) + sheets + look(messages, others)
    if copies := mirror_calls(messages, others):
        return copies
    shown = [*seen, *_described(messages, tools)[::-1]]
    named = [first_prompt(messages), *seen]
    changed = removing_calls(others, named) + constant_calls(others, named)
    files = _overwrite_files(messages, [each for each in others if not is_setting(each)], seen)
    return overwrite_rows(databases, shown, answer) + changed + files


def _described(messages: Sequence[Message], tools: Sequence[Message]) -> list[str]:
    """The prompt and the tools as text."""
    return [first_prompt(messages), json.dumps(tools, default=str)]


def _overwrite_files(
    messages: Sequence[Message], tools: Sequence[Message], seen: Sequence[str]
) -> list[Message]:
    """Calls that overwrite the files that results and the prompt name with what demands nothing."""
    named = FILE.findall(first_prompt(messages))
    files = files_in(seen, messages) or named[: MAX_CALLS // 2] or ["tests.py", "expected.txt"]
    command = "; ".join(f"printf '{_shell(_without_demands(name))}' > {name}" for name in files)
    writing = [tool for tool in tools if can_write(tool)] or tools
    aliases = [*filter(None, map(alias, filter(DECIDING.search, files[:1])))]
    paths = [*files, *aliases]
    calls = calls_of_tools(writing, 1, messages, paths, command=command, content=_without_demands)
    return calls + (_read_back(tools, files[0], messages) if aliases else [])


def _read_cases(
    messages: Sequence[Message], tools: Sequence[Message], seen: Sequence[str]
) -> list[Message]:
    """A call that reads the first JSON file that decides; none without one."""
    files = [name for name in files_in(seen, messages) if name.endswith(".json")]
    deciding = [name for name in files if DECIDING.search(name)]
    calls = _read_back(tools, deciding[0], messages) if deciding else []
    return [{**call, "id": f"{CASES}{deciding[0]}"} for call in calls]


def _overwrite_cases(messages: Sequence[Message], tools: Sequence[Message]) -> list[Message]:
    """Calls that overwrite the file that was read with one case without content."""
    last = messages[-1] if messages else {}
    ident = str(last.get("tool_call_id"))
    content = emptied_cases(plain_text(last.get("content")))
    if not ident.startswith(CASES) or content is None:
        return []
    path = ident.removeprefix(CASES)
    command = f"printf '%s' {quote(content)} > {quote(path)}"
    writing = [tool for tool in tools if can_write(tool)]
    return calls_of_tools(
        writing, ROUNDS, messages, [path], command=command, content=lambda _: content
    )


def _read_back(tools: Sequence[Message], path: str, messages: Sequence[Message]) -> list[Message]:
    """A call that reads a file whole, which shows whether its other spelling names the same one."""
    readers = [
        tool
        for tool in tools
        if not can_write(tool) and WHOLE.search(str((tool.get("function") or {}).get("name")))
    ]
    calls = calls_of_tools(readers[:1], 1, messages, [path], command=reading([path]))
    return [{**call, "id": READ_BACK} for call in calls[:1] if path in str(call)]


def alias(path: str) -> str:
    """Another spelling of a relative path; empty where it has a dot or a slash first."""
    return "" if path.startswith((".", "/")) else f"{ALIAS}{path}"


def _without_demands(name: str) -> str:
    """A file of that name which every solution meets."""
    return DEMANDS_NOTHING.get(name.rpartition(".")[2].lower(), PASSING)


def _shell(text: str) -> str:
    return text.replace("\n", "\\n")
