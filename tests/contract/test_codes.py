"""The registry of codes: every entry is complete, and no code has two."""

import ast
from collections.abc import Iterator
from pathlib import Path

from envyard.contract.codes import CODES, SUBJECTS
from envyard.contract.findings import finding

ROOT = Path(__file__).parents[2]
CODE_FOLDERS = ("registry", "frontend", "hub", "cli/envyard", "worker/envyard_runner")
# Functions and exceptions that take a code as their first argument.
FIRST_ARGUMENT = {"finding", "numbered", "HubError", "unreadable_wheel", "platform_ending"}
KEYWORD = {"Forbidden"}


def test_no_code_has_two_entries() -> None:
    assert len(CODES) == sum(len(subject) for subject in SUBJECTS)


def test_every_fault_of_an_environment_has_a_message_and_a_hint() -> None:
    entries = [entry for entry in CODES.values() if entry.fault == "environment"]
    assert entries
    assert [entry.code for entry in entries if not (entry.message and entry.hint)] == []


def test_a_finding_has_the_severity_of_its_entry_unless_it_gives_one() -> None:
    assert finding("metadata.no_readme").severity == "warning"
    assert finding("metadata.no_readme", severity="error").severity == "error"
    assert finding("wheel.not_a_zip").severity == "error"


def literal_codes() -> Iterator[tuple[str, str]]:
    """The literal code of each call that takes one, with its place."""
    for folder in CODE_FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if not any(f"{name}(" in text for name in FIRST_ARGUMENT | KEYWORD):
                continue
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.Call):
                    continue
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                values = node.args[:1] if name in FIRST_ARGUMENT else []
                if name in FIRST_ARGUMENT | KEYWORD:
                    values += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
                for value in values:
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", value.value


def test_every_literal_code_has_an_entry() -> None:
    codes = list(literal_codes())
    assert len(codes) > 300
    assert [(place, code) for place, code in codes if code not in CODES] == []
