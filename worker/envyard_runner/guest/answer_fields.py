"""Infer which field of a task's data holds the answer, where no task has an `answer` or oracle().

The field is a guess: the runner believes it only where the verifier pays what the field holds in
some form. docs/decisions/0087 gives the reasons.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from .adapter import FrameworkAdapter, Task

LONGEST = 2_000  # characters of an answer
LONGEST_PROMPT = 20_000  # characters of a prompt that are searched
EVERY = 0.75  # of the tasks have the field
SHOWN = 0.2  # of the tasks may have its value in their prompt, or more where that asks for it
SHOWN_AND_ASKED = 0.6
CONTAINERS = frozenset({"info", "metadata", "meta", "extra", "data"})  # also as JSON
# A word of a field's name that says that the field holds the answer, the surest first.
ANSWER_WORDS = (
    "answer", "gold", "golden", "truth", "expected", "correct", "solution", "target", "reference",
    "label", "secret", "result", "output", "want",
)  # fmt: skip
# Lists under these words hold answers of which each is accepted.
ACCEPTED_WORDS = frozenset({"accepted", "acceptable", "aliases", "alternatives"})
# A field whose name ends with one of these words is about the task, and its value is no answer.
OTHER_WORDS = frozenset(
    {
        "author", "bonus", "budget", "category", "date", "difficulty", "domain", "example", "file",
        "group", "hash", "hint", "id", "idx", "index", "kind", "lang", "language", "length",
        "level", "limit", "message", "messages", "mode", "name", "names", "note", "notes",
        "number", "penalty", "points", "prompt", "question", "row", "rubric", "seed", "source",
        "split", "system", "task", "tests", "tier", "title", "tolerance", "tool", "tools", "topic",
        "turns", "type", "unit", "units", "url", "version", "weight",
    }
)  # fmt: skip
BOUNDS = frozenset({"max", "min", "num", "n"})  # words that such a name begins with


def infer_answers(adapter: FrameworkAdapter, tasks: Sequence[Task]) -> str:
    """Give each task the answer of the field that seems to hold it; that field's path.

    Empty, and nothing is changed, where a task has a reference, where attempts are scored together
    (no form can be tried then), and where no field or more than one qualifies.
    """
    if not tasks or adapter.compares or any(task.reference for task in tasks):
        return ""
    try:
        path, answers = _inferred(adapter, tasks)
    except Exception:  # whatever the fields hold, a guess fails no run
        return ""
    for place, answer in answers.items():
        tasks[place].answer = answer
    return path


def _inferred(adapter: FrameworkAdapter, tasks: Sequence[Task]) -> tuple[str, dict[int, str]]:
    """The path, and the answers by the tasks' places; empty where there is none."""
    prompts = [task.prompt[:LONGEST_PROMPT] for task in tasks]
    columns: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for place, task in enumerate(tasks):
        for path, value in _leaves(adapter.fields(task)):
            sure = _rank(path) is not None or _asks(path, prompts[place])
            if answer := answer_text(path, value, sure=sure):
                columns[path][place] = answer
    asked = {path for path in columns if all(_asks(path, prompts[at]) for at in (0, -1))}
    known = [
        path
        for path, values in columns.items()
        if _qualifies(values, prompts, SHOWN_AND_ASKED if path in asked else SHOWN)
    ]
    path = _best(known, asked)
    return path, columns[path] if path else {}


def _leaves(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    """The fields with their paths; those of objects that are no answer, such as `info`, each for
    itself."""
    leaves = []
    for name, value in fields.items():
        inner = _decoded(value) if name in CONTAINERS else value
        if isinstance(inner, dict) and _rank(name) is None:
            leaves += [(f"{name}.{key}", each) for key, each in inner.items()]
        else:
            leaves.append((name, value))
    return leaves


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def answer_text(path: str, value: Any, *, sure: bool) -> str:
    """The field's value as an answer; empty for what can be none. Several values count only where
    it is sure that they are the answer."""
    words = _words(path)
    if not sure and words and (words[-1] in OTHER_WORDS or words[0] in BOUNDS):
        return ""
    match value:
        case bool():
            text = str(value) if sure else ""
        case str() | int() | float():
            text = str(value)
        case [first, *_] if ACCEPTED_WORDS.intersection(words):
            text = str(first) if isinstance(first, str | int | float) else ""
        case list() | dict() if value and sure:
            text = json.dumps(value, ensure_ascii=False, default=str)
        case _:
            text = ""
    return text if len(text) <= LONGEST else ""


def _asks(path: str, prompt: str) -> bool:
    """Whether the prompt has the field's name as a tag, a key or a label."""
    name = re.escape(path.rsplit(".", 1)[-1])
    return re.search(rf"(?i)<{name}>|[\"'`]{name}[\"'`]|\b{name}:", prompt) is not None


def _qualifies(values: dict[int, str], prompts: Sequence[str], most_shown: float) -> bool:
    """Whether nearly all tasks have the field, not all the same, and few show it in the prompt."""
    shown = sum(len(v) > 2 and v.casefold() in prompts[at].casefold() for at, v in values.items())
    return (
        len(values) >= EVERY * len(prompts)
        and len(set(values.values())) > 1
        and shown <= most_shown * len(values)
    )


def _best(paths: Sequence[str], asked: Collection[str]) -> str:
    """The path whose name is the surest, then one that the prompts ask for; without such a name the
    only one there is."""
    ranks = {path: _rank(path) for path in paths}
    named = {path: rank for path, rank in ranks.items() if rank is not None}
    surest = [path for path, rank in named.items() if rank == min(named.values())]
    left = surest or [path for path in paths if path in asked] or paths
    return left[0] if len(left) == 1 else ""


def _rank(path: str) -> int | None:
    """How sure the name is, from 0; None where no word of it means the answer."""
    words = {*_words(path), *(word.removesuffix("s") for word in _words(path))}
    if words & ACCEPTED_WORDS:
        return 0
    return next((rank for rank, word in enumerate(ANSWER_WORDS) if word in words), None)


def _words(path: str) -> list[str]:
    """The words of the field's own name, whichever way they are joined."""
    name = path.rsplit(".", 1)[-1]
    spaced = "".join(f"_{each}" if each.isupper() else each for each in name)
    return [word for word in spaced.lower().replace("-", "_").split("_") if word]
