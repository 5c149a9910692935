"""A requirement by URL is answered with the release that has the same commit."""

from __future__ import annotations

import io

import pytest
from packaging.requirements import Requirement

from envyard.contract import checks, wheel
from envyard.contract.frameworks.commits import advice, first_release, path_of
from envyard.contract.frameworks.table import table
from tests.wheels import make_wheel

REPOSITORY = "git+https://github.com/PrimeIntellect-ai/verifiers"
COMMIT = "284a868d6a9022109b749710672a0460e8a996d4"  # between 0.2.0 and 0.2.1


@pytest.mark.parametrize(
    ("address", "beginning"),
    [
        (f"{REPOSITORY}.git@{COMMIT}", "verifiers 0.2.1 is the first release with that commit."),
        (f"{REPOSITORY}@{COMMIT[:9]}", "verifiers 0.2.1 is the first release with that commit."),
        (f"{REPOSITORY.lower()}@v0.3.0#egg=verifiers", "verifiers 0.3.0 is the first release"),
        (f"{REPOSITORY}@{'0' * 40}", "no release of verifiers that this hub knows has that commit"),
        (f"{REPOSITORY}@main", "Runs use verifiers"),
        (REPOSITORY, "Runs use verifiers"),
    ],
)
def test_the_release_of_a_commit_or_tag_is_named(address: str, beginning: str) -> None:
    assert advice(Requirement(f"verifiers @ {address}")).startswith(beginning)


@pytest.mark.parametrize(
    "line",
    [
        f"verifiers @ git+https://github.com/somebody/verifiers@{COMMIT}",
        f"other @ {REPOSITORY}@{COMMIT}",
        f"verifiers @ https://github.com/PrimeIntellect-ai/verifiers/archive/{COMMIT}.zip",
        f"verifiers @ git+file:///tmp/verifiers@{COMMIT}",
    ],
)
def test_a_fork_or_an_archive_has_no_release(line: str) -> None:
    assert advice(Requirement(line)) == ""


def test_a_beginning_that_several_commits_have_names_no_release() -> None:
    assert first_release("verifiers", "284a868") == "0.2.1"
    assert first_release("verifiers", "28") == ""
    assert first_release("verifiers", "") == ""


def test_every_release_of_the_kept_commits_is_in_the_table() -> None:
    assert path_of("verifiers").stat().st_size < 100_000
    known = {str(release.version) for release in table("verifiers").releases}
    assert first_release("verifiers", "v0.2.1") in known


def test_the_refusal_of_a_wheel_names_the_release() -> None:
    line = f"verifiers @ {REPOSITORY}.git@{COMMIT}"
    content = io.BytesIO(make_wheel("my-env", metadata={"Requires-Dist": [line]}))
    parsed = wheel.read(content, filename="my_env-0.1.0-py3-none-any.whl")
    (refused,) = (item for item in checks.run(parsed) if item.code == "metadata.direct_url")
    assert "name a version instead: verifiers 0.2.1 is the first release" in refused.message
