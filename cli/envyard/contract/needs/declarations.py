"""`[tool.envyard]`: what the author states that the environment needs, and about its rewards.

A wheel has no pyproject.toml of its own accord. It is read from MODULE/pyproject.toml where the
wheel has that, else from pyproject.toml at the top, where templates of frameworks include it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envyard.contract import scoring, toml_text
from envyard.contract.findings import Finding, finding
from envyard.contract.needs.kinds import (
    MAX_NAMES,
    Need,
    host_fault,
    is_secret,
    need,
    variable_fault,
)
from envyard.contract.scoring import Scoring

FILE = "pyproject.toml"
MAX_VALUE = 4096  # characters of a variable
LISTS = {"data": "data", "hosts": "host", "secrets": "secret", "images": "machine"}
KEYS = {*LISTS, *scoring.KEYS, "judge", "variables"}


@dataclass(frozen=True, slots=True)
class Declarations:
    """What the wheel declares. `needs` has an entry for each kind that it declares to need, and
    `decided` the kinds about which it declares anything, "nothing" included. `scoring` is None
    where it declares nothing about rewards."""

    needs: tuple[Need, ...] = ()
    decided: frozenset[str] = frozenset()
    variables: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    scoring: Scoring | None = None


def read(members: Mapping[str, bytes], module: str) -> Declarations:
    """The declarations of a wheel, given as member path -> bytes; faults are in `findings`."""
    path = f"{module.replace('.', '/')}/{FILE}"
    path = path if path in members else FILE
    if path not in members:
        return Declarations()
    try:
        table = _table(members[path])
    except (ValueError, RecursionError) as error:
        return Declarations(findings=(_fault(path, f"is not readable as TOML: {error}"),))
    if table is None:
        return Declarations()
    if not isinstance(table, dict):
        return Declarations(findings=(_fault(path, "tool.envyard must be a table"),))
    faults = tuple(_faults(path, table))
    if any(item.severity == "error" for item in faults):
        return Declarations(findings=faults)
    return Declarations(
        needs=tuple(_needs(path, table)),
        decided=frozenset(_decided(table)),
        variables=dict(table.get("variables", {})),
        findings=faults,
        scoring=Scoring.from_dict(table) if table.keys() & set(scoring.KEYS) else None,
    )


def _table(raw: bytes) -> Any:
    tool = toml_text.loads(raw.decode()).get("tool", {})
    return tool.get("envyard") if isinstance(tool, dict) else None


def _decided(table: dict[str, Any]) -> Iterator[str]:
    for key, kind in LISTS.items():
        if key in table:
            yield kind
    if "judge" in table:
        yield "judge"


def _needs(path: str, table: dict[str, Any]) -> Iterator[Need]:
    for key, kind in LISTS.items():
        if names := table.get(key):
            yield need(kind, names, declared=True, where=path)
    if table.get("judge"):
        yield need("judge", declared=True, where=path)


def _faults(path: str, table: dict[str, Any]) -> Iterator[Finding]:
    for key in table.keys() - KEYS:
        yield finding(
            "env.unknown_declaration",
            f"{path}: tool.envyard.{key[:80]} has no meaning; known are {', '.join(sorted(KEYS))}",
            where=path,
        )
    if not isinstance(table.get("judge", False), bool):
        yield _fault(path, "tool.envyard.judge must be true or false")
    for fault in scoring.faults(table):
        yield _fault(path, f"tool.envyard.{fault}")
    for key in LISTS:
        yield from _list_faults(path, key, table.get(key, []))
    yield from _variable_faults(path, table.get("variables", {}))


def _list_faults(path: str, key: str, names: Any) -> Iterator[Finding]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield _fault(path, f"tool.envyard.{key} must be a list of texts")
        return
    if len(names) > MAX_NAMES:
        yield _fault(path, f"tool.envyard.{key} has {len(names)} names; the limit is {MAX_NAMES}")
    rule = {"hosts": host_fault, "secrets": variable_fault}.get(key)
    for name in names if rule else []:
        if rule and (broken := rule(name)):
            yield _fault(path, f"tool.envyard.{key}: {name[:100]!r} {broken}")


def _variable_faults(path: str, variables: Any) -> Iterator[Finding]:
    if not isinstance(variables, dict) or len(variables) > MAX_NAMES:
        yield _fault(path, f"tool.envyard.variables must be a table of at most {MAX_NAMES} names")
        return
    for name, value in variables.items():
        if broken := variable_fault(name):
            yield _fault(path, f"tool.envyard.variables: {name[:100]!r} {broken}")
        if not isinstance(value, str) or len(value) > MAX_VALUE or "\0" in value:
            yield _fault(
                path,
                f"tool.envyard.variables.{name[:100]} must be a text of at most {MAX_VALUE} "
                "characters without NUL",
            )
        elif is_secret(name, value):
            yield _fault(
                path,
                f"tool.envyard.variables.{name[:100]} looks like a key, and wheels and variables "
                "are public; replace that key if it is real, and declare the name under secrets",
            )


def _fault(path: str, message: str) -> Finding:
    return finding("env.bad_declaration", f"{path}: {message}"[:600], where=path)
