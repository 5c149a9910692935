"""What becomes a version and what is refused, with nothing kept."""

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from registry import storage
from registry.accounts import tokens
from registry.accounts.models import Membership, Organisation, Owner, Token, User
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import UsedFilename
from registry.errors import Forbidden, HubError
from registry.events import Event
from registry.uploads.services import Accepted, accept
from tests.registry.conftest import Queues
from tests.registry.uploads.forms import form_of
from tests.wheels import TASKSET, entry, filename, make_wheel

WHEEL = make_wheel()


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    """The folder that the storage keeps its objects in."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


def token_of(user: User, scope: str = "publish", **limits: Any) -> Token:
    return tokens.mint(user=user, name="test", scope=scope, **limits)[0]


def upload(
    by: User, data: bytes = WHEEL, *, name: str | None = None, token: Token | None = None,
    owner: str = "", form: dict[str, list[str]] | None = None,
) -> Accepted:  # fmt: skip
    return accept(
        wheel=io.BytesIO(data),
        filename=filename() if name is None else name,
        form=form_of(data) if form is None else form,
        owner=Owner.objects.get(name=owner or by.username),
        by=by,
        token=token,
    )


def refusal(*arguments: Any, **options: Any) -> HubError:
    with pytest.raises(HubError) as caught:
        upload(*arguments, **options)
    return caught.value


def nothing_kept(files: Path) -> bool:
    rows = Version.objects.exists() or Environment.objects.exists() or UsedFilename.objects.exists()
    return not rows and not [path for path in files.rglob("*") if path.is_file()]


def test_a_good_wheel_becomes_an_uploaded_version_with_its_metadata(alice: User) -> None:
    accepted = upload(alice)
    version = Version.objects.select_related("environment__owner").get()
    sha256 = hashlib.sha256(WHEEL).hexdigest()
    assert accepted == Accepted(version, created=True)
    assert str(version) == "alice/demo-env==0.1.0"
    assert (version.status, version.filename) == ("uploaded", filename())
    assert (version.sha256, version.size) == (sha256, len(WHEEL))
    assert version.summary == "Say the word that is asked for."
    assert version.readme.startswith("# Say the word")
    assert version.keywords == ["single-turn", "offline"]
    assert version.requires_dist == ["verifiers<0.5,>=0.4"]
    assert (version.license, version.requires_python) == ("Apache-2.0", ">=3.11")
    assert version.uploaded_by == alice
    store = storage.get()
    with store.open(storage.key("wheels", sha256)) as reader:
        assert reader.read() == WHEEL
    with store.open(storage.key("metadata", version.metadata_sha256)) as reader:
        assert b"\nName: demo-env\n" in reader.read()


def test_upload_is_journalled_and_its_check_enqueued_after_the_commit(
    alice: User, queues: Queues
) -> None:
    with queues.committed():
        version = upload(alice).version
        assert queues.read("hub") == []
    assert queues.read("hub") == [("registry.check_version", {"version_id": version.pk})]
    verbs = list(Event.objects.values_list("verb", "actor__username"))
    assert verbs[-2:] == [("environment.created", "alice"), ("version.uploaded", "alice")]


def test_a_wheel_is_also_taken_from_a_path_by_its_own_name(alice: User, tmp_path: Path) -> None:
    path = tmp_path / filename()
    path.write_bytes(WHEEL)
    accepted = accept(wheel=path, form=form_of(WHEEL), owner=alice.owner, by=alice, token=None)
    assert accepted.version.filename == filename()


def test_the_same_bytes_again_change_nothing(alice: User, queues: Queues) -> None:
    first = upload(alice)
    events = Event.objects.count()
    with queues.committed():
        again = upload(alice)
    assert again == Accepted(first.version, created=False)
    assert Version.objects.count() == 1
    assert Event.objects.count() == events
    assert queues.read("hub") == []


def test_other_bytes_of_the_same_version_are_refused(alice: User, files: Path) -> None:
    upload(alice)
    kept = sorted(files.rglob("*"))
    error = refusal(alice, make_wheel(description="# Other\n"))
    assert sorted(files.rglob("*")) == kept
    assert (error.status, error.code) == (400, "upload.version_exists")
    assert error.message.startswith("File already exists")
    assert "alice/demo-env==0.1.0" in error.message
    assert Version.objects.get().sha256 == hashlib.sha256(WHEEL).hexdigest()


def test_a_version_that_pep_440_takes_for_the_same_is_refused(alice: User) -> None:
    upload(alice, make_wheel(version="1.0"), name=filename(version="1.0"))
    error = refusal(alice, make_wheel(version="1.0.0"), name=filename(version="1.0.0"))
    assert error.code == "upload.version_exists"
    assert "the same version as 1.0.0" in error.message


def test_a_deleted_version_and_its_file_name_never_return(alice: User) -> None:
    version = upload(alice).version
    Version.objects.filter(pk=version.pk).update(deleted_at=timezone.now())
    assert refusal(alice).code == "upload.version_exists"
    Version.objects.filter(pk=version.pk).delete()
    error = refusal(alice, make_wheel(description="# Other\n"))
    assert (error.status, error.code) == (400, "upload.filename_taken")
    assert error.message.startswith("File already exists")


def test_the_next_version_joins_the_same_environment(alice: User) -> None:
    upload(alice)
    upload(alice, make_wheel(version="0.2.0"), name=filename(version="0.2.0"))
    assert Environment.objects.get().versions.count() == 2


def test_two_owners_may_use_one_name(alice: User, carol: User) -> None:
    upload(alice)
    upload(carol, make_wheel(description="# Hers\n"))
    assert Environment.objects.count() == 2


FIELDS: list[tuple[dict[str, Any], str, str]] = [
    ({"action": "submit"}, "request.invalid", ":action"),
    ({"action": None}, "request.invalid", ":action"),
    ({"protocol_version": "2"}, "request.invalid", "protocol_version"),
    ({"filetype": "sdist"}, "upload.unsupported_file", "filetype"),
    ({"filetype": None}, "upload.unsupported_file", "filetype"),
    ({"name": None}, "request.invalid", "name"),
    ({"name": "../x"}, "request.invalid", "name"),
    ({"version": None}, "request.invalid", "version"),
    ({"version": "newest"}, "request.invalid", "version"),
    ({"version": "1" * 5000}, "request.invalid", "version"),
    ({"sha256_digest": "0" * 64}, "request.invalid", "sha256_digest"),
    ({"sha256_digest": "ü"}, "request.invalid", "sha256_digest"),
    ({"blake2_256_digest": "0" * 64}, "request.invalid", "blake2_256_digest"),
    ({"sha256_digest": None, "blake2_256_digest": None}, "request.invalid", "digest"),
    ({"name": "other"}, "metadata.form_mismatch", "name"),
    ({"version": "0.2.0"}, "metadata.form_mismatch", "version"),
    ({"metadata_version": "2.1"}, "metadata.form_mismatch", "metadata_version"),
    ({"summary": "Something else"}, "metadata.form_mismatch", "summary"),
    ({"requires_python": ">=3.8"}, "metadata.form_mismatch", "requires_python"),
    ({"requires_dist": None}, "metadata.form_mismatch", "requires_dist"),
    ({"requires_dist": ["verifiers>=0.4,<0.5", "more"]}, "metadata.form_mismatch", "requires_dist"),
]


@pytest.mark.parametrize(("changes", "code", "named"), FIELDS)
def test_a_form_that_is_wrong_or_differs_from_metadata_is_refused(
    alice: User, files: Path, changes: dict[str, Any], code: str, named: str
) -> None:
    error = refusal(alice, form=form_of(WHEEL, **changes))
    assert (error.status, error.code) == (400, code)
    assert named in error.message
    assert nothing_kept(files)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Demo.Env"},
        {"version": "v0.1.0"},
        {"requires_dist": ["verifiers>=0.4, <0.5"]},
        {"requires_python": ">= 3.11"},
        {"sha256_digest": None},
        {"blake2_256_digest": None},
        {"sha256_digest": hashlib.sha256(WHEEL).hexdigest().upper()},
        {"classifiers": ["Anything"], "gpg_signature": "x", "attestations": "[]"},
    ],
)
def test_another_spelling_of_the_same_is_accepted(alice: User, changes: dict[str, Any]) -> None:
    assert upload(alice, form=form_of(WHEEL, **changes)).created


BAD_WHEELS = [
    (WHEEL + b"x", "wheel.trailing_bytes"),
    (make_wheel(metadata={"Name": "other"}), "metadata.name_mismatch"),
    (make_wheel(metadata={"Version": "0.1.0+mine"}), "metadata.local_version"),
    (make_wheel(metadata={"Requires-Dist": "x @ https://example.com/x"}), "metadata.direct_url"),
    (make_wheel(replace={"RECORD": None}), "wheel.no_record"),
    (make_wheel(record={"demo_env/__init__.py": None}), "wheel.record_missing"),
    (make_wheel(files={"../../evil.py": ""}), "wheel.path_traversal"),
    (make_wheel(files={"a.py": "", "A.py": ""}), "wheel.case_collision"),
    (make_wheel(files={"evil.pth": ""}), "wheel.pth_member"),
    (make_wheel(files={"json.py": ""}), "wheel.shadows_stdlib"),
    (make_wheel(extra=[(entry("demo_env/l", mode=0o120777), b"/etc")]), "wheel.symlink_member"),
]


@pytest.mark.parametrize(("data", "code"), BAD_WHEELS, ids=[code for _, code in BAD_WHEELS])
def test_a_bad_wheel_is_refused_with_its_findings_and_nothing_kept(
    alice: User, files: Path, data: bytes, code: str
) -> None:
    form = form_of(WHEEL) | {
        "sha256_digest": [hashlib.sha256(data).hexdigest()],
        "blake2_256_digest": [hashlib.blake2b(data, digest_size=32).hexdigest()],
    }
    error = refusal(alice, data, form=form)
    assert (error.status, error.code) == (400, code)
    assert code in [finding["code"] for finding in error.details["findings"]]
    assert nothing_kept(files)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("demo_env-0.1.0.tar.gz", "upload.unsupported_file"),
        ("", "upload.unsupported_file"),
        ("other-0.1.0-py3-none-any.whl", "wheel.other_dist_info"),
        ("../demo_env-0.1.0-py3-none-any.whl", "wheel.bad_filename"),
    ],
)
def test_a_file_name_that_is_not_the_wheels_is_refused(
    alice: User, files: Path, name: str, code: str
) -> None:
    assert refusal(alice, name=name).code == code
    assert nothing_kept(files)


def test_warnings_do_not_refuse(alice: User) -> None:
    assert upload(alice, make_wheel(description="", metadata={"License-Expression": None})).created


def test_the_operators_size_limit_holds(alice: User, settings: Settings) -> None:
    settings.HUB_MAX_WHEEL_BYTES = 1000
    assert refusal(alice).code == "wheel.too_large"


def test_where_the_bytes_cannot_be_kept_there_is_no_version(
    alice: User, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "full").write_text("no folder")
    settings.HUB_STORAGE_PATH = tmp_path / "full"
    with pytest.raises(OSError, match="full"):
        upload(alice)
    assert not Version.objects.exists()
    assert not Environment.objects.exists()


def test_a_reserved_name_is_refused(alice: User, files: Path) -> None:
    data = make_wheel("simple")
    error = refusal(alice, data, name=filename("simple"))
    assert error.code == "metadata.bad_name"
    assert not Environment.objects.exists()


def test_stranger_may_not_publish_and_cannot_detect_private_environments(
    alice: User, carol: User
) -> None:
    unknown = refusal(carol, owner="alice")
    upload(alice)
    Environment.objects.update(visibility="private")
    known = refusal(carol, owner="alice")
    assert isinstance(known, Forbidden)
    assert (known.code, known.status) == ("upload.owner_mismatch", 403)
    assert (known.code, known.message) == (unknown.code, unknown.message)


@pytest.mark.parametrize(
    ("role", "may"), [("owner", True), ("maintainer", True), ("member", False)]
)
def test_in_an_organisation_the_role_decides(
    lab: Organisation, bob: User, role: str, may: bool
) -> None:
    Membership.objects.filter(user=bob).update(role=role)
    if may:
        assert upload(bob, owner="lab").created
    else:
        error = refusal(bob, owner="lab")
        assert error.code == "upload.owner_mismatch"
        assert error.message == "bob may not publish under 'lab': the role member does not publish"
        assert "role maintainer" in error.hint


def test_a_token_must_be_for_publishing_and_for_that_environment(alice: User) -> None:
    other = Environment.objects.create(owner=alice.owner, name="other")
    assert refusal(alice, token=token_of(alice, "read")).code == "token.scope"
    assert refusal(alice, token=token_of(alice, environment=other)).code == "token.scope"
    accepted = upload(alice, token=token_of(alice)).version.environment
    bound = token_of(alice, environment=accepted)
    data = make_wheel(version="0.2.0", files={"demo_env/__init__.py": TASKSET + "# more\n"})
    assert upload(alice, data, name=filename(version="0.2.0"), token=bound).created
    assert upload(alice, data, name=filename(version="0.2.0"), token=bound).created is False


def test_the_next_version_costs_few_queries(
    client: Client, alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Few are for what there is; the rest lock, write three rows, and promote."""
    key = tokens.mint(user=alice, name="test", scope="publish")[1]
    for version in ("0.1.0", "0.2.0"):
        data = make_wheel(version=version)
        form: dict[str, Any] = dict(form_of(data))
        form["content"] = SimpleUploadedFile(filename(version=version), data)
        with django_assert_max_num_queries(15 if version == "0.2.0" else 60):
            sent = client.post("/legacy/alice/", form, headers={"Authorization": f"Bearer {key}"})
        assert sent.status_code == 200


def test_a_file_name_that_another_environment_used_up_is_refused(alice: User, files: Path) -> None:
    """As where a transfer took the version away: the file name stays taken under the owner."""
    UsedFilename.objects.create(owner=alice.owner, filename=filename(), sha256="0" * 64)
    assert refusal(alice).code == "upload.filename_taken"
    assert not Version.objects.exists()
    assert [path for path in files.rglob("*") if path.is_file()] == []
