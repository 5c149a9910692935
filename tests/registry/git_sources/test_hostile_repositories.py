"""Repositories and references that try to reach or fill the hub are refused with a reason."""

import os

import pytest
from pytest_django import Settings

from envyard.contract.git_requirements import Repositories
from registry.accounts.models import User
from registry.git_sources.models import GitSource
from registry.quotas import services as quotas
from tests.git_server import GitHost, Repository
from tests.registry.git_sources.conftest import ALLOWED, Pinner

pytestmark = pytest.mark.django_db
LINE = f"tool @ git+{ALLOWED}/tool.git"


@pytest.fixture
def repository(git_host: GitHost) -> Repository:
    """`lab/tool` with one file."""
    repository = git_host.create("lab/tool.git")
    repository.commit({"a.py": "x = 1\n"})
    return repository


def test_an_unknown_revision_is_the_authors_error(pinner: Pinner, repository: Repository) -> None:
    code, message = pinner.refused(f"{LINE}@v9")
    assert code == "git.no_revision"
    assert message == (
        f"tool from {ALLOWED}/tool: 'v9' is no branch or tag there, and no commit of any branch or "
        "tag"
    )
    assert pinner.refused(f"{LINE}@{'a' * 40}")[0] == "git.no_revision"


def test_a_commit_of_no_branch_is_refused_though_the_server_has_it(
    pinner: Pinner, repository: Repository
) -> None:
    """A host stores the commits of forks with the original, and serves them from its address."""
    commit = repository.commit({"evil.py": ""}, branch="fork")
    repository.git("update-ref", "refs/pull/1/head", commit)
    repository.git("update-ref", "-d", "refs/heads/fork")
    assert pinner.refused(f"{LINE}@{commit}")[0] == "git.no_revision"
    assert pinner.refused(f"{LINE}@{commit[:9]}")[0] == "git.no_revision"


def test_a_name_of_several_commits_is_refused(pinner: Pinner, repository: Repository) -> None:
    repository.commit({"b.py": ""}, branch="v1")
    repository.git("tag", "v1", "main")
    assert "ambiguous" in pinner.refused(f"{LINE}@v1")[1]


def test_redirects_are_not_followed(pinner: Pinner, git_host: GitHost) -> None:
    other = git_host.create("other/tool.git")
    other.commit({"a.py": ""})
    git_host.redirects["/lab/tool.git"] = f"{git_host.url}/other/tool.git"
    assert pinner.refused(LINE)[0] == "git.unreachable"
    assert not any("/other/" in path for path in git_host.requested)


def test_authors_do_not_read_where_the_mirror_is(pinner: Pinner, git_host: GitHost) -> None:
    code, message = pinner.refused(f"tool @ git+{ALLOWED}/none")
    assert (code, "not found" in message) == ("git.unreachable", True)
    assert f"{ALLOWED}/none" in message
    assert "localhost" not in message


def test_a_mirror_without_an_address_is_not_named_either(
    pinner: Pinner, settings: Settings
) -> None:
    entry = f"{ALLOWED}/*=https://mirror.invalid:8443/*"
    settings.HUB_GIT_REPOSITORIES = Repositories.of([entry])
    code, message = pinner.refused(f"tool @ git+{ALLOWED}/tool")
    assert code == "git.unreachable"
    assert "git.example" in message
    assert "mirror" not in message


def test_a_commit_without_a_date_is_refused(pinner: Pinner, repository: Repository) -> None:
    tree = repository.git("rev-parse", "main^{tree}")
    text = f"tree {tree}\nauthor a\ncommitter a\n\nx\n"
    commit = repository.git(
        "hash-object", "--literally", "-w", "-t", "commit", "--stdin", stdin=text.encode()
    )
    repository.git("update-ref", "refs/heads/main", commit)
    assert pinner.refused(f"{LINE}@main")[0] == "git.no_revision"


def test_a_certificate_that_nobody_signed_is_refused(
    pinner: Pinner, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    assert pinner.refused(LINE)[0] == "git.unreachable"


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../x", "..", "deep/link/../../x", "a\\b", "a\nb", "x" * 2000]
)
def test_a_link_out_of_the_repository_is_refused(
    pinner: Pinner, repository: Repository, target: str
) -> None:
    repository.commit({"->folder/link" if target != ".." else "->link": target})
    assert pinner.refused(LINE)[0] == "git.unusable"


def test_a_submodule_is_refused_only_where_it_would_be_built(
    pinner: Pinner, repository: Repository
) -> None:
    blob = repository.blob(b"x = 1\n")
    module = f"160000 {repository.git('rev-parse', 'main')}"
    repository.commit_rows([f"100644 {blob}\tpackage/a.py", f"{module}\tvendor/lib"])
    assert "'vendor/lib' is a submodule" in pinner.refused(LINE)[1]
    assert pinner.pin(f"{LINE}#subdirectory=package")[1] == []
    repository.commit_rows([f"{module}\tpackage/lib", f"100644 {blob}\tpackage/a.py"])
    assert pinner.refused(f"{LINE}#subdirectory=package")[0] == "git.unusable"


def test_a_missing_subdirectory_is_named(pinner: Pinner, repository: Repository) -> None:
    assert "it has no folder 'none'" in pinner.refused(f"{LINE}#subdirectory=none")[1]


def test_paths_that_leave_the_repository_are_refused(
    pinner: Pinner, repository: Repository
) -> None:
    blob = repository.blob(b"x")
    for name in (b"..", b".git", b".GIT", b"a\\b", b"a\nb", b"\xff"):
        row = b"100644 " + name + b"\0" + bytes.fromhex(blob)
        tree = repository.git(
            "hash-object", "--literally", "-w", "-t", "tree", "--stdin", stdin=row
        )
        repository.commit_tree(tree)
        assert pinner.refused(LINE)[0] in ("git.unusable", "git.unreachable"), name


def test_a_link_with_files_below_it_is_refused(pinner: Pinner, repository: Repository) -> None:
    """Unpacked in order, `a/b` would be written where the link leads."""
    blob = bytes.fromhex(repository.blob(b"x"))
    below = repository.git(
        "hash-object", "--literally", "-w", "-t", "tree", "--stdin", stdin=b"100644 b\0" + blob
    )
    rows = b"120000 a\0" + blob + b"40000 a\0" + bytes.fromhex(below)
    repository.commit_tree(
        repository.git("hash-object", "--literally", "-w", "-t", "tree", "--stdin", stdin=rows)
    )
    assert pinner.refused(LINE)[0] == "git.unusable"


def test_a_tree_that_contains_itself_many_times_ends_at_the_limit(
    pinner: Pinner, repository: Repository, settings: Settings
) -> None:
    settings.HUB_GIT_MB = 1
    tree = bytes.fromhex(repository.git("rev-parse", "main^{tree}"))
    for _ in range(12):  # 10 to the power of 12 files in 12 objects
        rows = b"".join(b"40000 d%d\0" % n + tree for n in range(10))
        tree = bytes.fromhex(
            repository.git("hash-object", "-w", "-t", "tree", "--stdin", stdin=rows)
        )
    repository.commit_tree(tree.hex())
    assert pinner.refused(LINE)[0] in ("git.unusable", "git.unreachable")


@pytest.mark.parametrize("noise", [False, True])
def test_a_large_repository_ends_at_the_limit(
    pinner: Pinner, repository: Repository, settings: Settings, noise: bool
) -> None:
    settings.HUB_GIT_MB = 1
    content = os.urandom(5 << 20) if noise else b"\0" * (5 << 20)
    repository.commit({"big.bin": content})
    code, message = pinner.refused(LINE)
    assert code == "git.unusable"
    assert "HUB_GIT_MB" in message


def test_the_archive_counts_for_the_owners_storage(
    alice: User, pinner: Pinner, repository: Repository
) -> None:
    before = quotas.measure(owner=alice.owner)[1].storage_bytes
    version, _ = pinner.pin(LINE)
    more = version.git_sources.get().size
    assert quotas.measure(owner=alice.owner)[1].storage_bytes == before + version.size + more
    quotas.change(owner=alice.owner, by=None, storage_bytes=before + more)
    repository.commit({"b.py": ""})
    assert pinner.refused(LINE)[0] == "quota.storage"


def test_a_repository_that_is_allowed_no_more_is_not_fetched(
    pinner: Pinner, repository: Repository, git_host: GitHost, settings: Settings
) -> None:
    settings.HUB_GIT_REPOSITORIES = Repositories()
    assert pinner.refused(LINE)[0] == "git.unreachable"
    assert git_host.requested == []
    assert not GitSource.objects.exists()
