"""Entries are well-formed, and the quick ones are judged as expected by a real run.

`make test-zoo` runs all of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envyard.contract.codes import CODES
from envyard.contract.examine import examine
from tests import layers
from tests.zoo import matrix, run
from tests.zoo import wheel as wheels
from tests.zoo.__main__ import planned
from tests.zoo.catalogue import BY_KEY, ENTRIES, chosen
from tests.zoo.entry import Entry
from tests.zoo.evaluate import Judgement, evaluate
from tests.zoo.expected_to_fail import EXPECTED_TO_FAIL

QUICK = [entry for entry in ENTRIES if entry.quick]
SANDBOXED = ("pays-anything", "sums")  # the other quick ones are forked
LISTED = Judgement("listed")


def test_names_are_unique_and_the_zoo_has_both_apis() -> None:
    assert len(BY_KEY) == len(ENTRIES)
    assert {entry.api for entry in ENTRIES} == {"v0", "v1"}
    assert EXPECTED_TO_FAIL.keys() <= BY_KEY.keys()


def test_expected_codes_are_in_the_catalogue() -> None:
    codes = {code for entry in ENTRIES for code in entry.codes}
    assert codes <= CODES.keys()


def test_unknown_name_is_refused() -> None:
    assert [entry.key for entry in chosen(["sums", "pays-anything-v0"])] == [
        "pays-anything-v0",
        "sums-v1",
        "sums-v0",
    ]
    with pytest.raises(KeyError):
        chosen(["no-such-environment"])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_wheel_holds_one_environment_of_its_api(entry: Entry, tmp_path: Path) -> None:
    findings, detection = examine(wheels.write(entry, tmp_path))
    assert (detection.framework, detection.api) == ("verifiers", entry.api), findings
    assert not [item for item in findings if item.severity == "error"]


def test_flaw_is_judged_right_only_with_its_own_code() -> None:
    entry = replace(BY_KEY["pays-anything-v1"], expected="rejected", codes=("card.floor",))
    assert Judgement("rejected", errors=("card.floor",)).is_right(entry)
    assert not Judgement("rejected", errors=("card.crash_rate",)).is_right(entry)
    assert not Judgement("warned", warnings=("card.floor",)).is_right(entry)
    assert Judgement("warned", warnings=("card.floor",)).is_right(replace(entry, expected="warned"))
    assert not LISTED.is_right(entry)


def test_sound_environment_may_be_warned_but_not_rejected_or_held() -> None:
    sound = BY_KEY["sums-v1"]
    assert LISTED.is_right(sound)
    assert Judgement("warned", warnings=("card.diversity",)).is_right(sound)
    assert not Judgement("rejected", errors=("card.floor",)).is_right(sound)
    assert not Judgement("held", errors=("card.undecided",)).is_right(sound)


def test_matrix_counts_decisions() -> None:
    results = [
        (BY_KEY["pays-anything-v1"], 0, Judgement("rejected", errors=("card.floor",))),
        (BY_KEY["pays-anything-v0"], 0, LISTED),
        (BY_KEY["sums-v1"], 0, LISTED),
    ]
    text = matrix.confusion(results)
    assert "flaws listed clean: 1 of 2" in text
    assert "sound ones rejected or held: 0 of 1" in text
    assert "**listed**" in matrix.markdown(results)


@pytest.fixture(scope="module")
def runner_home() -> Iterator[None]:
    """A runner's folder with the framework of v1, which the evaluations share."""
    with tempfile.TemporaryDirectory(prefix="envyard-zoo-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)  # the users of sandboxes must reach it
        home = Path(name, "runner")
        layers.link_into(home)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ENVYARD_ZOO_HOME", str(home))
            yield
        layers.keep(home)


@pytest.fixture(scope="module")
def settings() -> Iterator[dict[str, str]]:
    """The runner's settings, with the scripted judge."""
    with run.services() as served:
        yield served


@pytest.mark.sandbox
@pytest.mark.adapter
@pytest.mark.timeout(400)
@pytest.mark.usefixtures("runner_home")
@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry.key)
def test_quick_entry_is_judged_as_expected(entry: Entry, settings: dict[str, str]) -> None:
    sandboxed = entry.name in SANDBOXED
    judgement = evaluate(entry, seed=0, settings=settings, sandboxed=sandboxed)
    expected = entry.key not in EXPECTED_TO_FAIL
    assert judgement.is_right(entry) == expected, judgement


def test_what_shows_in_a_sandbox_alone_is_never_forked() -> None:
    assert not run.may_fork(BY_KEY["hash-seed-v1"])
    assert not run.may_fork(BY_KEY["replaces-driver-v0"])
    assert run.may_fork(BY_KEY["sums-v1"])


def test_the_seeds_are_taken_in_turn_where_each_environment_runs_once() -> None:
    entries = [BY_KEY[key] for key in ("sums-v0", "sums-v1", "hash-seed-v1")]
    assert [seed for _, seed in planned(entries, 2, once=True)] == [0, 1, 0]
    assert [seed for _, seed in planned(entries, 2, once=False)] == [0, 1, 0, 1, 0, 1]
