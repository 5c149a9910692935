"""Every wheel of the corpus is refused with its own code and a sentence, or passes."""

import io
import zipfile

import pytest

from envyard.contract import examine
from envyard.contract.codes import CODES
from tests.corpus import BAD, GOOD
from tests.corpus.case import Case


@pytest.mark.parametrize("case", BAD, ids=str)
def test_a_bad_wheel_is_refused_with_its_code_and_a_sentence(case: Case) -> None:
    found, kind = examine.examine(
        io.BytesIO(case.build()), filename=case.filename, limits=case.limits
    )
    assert kind.framework == ""
    told = {one.code: one for one in found if one.severity == "error"}
    assert case.code in told
    for word in case.words:
        assert word in told[case.code].message
    assert told[case.code].hint == CODES[case.code].hint != ""
    assert len(told[case.code].message) < 1200


@pytest.mark.parametrize("case", GOOD, ids=str)
def test_an_odd_but_legal_wheel_passes(case: Case) -> None:
    data = case.build()
    found, kind = examine.examine(io.BytesIO(data), filename=case.filename, limits=case.limits)
    assert [one for one in found if one.severity == "error"] == []
    assert kind.framework == "verifiers"
    with zipfile.ZipFile(io.BytesIO(data)) as theirs:
        assert theirs.testzip() is None


def test_each_kind_of_badness_has_a_name_and_a_code_of_its_own() -> None:
    names = [case.name for case in (*BAD, *GOOD)]
    assert len(set(names)) == len(names)
    assert len(BAD) >= 450
    assert len({case.code for case in BAD}) >= 110
    assert len(GOOD) >= 80


def test_every_code_for_wheels_stands_in_the_corpus() -> None:
    """But for those that only a form or a warning has; both are tested where they arise."""
    elsewhere = {
        "metadata.form_mismatch", "metadata.bad_description", "metadata.no_summary",
        "metadata.no_readme", "metadata.no_license", "wheel.pickle_imports", "wheel.pickle_unread",
        "wheel.program_member", "wheel.shared_name",
    }  # fmt: skip
    wanted = {code for code in CODES if code.startswith(("wheel.", "metadata."))}
    assert wanted - elsewhere == {case.code for case in BAD}
