"""docs/security.md names a test for every attack, and every attempt is in it."""

from __future__ import annotations

import re
from pathlib import Path

from envyard.contract.codes import CODES
from tests.worker.attacks.test_spying import CONTAINED

ROOT = Path(__file__).parents[3]


def test_the_table_of_attacks_names_what_exists() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = page[page.index("## The attacks") : page.index("## A cgroup")]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert {len(row) for row in rows} == {4}
    sources = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("attacks", "execution", "sandbox")
        for file in (ROOT / "tests" / "worker" / folder).glob("test_*.py")
    )
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    assert {name for name in named if f"def {name}(" not in sources} == set(CONTAINED)
    codes = {code for row in rows for code in re.findall(r"`(\w+\.\w+)`", row[3])}
    assert codes <= set(CODES)
