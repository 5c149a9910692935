"""The registry of codes: every entry is complete, and no code has two."""

from envyard.contract.codes import CODES, SUBJECTS
from envyard.contract.findings import finding


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
