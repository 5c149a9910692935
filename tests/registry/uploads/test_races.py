"""Uploads at the same moment: exactly one wins, and every other gets the right error."""

import io
import threading
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from registry.accounts.models import User
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import UsedFilename
from registry.errors import HubError
from registry.uploads.services import accept
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

ROUNDS, UPLOADERS = 3, 6


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> None:
    settings.HUB_STORAGE_PATH = tmp_path / "files"


def at_once(alice: User, wheels: list[tuple[str, bytes]]) -> list[str]:
    """Each wheel from a thread of its own; `created`, `same` or the code of the refusal."""
    answers = [""] * len(wheels)
    ready = threading.Barrier(len(wheels))

    def upload(number: int) -> None:
        name, data = wheels[number]
        try:
            ready.wait(30)
            accepted = accept(
                wheel=io.BytesIO(data), filename=name, form=form_of(data), owner=alice.owner,
                by=alice, token=None,
            )  # fmt: skip
            answers[number] = "created" if accepted.created else "same"
        except HubError as error:
            answers[number] = error.code
        finally:
            connection.close()

    threads = [threading.Thread(target=upload, args=(n,)) for n in range(len(wheels))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return sorted(answers)


@pytest.mark.django_db(transaction=True)
def test_of_different_bytes_for_one_version_exactly_one_wins(alice: User) -> None:
    for number in range(ROUNDS):
        version = f"0.{number}.0"
        wheels = [
            (filename(version=version), make_wheel(version=version, description=f"# {n}\n"))
            for n in range(UPLOADERS)
        ]
        wanted = ["created"] + ["upload.version_exists"] * (UPLOADERS - 1)
        assert at_once(alice, wheels) == wanted
    assert Environment.objects.count() == 1
    assert Version.objects.count() == UsedFilename.objects.count() == ROUNDS


@pytest.mark.django_db(transaction=True)
def test_of_equal_bytes_one_is_created_and_the_others_find_it(alice: User) -> None:
    wheels = [(filename(), make_wheel())] * UPLOADERS
    assert at_once(alice, wheels) == ["created"] + ["same"] * (UPLOADERS - 1)
    assert Version.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_spellings_of_one_version_exactly_one_wins(alice: User) -> None:
    wheels = [(filename(version=v), make_wheel(version=v)) for v in ("1", "1.0", "1.0.0")]
    assert at_once(alice, wheels) == ["created", *["upload.version_exists"] * 2]


@pytest.mark.django_db(transaction=True)
def test_different_versions_of_a_new_environment_all_get_in(alice: User) -> None:
    wheels = [(filename(version=f"0.{n}"), make_wheel(version=f"0.{n}")) for n in range(UPLOADERS)]
    assert at_once(alice, wheels) == ["created"] * UPLOADERS
    assert Environment.objects.count() == 1
