"""The facts of a failure inside the sandbox: its exceptions, the log, refused addresses.

All of it comes from the process that holds the environment's code: texts are cut, wrong shapes
become empty, and none of it is evidence for whose fault the failure is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from envyard.contract.values import records, text

MAX_ERRORS = 12
LOG_CHARACTERS = 8000
NO_MODULE = re.compile(r"No module named '([\w.]{1,200})'")
BRACKETS = re.compile(r"(?<=[(\[{])() |,? ([)\]}])")  # of a call that stood on several lines
TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The line of a traceback that names an exception; members of a group stand behind bars.
NAMED = re.compile(
    r"^[ |+-]{0,60}((?:\w{1,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Exit|Group|Refusal|Timeout))"
    r"(?:: (.{0,2000}))?$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception: its class and base classes, the module or file that it names, and the call of
    the environment's own code that it came from, each empty where unknown."""

    types: tuple[str, ...]
    message: str = ""
    name: str = ""
    call: str = ""
    at: str = ""
    group: bool = False

    @property
    def kind(self) -> str:
        """Its class without the module."""
        return self.types[0].rpartition(".")[2] if self.types else ""

    @property
    def line(self) -> str:
        """The class and the first line of its text."""
        first = next((line for line in self.message.splitlines() if line.strip(" *")), "")
        return f"{self.kind}: {text(first.strip(), 200)}" if first else self.kind

    def is_a(self, *names: str) -> bool:
        """Whether its class or a base class has one of these names, without modules."""
        return any(name.rpartition(".")[2] in names for name in self.types)

    def comes_from(self, *packages: str) -> bool:
        """Whether its own class is defined in one of these packages."""
        return bool(self.types) and self.types[0].partition(".")[0] in packages

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Raised:
        """Read an untrusted JSON form."""
        types, message = data.get("types"), TERMINAL.sub("", text(data.get("message"), 2000))
        module = NO_MODULE.match(message)
        return cls(
            types=tuple(text(name, 200) for name in types[:MAX_ERRORS])
            if isinstance(types, list)
            else (),
            message=message,
            name=text(data.get("name"), 300) or (module[1] if module else ""),
            call=BRACKETS.sub(r"\1\2", text(data.get("call"), 300)),
            at=text(data.get("at"), 300),
            group=data.get("group") is True,
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """One failure. `raised` has the outermost exception first, then members of its groups and the
    causes; `module` is the environment's own; `refused` are addresses that the sandbox refused."""

    raised: tuple[Raised, ...]
    traceback: str = ""
    log: str = ""
    module: str = ""
    refused: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[Raised, ...]:
        """The exceptions without the groups that only hold others."""
        return tuple(error for error in self.raised if not error.group) or self.raised

    @property
    def call(self) -> Raised | None:
        """The first exception with a call of the environment other than its own `raise`."""
        calls = (
            error for error in self.raised if error.call and not error.call.startswith("raise ")
        )
        return next(calls, None)


def facts_of(
    error: dict[str, Any], *, log: str = "", module: str = "", refused: Sequence[str] = ()
) -> Facts:
    """Read the untrusted error of an event, or of a rollout, whose traceback is all it has."""
    trace = text(error.get("traceback"), 16_000)
    raised = [Raised.from_dict(row) for row in records(error.get("raised"), MAX_ERRORS)]
    if not raised:
        first = Raised.from_dict({"types": [error.get("type")], "message": error.get("message")})
        raised = [first, *_named_in(trace, first)]
    return Facts(tuple(raised), trace, TERMINAL.sub("", log)[-LOG_CHARACTERS:], module,
                 tuple(text(address, 100) for address in refused[:20]))  # fmt: skip


def call_of(facts: Facts) -> str:
    """The environment's own call and its place, as the subject of a sentence."""
    if call := facts.call:
        return f"{text(call.call, 160)} ({call.at})"
    location = next((error.at for error in facts.raised if error.at), "")
    return f"The code at {location}" if location else "The environment"


def _named_in(trace: str, first: Raised) -> list[Raised]:
    """The exceptions that a traceback's text names, the last line first."""
    errors: dict[tuple[str, str], Raised] = {}
    for match in NAMED.finditer(trace):
        kind, message = match[1], match[2] or ""
        group = kind.endswith("Group")
        error = Raised.from_dict({"types": [kind], "message": message, "group": group})
        if error.line != first.line:
            errors[kind, message] = error
    return list(errors.values())[::-1][:MAX_ERRORS]
