"""What is installed beside an environment, and what is started for it."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement

from envyard_runner.frameworks import FRAMEWORKS
from envyard_runner.inside import play
from envyard_runner.inside.job import InsideJob

verifiers = FRAMEWORKS["verifiers"]


@pytest.mark.parametrize(
    ("api", "version", "fits"),
    [
        ("v1", "0.4.0", True),
        ("v1", "0.4.9", True),
        ("v1", "0.3.1", False),
        ("v1", "0.5.0", False),
        ("v0", "0.3.1", True),
        ("v0", "0.4.0", False),
    ],
)
def test_an_api_gets_only_releases_that_have_it(api: str, version: str, fits: bool) -> None:
    bound = Requirement(verifiers.requirements(api)[0])
    assert bound.name == "verifiers"
    assert bound.specifier.contains(version) is fits


def test_classic_environments_get_the_library_their_rows_live_in() -> None:
    assert "datasets" in verifiers.requirements("v0")


def test_the_program_lies_where_our_files_are_mounted() -> None:
    assert verifiers.program("/inside") == ["-I", "-S", "/inside/main.py"]


def test_a_framework_that_nobody_plays_is_named() -> None:
    job = InsideJob(framework="chess", api="v9", module="m", tasks=1)
    with pytest.raises(ValueError, match="'chess' with api 'v9'"):
        play.framework(job)
