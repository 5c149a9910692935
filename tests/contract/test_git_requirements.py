"""Only plain https addresses of allowed git repositories are dependencies."""

from __future__ import annotations

import io

import pytest
from packaging.requirements import Requirement

from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from envyard.contract.frameworks.choose import choose
from envyard.contract.git_requirements import (
    BadRepository,
    GitRequirement,
    Repositories,
    git_requirements,
    parse,
)
from tests.wheels import make_wheel

ALLOWED = Repositories.of(
    [
        "https://github.com/PrimeIntellect-ai/verifiers",
        "https://github.com/lab/*=https://git.internal/mirror/*",
        "https://gitlab.com/group/sub/tool.git",
    ]
)
COMMIT = "284a868d6a9022109b749710672a0460e8a996d4"  # between verifiers 0.2.0 and 0.2.1
VERIFIERS = "verifiers @ git+https://github.com/PrimeIntellect-ai/verifiers.git"
HOSTILE = [
    "git+https://user:secret@github.com/lab/tool",
    "git+https://github.com@evil.example/lab/tool",
    "git+https://github.com/lab/../other/tool",
    "git+https://github.com/lab/..",
    "git+https://github.com/lab/%2e%2e/tool",
    "git+https://github.com/lab/tool?x=y",
    "git+https://github.com/lab/--upload-pack=x",
    "git+https://github.com/lab/tool@--upload-pack=x",
    "git+https://github.com/lab/tool@-x",
    "git+https://github.com/lab/tool@a..b",
    "git+https://github.com/lab/tool@v1^{/x}",
    "git+https://github.com/lab/tool#subdirectory=../x",
    "git+https://github.com/lab/tool#subdirectory=/etc",
    "git+https://github.com/lab/tool#subdirectory=a/../b",
    "git+https://github.com/lab/tool#extra=1",
    "git+https://github.com//lab/tool",
    "git+https://github.com/tool",
    "git+https://github.com/lab/too\u212a",
    "git+https://g\u0131thub.com/lab/tool",
    "git+https:///lab/tool",
    "git+http://github.com/lab/tool",
    "git+ssh://git@github.com/lab/tool",
    "git+git://github.com/lab/tool",
    "git+file:///lab/tool",
    "hg+https://github.com/lab/tool",
    "https://github.com/lab/tool/archive/main.zip",
]


def refusals(*lines: str, repositories: Repositories = ALLOWED) -> list[Finding]:
    wheel = make_wheel("my-env", metadata={"Requires-Dist": list(lines)})
    findings, _ = examine(
        io.BytesIO(wheel), filename="my_env-0.1.0-py3-none-any.whl", repositories=repositories
    )
    return [item for item in findings if item.code == "metadata.direct_url"]


@pytest.mark.parametrize("url", HOSTILE)
def test_what_is_no_plain_address_is_refused_for_every_operator(url: str) -> None:
    everything = Repositories.of(["https://github.com/*"])
    assert refusals(f"tool @ {url}", repositories=everything)
    assert parse(Requirement(f"tool @ {url}")) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/lab/tool", ("https://github.com/lab/tool", "", "")),
        ("https://github.com/lab/tool.git@v1.0", ("https://github.com/lab/tool", "v1.0", "")),
        (
            "https://github.com/lab/tool@feature/x#egg=tool&subdirectory=a/b",
            ("https://github.com/lab/tool", "feature/x", "a/b"),
        ),
        ("https://git.lab:8443/a/b/c@main", ("https://git.lab:8443/a/b/c", "main", "")),
    ],
)
def test_an_address_is_read_in_parts(url: str, expected: tuple[str, str, str]) -> None:
    assert parse(Requirement(f"A_Tool[x] @ git+{url}")) == GitRequirement("a-tool", *expected)


def test_lines_without_git_are_left_out() -> None:
    assert git_requirements(["dep>=1", "!", f"{VERIFIERS}@main", "x @ https://a/b.whl"]) == [
        GitRequirement("verifiers", "https://github.com/PrimeIntellect-ai/verifiers", "main", "")
    ]


@pytest.mark.parametrize(
    ("repository", "source"),
    [
        ("PrimeIntellect-ai/verifiers", "https://github.com/PrimeIntellect-ai/verifiers"),
        ("primeintellect-AI/Verifiers", "https://github.com/PrimeIntellect-ai/verifiers"),
        ("PrimeIntellect-ai/verifiers2", None),
        ("lab/tool", "https://git.internal/mirror/tool.git"),
        ("lab/group/tool", "https://git.internal/mirror/group/tool.git"),
        ("lab2/tool", None),
        ("lab", None),
    ],
)
def test_the_operators_list_decides_and_names_the_mirror(
    repository: str, source: str | None
) -> None:
    assert ALLOWED.source(f"https://github.com/{repository}") == source


def test_an_address_is_fetched_as_the_operator_wrote_it() -> None:
    source = ALLOWED.source("https://gitlab.com/group/sub/tool")
    assert source == "https://gitlab.com/group/sub/tool.git"
    assert ALLOWED.addresses[1] == "https://github.com/lab/*"


@pytest.mark.parametrize(
    "entry",
    [
        "github.com/lab/tool",
        "http://github.com/lab/tool",
        "https://github.com/lab",
        "https://github.com",
        "https://user@github.com/lab/tool",
        "https://github.com/lab/tool?x",
        "https://github.com/lab/../tool",
        "https://github.com/lab/*=https://mirror/tool",
        "https://github.com/lab/tool=https://mirror/*",
        "https://github.com/lab/tool=ssh://mirror/tool",
        "*",
        "",
    ],
)
def test_an_entry_without_sense_is_refused(entry: str) -> None:
    with pytest.raises(BadRepository):
        Repositories.of([entry])


def test_allowed_repositories_pass_and_others_name_the_setting() -> None:
    assert refusals("tool @ git+https://github.com/lab/tool@v1", f"{VERIFIERS}@{COMMIT}") == []
    (refused,) = refusals("tool @ git+https://github.com/other/tool@v1")
    assert refused.message == (
        "METADATA: Requires-Dist 'tool @ git+https://github.com/other/tool@v1' points at a URL; "
        "name a version instead. The hub's operator can allow https://github.com/other/tool "
        "(HUB_GIT_REPOSITORIES)"
    )
    (plain,) = refusals("tool @ https://github.com/lab/tool.zip")
    assert plain.message.endswith("points at a URL; name a version instead")


def test_one_distribution_comes_from_one_repository() -> None:
    (refused,) = refusals(
        "tool @ git+https://github.com/lab/tool@v1 ; python_version < '3.12'",
        "Tool @ git+https://github.com/lab/tool@v2",
    )
    assert "is a second URL for tool" in refused.message


@pytest.mark.parametrize(
    ("api", "reference", "sentence"),
    [
        ("v0", f"@{COMMIT}", ""),
        ("v0", "@v0.3.0", ""),
        ("v1", f"@{COMMIT}", "0.2.1 is the first release with it"),
        ("v1", "@v0.4.0", ""),
        ("v0", "@v0.4.0", "0.4.0 is the first release with it"),
        ("v0", f"@{'0' * 40}", "no known release has it"),
        ("v0", "@main", "at main; no known release has it"),
        ("v0", "", "at its default branch; no known release has it"),
    ],
)
def test_a_commit_of_the_framework_is_driven_between_driven_releases(
    api: str, reference: str, sentence: str
) -> None:
    choice = choose(
        {"my_env.py": b"import verifiers\n"},
        framework="verifiers",
        api=api,
        module="my_env",
        requires_dist=[f"{VERIFIERS}{reference}"],
    )
    assert choice.requirement.startswith("verifiers")
    assert bool(choice.findings) is bool(sentence)
    for item in choice.findings:
        assert item.code == "env.framework_undriven"
        assert sentence in item.message


def test_a_fork_of_the_framework_is_not_driven() -> None:
    choice = choose(
        {"my_env.py": b"import verifiers\n"},
        framework="verifiers",
        api="v0",
        module="my_env",
        requires_dist=[f"verifiers @ git+https://github.com/lab/verifiers@{COMMIT}"],
    )
    assert [item.code for item in choice.findings] == ["env.framework_undriven"]
