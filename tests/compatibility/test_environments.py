"""Environments by other people still get as far as docs/compatibility.md has them.

Runs where ENVYARD_SNAPSHOTS names a folder of their repositories, and with CI=true, where they are
cloned. Each takes half a minute, so no new one begins after SECONDS.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compatibility import evaluate, material, services, table
from tests.compatibility.catalogue import SOURCES, Repository, Source

PAGE = Path(__file__).parents[2] / "docs/compatibility.md"
SECONDS = 900.0
FOLDER = os.environ.get(material.SNAPSHOTS, "")
pytestmark = [
    pytest.mark.compatibility,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not FOLDER and os.environ.get("CI") != "true",
        reason=f"{material.SNAPSHOTS} names no folder of repositories (CI=true clones them)",
    ),
]


@pytest.fixture(scope="module")
def deadline() -> float:
    """When no further environment begins, by the monotonic clock."""
    return time.monotonic() + SECONDS


@pytest.fixture(scope="module")
def served() -> Iterator[services.Services]:
    """The made-up data sets, for all environments."""
    with services.serving(Path(FOLDER) if FOLDER else None) as running:
        yield running


@pytest.fixture(scope="module")
def missing() -> dict[Repository, str]:
    """Why a repository cannot be had, so that it is fetched once only."""
    return {}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.key)
def test_environment_gets_as_far_as_on_the_page(
    source: Source,
    deadline: float,
    served: services.Services,
    missing: dict[Repository, str],
) -> None:
    if time.monotonic() > deadline:
        pytest.skip(f"the {SECONDS:.0f} seconds for environments by other people are used up")
    if why := missing.get(source.repository):
        pytest.skip(why)
    try:
        git = material.git_folder(source.repository, Path(FOLDER) if FOLDER else None)
    except material.NoMaterial as error:
        missing[source.repository] = f"{source.repository.name} cannot be had: {error}"
        pytest.skip(missing[source.repository])

    result = evaluate.evaluate(source, git, served)

    assert result.sentence or result.outcome == evaluate.LISTED
    expected = table.outcomes(PAGE.read_text(encoding="utf-8")).get(source.key)
    if expected in (evaluate.LISTED, evaluate.MEASURED):
        assert result.measured, f"{result.outcome} {result.codes}: {result.sentence}"
    elif expected:
        assert result.measured or result.outcome == expected, f"{result.codes}: {result.sentence}"
