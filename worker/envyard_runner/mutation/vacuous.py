"""Answers that hold by containing nothing: a query without rows, a pattern for every text, a
function without a body, code that ends before its tests, an empty list.

A verifier that asks whether all rows of the reply are right, whether all texts match, or whether
a test was printed as failed, pays them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.form_candidates import candidates

SQL_WANTED = re.compile(
    r"\bSQL(?:ite)?\b.{0,400}?\b(?:query|statement)\b|\bSELECT statement\b"
    r"|\b(?:query|statement)\b.{0,400}?\bSQL",
    re.IGNORECASE | re.DOTALL,
)
PATTERN_WANTED = re.compile(r"\bregular expression|\bregexp?\b", re.IGNORECASE)
PYTHON = re.compile(r"\bpython\b", re.IGNORECASE)
CODE_WANTED = re.compile(
    r"\b(?:write|implement|complete|fix|provide)\b.{0,200}?\bpython\b", re.IGNORECASE | re.DOTALL
)
JSON_WANTED = re.compile(
    r"\bJSON[ -](list|array|object)\b|\b(list|array|object)\b[^.\n]{0,40}\bJSON\b", re.IGNORECASE
)
FUNCTION = re.compile(
    r"(?:\bdef|\bfunction(?:\s+(?:named|called))?)\s+[`'\"]?([A-Za-z_]\w{0,60})\s*\(([^()\n]{0,200})\)"
)
QUERY = re.compile(r"\s*(?:SELECT\b.+?\bFROM\b|WITH\s+\w+\s+AS\s*\().*", re.IGNORECASE | re.DOTALL)
DEFINITION = re.compile(r"^(?:async )?def \w+\([^()\n]{0,300}\)[^:\n]{0,100}:[ \t]*$", re.MULTILINE)
# A class of characters, a repeated bracket, or both anchors: what plain text and LaTeX lack.
SOURCE = re.compile(r"\bFROM\s+[\"`\[]?([A-Za-z_]\w*)", re.IGNORECASE)
PATTERN = re.compile(r"\\[dwsDWS](?![A-Za-z])|\[[^\[\]\s]+\][+*{?]|\A\^.*\$\Z")
BLOCK = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
GLOB = re.compile(r"(`?)(?=[^`\s]*\*)[\w.?*/\[\]-]{3,}\1")  # a pattern of a shell
NO_ROWS = "SELECT 1 WHERE 1 = 0"
ANY_TEXT = ".*"
# Code that ends before any test of it: with an error, and as if all had gone well.
ENDS = ("raise RuntimeError('no answer')", "import os\nos._exit(0)")


def vacuous_reply(prompts: Sequence[str], task: int = 0) -> str:
    """The reply that holds nothing, in the form that the prompts ask for; empty where they ask for
    no query, pattern, code or JSON. Code and JSON are others in other tasks."""
    text = "\n".join(prompts)
    function = FUNCTION.search(text) if PYTHON.search(text) else None
    if (function or CODE_WANTED.search(text)) and (variant := task % (1 + len(ENDS))):
        answer = ENDS[variant - 1]
    elif function:
        answer = f"def {function[1]}({function[2]}):\n    return None"
    elif SQL_WANTED.search(text):
        answer = NO_ROWS
    elif PATTERN_WANTED.search(text):
        answer = ANY_TEXT
    elif (wanted := JSON_WANTED.search(text)) and task % 2 == 0:
        empty = "{}" if "object" in wanted[0].casefold() else "[]"
        return f"```json\n{empty}\n```" if "```" in text else empty
    else:
        return ""
    return candidates(prompts)[0].write(answer)


def vacuous_in(reference: str) -> str:
    """The reference with such an answer in its place: in a code block, as all of it, or where it is
    marked; empty where it has another answer."""
    if block := BLOCK.search(reference):
        empty = vacuous_answer(block[1])
        return f"{reference[: block.start(1)]}{empty}{reference[block.end(1) :]}" if empty else ""
    marked = find_answer(reference)
    if marked.before.endswith("["):  # a class of characters, and no mark
        return vacuous_answer(reference.strip())
    empty = vacuous_answer(marked.answer.strip())
    return marked.holding(empty) if empty else ""


def deletion_in(reference: str) -> str:
    """The reference with a statement that deletes the rows of its query's first table in the place
    of the query; empty where its answer is no query."""
    block = BLOCK.search(reference)
    query = block[1] if block else find_answer(reference).answer
    source = SOURCE.search(query)
    if not source or not QUERY.fullmatch(query):
        return ""
    deletion = f"DELETE FROM {source[1]}"  # noqa: S608  (that is the point)
    return reference.replace(query.strip(), deletion)


def vacuous_answer(answer: str) -> str:
    """An answer of the kind of a query, pattern or function that holds nothing; empty for other
    answers."""
    if QUERY.fullmatch(answer):
        query = answer.strip().rstrip(";")
        return f"SELECT * FROM ({query}) AS answer WHERE 1 = 0"  # noqa: S608  (never run here)
    if empty := with_body(answer, "return None"):
        return empty
    if "\n" not in answer and PATTERN.search(answer) and _compiles(answer):
        return ANY_TEXT
    if glob := GLOB.fullmatch(answer):
        return f"{glob[1]}*{glob[1]}"
    return ""


def with_body(code: str, body: str) -> str | None:
    """The first function of the code, or of its block in Markdown, with this body alone; None where
    it defines none."""
    if block := BLOCK.search(code):
        inner = with_body(block[1], body)
        return f"{code[: block.start(1)]}{inner}{code[block.end(1) :]}" if inner else None
    definition = DEFINITION.search(code)
    return f"{definition[0].rstrip()}\n    {body}" if definition else None


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
