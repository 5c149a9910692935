"""The hub resolves a git dependency once and keeps the files of its commit."""

import hashlib
import io
import tarfile

import pytest
from django.test import TestCase

from registry import pipeline, storage
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.git_sources.models import GitSource
from registry.runs.spec import job_spec
from tests import wheels
from tests.git_server import GitHost, Repository
from tests.registry.conftest import Queues
from tests.registry.git_sources.conftest import ALLOWED, Pinner
from tests.registry.run_factories import make_leased_run, make_version

pytestmark = pytest.mark.django_db
FILES = {
    "pyproject.toml": "[project]\nname = 'tool'\nversion = '1'\n",
    "tool/__init__.py": "x = 1\n",
    "->README": "docs/README.md",
    "docs/README.md": "Read me\n",
}
LINE = f"tool @ git+{ALLOWED}/tool.git"


@pytest.fixture
def repository(git_host: GitHost) -> Repository:
    """`lab/tool` with a tag `v1.0` at its first commit."""
    repository = git_host.create("lab/tool.git")
    repository.commit(FILES)
    repository.git("tag", "-a", "v1.0", "-m", "Release", "main")
    return repository


def content(source: GitSource) -> dict[str, tarfile.TarInfo]:
    with storage.get().open(storage.key("git", source.sha256)) as reader:
        data = reader.read()
    assert hashlib.sha256(data).hexdigest() == source.sha256
    assert len(data) == source.size
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {member.name: member for member in archive}


@pytest.mark.parametrize("reference", ["@v1.0", "@main", "@refs/heads/main", "", "@{}", "@{:.8}"])
def test_a_branch_tag_or_commit_is_pinned_by_its_commit_and_archive(
    pinner: Pinner, repository: Repository, reference: str
) -> None:
    commit = repository.git("rev-parse", "main")
    version, problems = pinner.pin(LINE + reference.format(commit))
    assert problems == []
    source = version.git_sources.get()
    assert (source.name, source.commit) == ("tool", commit)
    assert (source.repository, source.revision) == (f"{ALLOWED}/tool", reference[1:].format(commit))
    members = content(source)
    top = f"tool-{commit[:12]}"
    assert set(members) == {f"{top}/{path.removeprefix('->')}" for path in FILES} | {
        f"{top}/.git_archival.txt"
    }
    assert members[f"{top}/README"].linkname == "docs/README.md"


def test_the_same_commit_gives_the_same_bytes(pinner: Pinner, repository: Repository) -> None:
    first, _ = pinner.pin(LINE)
    second, _ = pinner.pin(f"{LINE}@v1.0")
    assert first.git_sources.get().sha256 == second.git_sources.get().sha256


def test_a_pinned_version_is_never_fetched_again(
    pinner: Pinner, repository: Repository, git_host: GitHost
) -> None:
    version, _ = pinner.pin(f"{LINE}@main")
    commit = version.git_sources.get().commit
    repository.commit({"other.py": ""})
    git_host.requested.clear()
    assert pinner.pin(f"{LINE}@main", version=version)[1] == []
    assert git_host.requested == []
    assert version.git_sources.get().commit == commit


def test_the_archive_names_the_nearest_tag_for_version_tools(
    pinner: Pinner, repository: Repository
) -> None:
    commit = repository.commit({"pyproject.toml": "[project]", ".git_archival.txt": "$Format:%H$"})
    version, _ = pinner.pin(LINE)
    source = version.git_sources.get()
    with (
        storage.get().file(storage.key("git", source.sha256)) as path,
        tarfile.open(path) as archive,
    ):
        file = archive.extractfile(f"tool-{commit[:12]}/.git_archival.txt")
        assert file is not None
        text = file.read().decode()
    assert f"node: {commit}\n" in text
    assert f"describe-name: v1.0-1-g{commit[:7]}" in text


def test_a_server_without_filters_is_fetched_from_too(
    pinner: Pinner, repository: Repository
) -> None:
    repository.git("config", "uploadpack.allowFilter", "false")
    assert pinner.pin(LINE)[1] == []


def test_a_tag_of_a_file_does_not_stop_the_others(pinner: Pinner, repository: Repository) -> None:
    repository.git("tag", "a-key", repository.blob(b"key"))
    assert pinner.pin(LINE)[1] == []
    assert pinner.refused(f"{LINE}@a-key")[0] == "git.no_revision"


def test_the_check_pins_before_the_run_and_the_job_has_the_archive(
    alice: User, queues: Queues, repository: Repository
) -> None:
    line = f"{LINE}@v1.0#subdirectory=tool"
    wheel = wheels.make_wheel("demo-env", metadata={"Requires-Dist": [line]})
    version = make_version(alice.owner, wheel=wheel, status=Version.Status.UPLOADED)
    version.requires_dist = [line]
    version.save()
    with TestCase.captureOnCommitCallbacks(execute=True):
        pipeline.check(version.pk)
    version.refresh_from_db()
    assert version.status == "evaluating", list(version.findings.values_list("message"))
    (job,) = job_spec(make_leased_run(version)).git_sources
    assert (job.name, job.subdirectory) == ("tool", "tool")
    assert job.archive.sha256 == version.git_sources.get().sha256


def test_a_version_whose_repository_cannot_be_fetched_is_held(
    alice: User, queues: Queues, git_host: GitHost
) -> None:
    wheel = wheels.make_wheel("demo-env", metadata={"Requires-Dist": [LINE]})
    version = make_version(alice.owner, wheel=wheel, status=Version.Status.UPLOADED)
    version.requires_dist = [LINE]
    version.save()
    pipeline.check(version.pk)
    version.refresh_from_db()
    assert version.status == "held"
    assert version.findings.get(severity="error").code == "git.unreachable"
