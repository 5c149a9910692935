"""Facts of an exception that its traceback's text does not hold: base classes, causes, the call.

Everything in an exception is the environment's: whatever its attributes hold is cut or left out.
"""

from __future__ import annotations

import contextlib
import linecache
import sysconfig
import types
from itertools import islice
from pathlib import Path
from typing import Any

MAX_EXCEPTIONS, MAX_TYPES = 12, 10
OURS = str(Path(__file__).parent)
STANDARD = sysconfig.get_path("stdlib")


def exception_facts(error: BaseException) -> list[dict[str, Any]]:
    """The exception, then the members of a group and what each was raised from, MOST together."""
    waiting: list[BaseException] = [error]
    facts: list[dict[str, Any]] = []
    visited: set[int] = set()
    while waiting and len(facts) < MAX_EXCEPTIONS:
        current = waiting.pop(0)
        if id(current) in visited or not isinstance(current, BaseException):
            continue
        visited.add(id(current))
        facts.append(_facts(current))
        with contextlib.suppress(BaseException):  # a class may make a property of anything
            if isinstance(current, BaseExceptionGroup):
                waiting += current.exceptions
            causes = (current.__cause__, current.__context__)
            waiting += [cause for cause in causes if cause is not None]
    return facts


def message_of(error: BaseException) -> str:
    """Its text, or why there is none."""
    try:
        return str(error)
    except BaseException as broken:
        return f"<its text could not be made: {type(broken).__name__}>"


def _facts(error: BaseException) -> dict[str, Any]:
    """`types` begins with its own class; `name` is the module or file that it names, `call` the
    expression of the environment's own code that was being evaluated, `at` that code's file."""
    facts: dict[str, Any] = {
        "types": [
            f"{cls.__module__}.{cls.__qualname__}"[:200]
            for cls in type(error).__mro__[:MAX_TYPES]
            if cls not in (object, BaseException)
        ],
        "message": message_of(error)[:2_000],
        "group": isinstance(error, BaseExceptionGroup),
    }
    named = _attribute(error, "name") if isinstance(error, ImportError) else ""
    facts["name"] = named or (_attribute(error, "filename") if isinstance(error, OSError) else "")
    with contextlib.suppress(BaseException):
        facts |= _place(error.__traceback__)
    return facts


def _attribute(error: BaseException, name: str) -> str:
    with contextlib.suppress(BaseException):
        value = getattr(error, name, None)
        return str(value[:300]) if isinstance(value, str) else ""
    return ""


def _place(trace: types.TracebackType | None) -> dict[str, str]:
    """The deepest frame of code that is neither ours, nor Python's, nor an installed library's."""
    place: dict[str, str] = {}
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if _is_environments(file):
            at = f"{'/'.join(Path(file).parts[-2:])}:{trace.tb_lineno}"[-300:]
            place = {"call": _expression(trace), "at": at}
        trace = trace.tb_next
    return place


def _is_environments(file: str) -> bool:
    apart = file.startswith((OURS, STANDARD, "<")) or "/site-packages/" in file
    return not apart


def _expression(trace: types.TracebackType) -> str:
    """The source of what the frame was evaluating, on one line."""
    code = trace.tb_frame.f_code
    spans = islice(code.co_positions(), trace.tb_lasti // 2, None)
    first, last, start, end = next(spans, (None, None, None, None))
    if first is None or last is None or start is None or end is None:
        return linecache.getline(code.co_filename, trace.tb_lineno).strip()[:300]
    lines = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if lines:
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
    return " ".join(b"".join(lines).decode("utf-8", "replace").split())[:300]
