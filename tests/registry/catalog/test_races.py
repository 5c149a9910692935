"""Changes of one environment at the same moment: they take turns, and none waits for ever."""

import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test import Client
from pytest_django import Settings

from registry.catalog.deletion import delete_environment, delete_version
from registry.catalog.lifecycle import move
from registry.catalog.overlays import yank
from registry.catalog.services import get_or_create_environment, lock
from registry.catalog.stars import star, unstar
from registry.catalog.transfer import transfer
from registry.errors import HubError
from registry.models import Environment, FormerName, Organisation, User, Version
from registry.uploads.services import accept
from tests.factories import make_version
from tests.people import person
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> None:
    settings.HUB_STORAGE_PATH = tmp_path / "files"


def at_once(*changes: Callable[[], object]) -> list[str]:
    """Each from a thread of its own; `done`, or the code of its refusal."""
    answers = ["broken"] * len(changes)
    ready = threading.Barrier(len(changes))

    def make(number: int) -> None:
        try:
            ready.wait(30)
            changes[number]()
            answers[number] = "done"
        except HubError as error:
            answers[number] = error.code
        finally:
            connection.close()

    threads = [threading.Thread(target=make, args=(number,)) for number in range(len(changes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return answers


def of(pk: int) -> Environment:
    """The row as one request finds it."""
    return Environment.objects.select_related("owner").get(pk=pk)


def upload(alice: User, version: str) -> Callable[[], object]:
    data = make_wheel(version=version)
    return lambda: accept(
        wheel=io.BytesIO(data), filename=filename(version=version), form=form_of(data),
        owner=alice.owner, by=alice, token=None,
    )  # fmt: skip


def test_every_star_is_counted_once(alice: User) -> None:
    pk = make_version(alice).environment.pk
    people = [person(f"person-{number}") for number in range(4)]
    marks = [lambda user=user: star(environment=of(pk), by=user) for user in [*people, people[0]]]
    assert at_once(*marks) == ["done"] * 5
    assert of(pk).star_count == of(pk).stars.count() == 4
    both = [lambda: unstar(environment=of(pk), by=people[0])] * 2
    assert at_once(*both, lambda: star(environment=of(pk), by=alice)) == ["done"] * 3
    assert of(pk).star_count == of(pk).stars.count() == 4


def test_stars_and_uploads_do_not_wait_for_each_other(alice: User) -> None:
    pk = make_version(alice).environment.pk
    people = [person(f"person-{number}") for number in range(3)]
    marks = [lambda user=user: star(environment=of(pk), by=user) for user in people]
    assert at_once(*marks, upload(alice, "0.2.0"), upload(alice, "0.3.0")) == ["done"] * 5


def test_upload_precedes_a_transfer_or_is_refused(alice: User, lab: Organisation) -> None:
    for number in range(ROUNDS):
        environment = make_version(alice, version=f"{number}.0").environment
        row = of(environment.pk)
        moved, sent = at_once(
            lambda row=row: transfer(environment=row, to=lab.owner, by=alice),
            upload(alice, f"{number}.1"),
        )
        assert moved == "done"
        assert sent in ("done", "name.moved")
        assert Environment.objects.get().owner == lab.owner
        assert Version.objects.filter(version=f"{number}.1").count() == (sent == "done")
        transfer(environment=of(environment.pk), to=alice.owner, by=alice)


def test_a_version_that_comes_while_its_environment_goes_is_deleted_or_revives_it(
    alice: User,
) -> None:
    for number in range(ROUNDS):
        Environment.objects.update(deleted_at=None)  # the factory revives none
        pk = make_version(alice, version=f"{number}.0").environment.pk
        answers = at_once(
            lambda pk=pk: delete_environment(environment=of(pk), by=alice),
            upload(alice, f"{number}.1"),
        )
        assert answers == ["done", "done"]
        alive = Version.objects.filter(deleted_at=None).exists()
        assert (of(pk).deleted_at is None) is alive


def test_of_two_transfers_one_wins(alice: User, carol: User, lab: Organisation) -> None:
    pk = make_version(alice).environment.pk
    first, other = of(pk), of(pk)
    answers = at_once(
        lambda: transfer(environment=first, to=lab.owner, by=alice),
        lambda: transfer(environment=other, to=carol.owner, by=alice),
    )
    assert sorted(answers) == ["done", "request.conflict"]
    winner = (lab.owner, carol.owner)[answers.index("done")]
    assert Environment.objects.get().owner == winner
    assert str(FormerName.objects.get()) == "alice/demo-env"


def test_two_owners_swap_their_environments_without_waiting_for_each_other(
    alice: User, carol: User
) -> None:
    first, other = make_version(alice, "words").environment, make_version(carol, "sums").environment
    answers = at_once(
        lambda: transfer(environment=first, to=carol.owner, by=alice),
        lambda: transfer(environment=other, to=alice.owner, by=carol),
    )
    assert answers == ["done", "done"]
    assert {str(e) for e in Environment.objects.all()} == {"carol/words", "alice/sums"}


def test_of_names_that_look_alike_one_is_made(alice: User) -> None:
    names = ("hello-world", "hell0-world", "helloworld", "hello-world")
    answers = at_once(
        *(
            lambda name=name: get_or_create_environment(owner=alice.owner, name=name, by=alice)
            for name in names
        )
    )
    assert Environment.objects.count() == 1
    assert set(answers) == {"done", "name.too_similar"}


def test_listing_yanking_and_deleting_take_turns(alice: User) -> None:
    for number in range(ROUNDS):
        name = f"words-{'xyz'[number]}"
        listed = make_version(alice, name, "0.1.0")
        coming = make_version(alice, name, "0.2.0", status="evaluating")
        pk = listed.environment.pk
        answers = at_once(
            lambda version=listed: yank(version=version, by=alice, reason="wrong"),
            lambda version=coming: move(version, "listed"),
            lambda version=listed: delete_version(version=version, by=alice),
            lambda pk=pk: delete_environment(environment=of(pk), by=alice),
        )
        assert answers[3] == "done"
        assert set(answers) <= {"done", "request.conflict", "request.not_found"}
        assert not Version.objects.filter(environment=pk, deleted_at=None).exists()
        assert of(pk).latest is None


def test_no_download_waits_for_a_change_of_its_environment(client: Client, alice: User) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no locks of rows")
    version = make_version(alice, wheel=make_wheel())
    held, done = threading.Event(), threading.Event()

    def change() -> None:
        with transaction.atomic():
            lock(version.environment)
            held.set()
            done.wait(30)
        connection.close()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        assert held.wait(30)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")
        at = f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
        assert client.get(at).getvalue()  # type: ignore[attr-defined]
    finally:
        done.set()
        changing.join(30)
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    assert client.get(at).getvalue()  # type: ignore[attr-defined]
    assert of(version.environment.pk).installs == 1
