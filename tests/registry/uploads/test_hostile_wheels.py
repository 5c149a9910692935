"""The corpus comes in through the door that everybody uses, and leaves nothing behind."""

import base64
import hashlib
import json
import time
from pathlib import Path
from types import ModuleType

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from envyard.contract.wheel import LIMITS
from registry.accounts import runners, tokens
from registry.accounts.models import Token, User
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import UsedFilename
from registry.models import Event
from registry.uploads.rendering import safe_html
from tests.corpus import GOOD, content, documents, framing, paths
from tests.corpus.case import Case
from tests.corpus.content import TOKEN
from tests.registry.uploads.forms import form_of
from tests.wheels import TASKSET, filename, make_wheel

pytestmark = pytest.mark.once

WHEEL = make_wheel()


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


@pytest.fixture
def key(alice: User) -> str:
    return tokens.mint(user=alice, name="test", scope="publish")[1]


def send(
    client: Client, key: str, data: bytes, form: dict[str, list[str]] | None = None,
    name: str = filename(),
) -> HttpResponse:  # fmt: skip
    """What twine sends of a good wheel, with these bytes in its place."""
    fields = (form or form_of(WHEEL)) | {
        "sha256_digest": [hashlib.sha256(data).hexdigest()],
        "blake2_256_digest": [hashlib.blake2b(data, digest_size=32).hexdigest()],
    }
    basic = base64.b64encode(f"__token__:{key}".encode()).decode()
    return client.post(
        "/legacy/alice/",
        {**fields, "content": SimpleUploadedFile(name, data)},
        headers={"Authorization": f"Basic {basic}", "Accept": "application/json"},
    )


def kept(files: Path) -> list[object]:
    rows = [model.objects.first() for model in (Environment, Version, UsedFilename)]
    return [item for item in (*rows, *files.rglob("*")) if isinstance(item, Path) or item]


def codes(response: HttpResponse) -> list[str]:
    return [
        finding["code"] for finding in json.loads(response.content)["error"]["details"]["findings"]
    ]


@pytest.mark.parametrize("part", [framing, paths, content, documents])
def test_bad_wheels_are_answered_with_their_codes_and_nothing_is_kept(
    client: Client, key: str, files: Path, part: ModuleType
) -> None:
    """One of each code; a limit of a case's own, and a name that browsers cut, do not come so."""
    cases: list[Case] = part.BAD
    usual = [case for case in cases if case.limits is LIMITS and case.filename == filename()]
    for case in {item.code: item for item in usual}.values():
        response = send(client, key, case.build())
        assert (response.status_code, case.name) == (400, case.name)
        assert case.code in codes(response)
        assert kept(files) == []


@pytest.mark.parametrize(
    "case", [item for item in GOOD if item.name in ("stored members", "names in Unicode",
                                                 "markers and extras", "RECORD all in quotes")],
    ids=str,
)  # fmt: skip
def test_an_odd_wheel_is_stored_as_it_was_sent(
    client: Client, key: str, files: Path, case: Case
) -> None:
    data = case.build()
    assert send(client, key, data, form_of(data)).status_code == 200
    version = Version.objects.get()
    assert version.sha256 == hashlib.sha256(data).hexdigest()
    assert data in [path.read_bytes() for path in files.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("hidden", "form"),
    [(["verifiers>=0.4,<0.5", "evil"], ["verifiers>=0.4,<0.5"]), ([], ["verifiers>=0.4,<0.5"])],
    ids=["METADATA says more", "the form says more"],
)
def test_dependencies_that_only_one_side_names_are_refused(
    client: Client, key: str, files: Path, hidden: list[str], form: list[str]
) -> None:
    data = make_wheel(metadata={"Requires-Dist": hidden})
    response = send(client, key, data, form_of(data, requires_dist=form))
    assert response.status_code == 400
    assert codes(response) == ["metadata.form_mismatch"]
    assert kept(files) == []


def test_a_readme_that_does_not_render_is_refused(client: Client, key: str, files: Path) -> None:
    rst = {"Description-Content-Type": "text/x-rst"}
    bad = make_wheel(metadata=rst, description="Demo\n===\n\nAn `open quote.\n")
    response = send(client, key, bad, form_of(bad))
    assert codes(response) == ["metadata.bad_description"]
    assert b"Inline interpreted text" in response.content
    assert kept(files) == []
    good = make_wheel(metadata=rst, description="Demo\n====\n\nSay *it*.\n")
    assert send(client, key, good, form_of(good)).status_code == 200
    version = Version.objects.get()
    assert "<em>it</em>" in safe_html(version.readme, version.readme_type)


def test_a_readme_that_would_never_be_rendered_is_refused_soon(client: Client, key: str) -> None:
    """Each name expands to the next one twice, 30 times over."""
    rst = {"Description-Content-Type": "text/x-rst"}
    names = [f".. |a{n}| replace:: |a{n + 1}| |a{n + 1}|\n" for n in range(30)]
    bomb = "".join(["Demo\n====\n\n|a0|\n\n", *names, ".. |a30| replace:: a\n"])
    data, began = make_wheel(metadata=rst, description=bomb), time.process_time()
    response = send(client, key, data, form_of(data))
    assert codes(response) == ["metadata.bad_description"]
    assert b"more than 2 s" in response.content
    assert time.process_time() - began < 1  # of ours; the process that tries may use more


def test_a_readme_cannot_read_the_hubs_files(client: Client, key: str) -> None:
    rst = {"Description-Content-Type": "text/x-rst"}
    data = make_wheel(metadata=rst, description="Demo\n====\n\n.. include:: /etc/passwd\n")
    assert codes(send(client, key, data, form_of(data))) == ["metadata.bad_description"]


@pytest.mark.django_db(transaction=True)
def test_a_token_in_a_wheel_is_revoked_and_never_repeated(
    client: Client, key: str, files: Path, carol: User
) -> None:
    lost, text = tokens.mint(user=carol, name="lost", scope="publish")
    data = make_wheel(files={"demo_env/__init__.py": TASKSET, "demo_env/.env": f"KEY={text}\n"})
    response = send(client, key, data, form_of(WHEEL))
    assert codes(response) == ["wheel.contains_token"]
    assert text.encode() not in response.content
    assert lost.public_id.encode() in response.content
    lost.refresh_from_db()
    assert lost.revoked_at is not None
    assert Event.objects.filter(verb="token.leaked").exists()
    assert [item.to for item in mail.outbox if "leaked" in item.subject] == [[carol.email]]
    assert kept(files) == []
    assert Token.objects.get(user__username="alice").revoked_at is None


@pytest.mark.django_db(transaction=True)
def test_runner_token_in_a_wheel_is_revoked_and_staff_notified(
    client: Client, key: str, files: Path, root: User
) -> None:
    runner, text = runners.create(name="gpu")
    data = make_wheel(files={"demo_env/__init__.py": TASKSET, "demo_env/.env": f"KEY={text}\n"})
    for _ in range(2):
        assert codes(send(client, key, data, form_of(WHEEL))) == ["wheel.contains_token"]
    assert runners.verify(text) is None
    (event,) = Event.objects.filter(verb="runner.leaked")
    assert event.data["runner"] == "gpu"
    assert "in an upload named demo_env" in event.data["where"]
    mails = [item for item in mail.outbox if "leaked" in item.subject]
    assert [mail.to for mail in mails] == [[root.email]]
    assert text not in mails[0].body
    assert kept(files) == []
    assert runners.verify(runners.renew(runner=runner)) == runner


def test_a_token_of_another_hub_is_refused_just_the_same(client: Client, key: str) -> None:
    data = make_wheel(files={"demo_env/__init__.py": TASKSET, "demo_env/.env": TOKEN})
    assert codes(send(client, key, data)) == ["wheel.contains_token"]
