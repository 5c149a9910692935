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
    findings, detection = examine.examine(
        io.BytesIO(case.build()), filename=case.filename, limits=case.limits
    )
    assert detection.framework == ""
    errors = {finding.code: finding for finding in findings if finding.severity == "error"}
    assert case.code in errors
    for word in case.words:
        assert word in errors[case.code].message
    assert errors[case.code].hint == CODES[case.code].hint != ""
    assert len(errors[case.code].message) < 1200


@pytest.mark.parametrize("case", GOOD, ids=str)
def test_an_odd_but_legal_wheel_passes(case: Case) -> None:
    data = case.build()
    findings, detection = examine.examine(
        io.BytesIO(data), filename=case.filename, limits=case.limits
    )
    assert [finding for finding in findings if finding.severity == "error"] == []
    assert detection.framework == "verifiers"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None


def test_every_case_of_the_corpus_has_a_name_of_its_own() -> None:
    names = [case.name for case in (*BAD, *GOOD)]
    assert len(set(names)) == len(names)
    assert len(BAD) >= 450
    assert len({case.code for case in BAD}) >= 110
    assert len(GOOD) >= 80


def test_the_corpus_has_a_wheel_for_every_error() -> None:
    """Warnings, and errors of an upload's form, are tested where they arise."""
    of_forms = {"metadata.form_mismatch", "metadata.bad_description"}
    errors = {
        entry.code
        for entry in CODES.values()
        if entry.code.startswith(("wheel.", "metadata.")) and entry.severity == "error"
    }
    assert errors - of_forms == {case.code for case in BAD}
