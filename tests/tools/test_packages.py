"""Each package states in its docstring what it contains and what it may import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hub", "registry", "frontend", "cli/envyard", "worker/envyard_runner", "benchmarks")
PACKAGES = sorted(
    file
    for folder in FOLDERS
    for file in (ROOT / folder).rglob("__init__.py")
    if "env_template" not in file.parts
)


@pytest.mark.parametrize("file", PACKAGES, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_package_docstring_states_its_imports(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    contents, _, _ = docstring.partition(".")
    assert contents, "no sentence that states what the package contains"
    assert "import" in docstring.lower(), "no statement of what the package may import"
