"""What is installed beside an environment, by its API and by what it declares."""

from __future__ import annotations

import pytest

from envyard_runner.frameworks import FRAMEWORKS

verifiers = FRAMEWORKS["verifiers"]


@pytest.mark.parametrize(
    ("api", "declared", "added"),
    [
        ("v1", [], ["verifiers>=0.4,<0.5"]),
        ("v1", ["numpy>=2"], ["verifiers>=0.4,<0.5"]),
        ("v1", ["verifiers"], []),
        ("v1", ["Verifiers[modal] >=0.3,<0.4"], []),
        ("v1", ["verifiers; extra == 'train'"], ["verifiers>=0.4,<0.5"]),
        ("v1", ["verifiers; python_version < '3'"], ["verifiers>=0.4,<0.5"]),
        ("v1", ["not a requirement!"], ["verifiers>=0.4,<0.5"]),
        ("v0", ["verifiers>=0.1.9"], ["verifiers<0.4", "datasets"]),
        ("v0", [], ["verifiers<0.4", "datasets"]),
    ],
)
def test_a_framework_is_added_only_where_the_wheel_leaves_it_open(
    api: str, declared: list[str], added: list[str]
) -> None:
    assert verifiers.requirements(api, declared) == added


def test_the_program_lies_where_our_files_are_mounted() -> None:
    assert verifiers.program("/inside") == ["/inside/main.py"]
