"""What uv reports of an impossible resolution is turned into a cause and a next step."""

from __future__ import annotations

import pytest

from envyard.contract.failures.requirements import explain_resolution, with_cause
from envyard.contract.findings import finding

END = "we can conclude that your requirements are unsatisfiable."
CASES = [
    (
        "no_matching_wheel",
        (
            "Because numpy==1.10.0 has no wheels with a matching Python ABI tag (e.g., `cp311`) "
            f"and you require numpy==1.10.0, {END}\n\nhint: You require CPython 3.11"
        ),
        "numpy has wheels, but none",
    ),
    (
        "sdist_only",
        (
            f"Because all versions of sums have no usable wheels and you require sums, {END}\n\n"
            "hint: Wheels are required for `sums` because building from source is disabled"
        ),
        "sums has no wheel on the index",
    ),
    (
        "not_on_index",
        f"Because word-gmae was not found in the package registry and you require word-gmae, {END}",
        "word-gmae was not found",
    ),
    (
        "framework_bound",
        f"Because you require verifiers>=0.4 and verifiers<0.4, {END}",
        "The bounds on verifiers exclude",
    ),
    (
        "python",
        (
            "Because the requested Python version (>=3.11.2) does not satisfy Python>=3.12 and "
            f"sums==2.0 depends on Python>=3.12, {END}"
        ),
        "A dependency needs Python>=3.12",
    ),
    (
        "no_such_release",
        f"Because only sums<=2.5 is available and you require sums>99, {END}",
        "The index has no release of sums that fits",
    ),
    (
        "prerelease",
        (
            f"Because only sums<1 is available and you require sums>=1, {END}\n\nhint: "
            "Pre-releases are available for `sums` in the requested range (e.g., 1.0rc1)"
        ),
        "Only pre-releases of sums fit",
    ),
]


@pytest.mark.parametrize(("cause", "reported", "message"), CASES)
def test_a_cause_is_recognised(cause: str, reported: str, message: str) -> None:
    explanation = explain_resolution(reported)
    assert explanation is not None
    assert explanation.cause == cause
    assert explanation.message.startswith(message)
    named = with_cause(finding("env.dependencies_unresolvable", reported), reported)
    assert named.message == f"{explanation.message} {reported}"
    assert (named.hint, named.details) == (explanation.hint, {"cause": cause})


def test_platform_faults_and_unknown_texts_keep_their_message() -> None:
    platform_fault = finding("run.install_failed", "the index is closed")
    assert with_cause(platform_fault, CASES[0][1]) == platform_fault
    strange = finding("env.dependencies_unresolvable", "no reason given")
    assert with_cause(strange, "no reason given") == strange
    conflict = f"Because you require sums>2 and sums<1 and verifiers<0.4, {END}"
    assert explain_resolution(conflict) is None
