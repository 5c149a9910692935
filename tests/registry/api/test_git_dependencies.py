"""Who may read the archive of a git dependency, and what the API shows of it."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from envyard.contract.git_requirements import Repositories
from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from registry.git_sources import services
from registry.runs.tokens import sign_run_token
from tests import git_server
from tests.registry.run_factories import make_leased_run, make_runner, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(
    alice: User, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Version:
    """Evaluating, with an archive of `tool`."""
    version = make_version(alice.owner)
    version.requires_dist = ["tool @ git+https://git.example/lab/tool@main"]
    with git_server.serving(tmp_path) as host:
        monkeypatch.setenv("SSL_CERT_FILE", str(host.certificates))
        host.create("lab/tool.git").commit({"tool.py": "x = 1\n"})
        entry = f"https://git.example/lab/*={host.url}/lab/*"
        settings.HUB_GIT_REPOSITORIES = Repositories.of([entry])
        assert services.pin(version) == []
    return version


def listed(version: Version) -> None:
    Version.objects.filter(pk=version.pk).update(status="listed", listed_at=version.uploaded_at)


def test_the_version_names_repository_commit_and_archive(client: Client, version: Version) -> None:
    listed(version)
    source = version.git_sources.get()
    detail = client.get("/api/v1/environments/alice/demo-env/versions/0.1.0/").json()
    (row,) = detail["git_dependencies"]
    assert (row["name"], row["revision"]) == ("tool", "main")
    assert (row["commit"], row["sha256"]) == (source.commit, source.sha256)
    assert row["repository"] == "https://git.example/lab/tool"
    assert row["url"].endswith(source.path)
    page = client.get(reverse("version", args=("alice", "demo-env", "0.1.0"))).content.decode()
    assert source.sha256 in page
    assert "https://git.example/lab/tool" in page


def test_the_archive_of_a_listed_version_is_public(client: Client, version: Version) -> None:
    listed(version)
    source = version.git_sources.get()
    response = client.get(source.path)
    assert response.status_code == 200
    assert len(b"".join(response)) == source.size  # type: ignore[arg-type]
    assert response["Cache-Control"].startswith("public")
    assert client.get(f"{source.path}.metadata").status_code == 404
    other = source.path.replace(source.filename, "other.tar.gz")
    assert client.get(other).status_code == 404
    version.environment.refresh_from_db()
    assert version.environment.installs == 0


def test_only_people_who_see_the_version_and_its_run_read_the_archive(
    client: Client, version: Version, alice: User, carol: User
) -> None:
    Environment.objects.update(visibility="private")
    path = version.git_sources.get().path
    assert client.head(path).status_code == 404
    client.force_login(carol)
    assert client.head(path).status_code == 404
    client.force_login(alice)
    assert client.head(path).status_code == 200
    client.logout()
    run = make_leased_run(version)
    token = sign_run_token(run_id=run.pk, attempt=run.attempt)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.head(path, headers=headers).status_code == 200
    other = make_leased_run(make_version(alice.owner, version="0.2.0"), runner=make_runner("gpu-2"))
    token = sign_run_token(run_id=other.pk, attempt=other.attempt)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.head(path, headers=headers).status_code == 404


def test_the_hub_names_what_it_allows_without_its_mirrors(
    client: Client, settings: Settings
) -> None:
    entries = ["https://git.example/lab/*=https://mirror.internal/*", "https://a.example/b/c"]
    settings.HUB_GIT_REPOSITORIES = Repositories.of(entries)
    about = client.get("/api/v1/about/").json()
    assert about["git_repositories"] == ["https://git.example/lab/*", "https://a.example/b/c"]
