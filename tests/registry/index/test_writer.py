"""The stored pages: they reach the database's state after any failure on the way."""

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as some

from registry.catalog import deletion, overlays
from registry.catalog.services import refresh_latest, set_visibility
from registry.catalog.transfer import transfer
from registry.errors import HubError
from registry.index import writer
from registry.models import Environment, IndexChange, Organisation, User
from registry.storage.local import LocalStorage
from tests.factories import make_version

FORMS = ["index.html", "index.html.gz", "index.json", "index.json.gz"]


class Breaking(LocalStorage):
    """A folder that does so many writes and deletions, then `breaks`."""

    def __init__(self, root: Path, left: int, breaks: Callable[[], None] | None = None) -> None:
        super().__init__(root)
        self.left = left
        self.breaks = breaks

    def write(self, *args: Any, **named: Any) -> None:
        self._count()
        super().write(*args, **named)

    def delete(self, key: str) -> None:
        self._count()
        super().delete(key)

    def _count(self) -> None:
        if self.left == 0:
            if self.breaks:
                self.breaks()
            raise OSError("the disk broke")
        self.left -= 1


@pytest.fixture(autouse=True)
def root(settings: Any, tmp_path: Path) -> Path:
    """Where the hub's storage is."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


def stored(root: Path) -> dict[str, bytes]:
    """Every stored page."""
    folder = root / "index"
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_listing_puts_the_page_and_the_root_into_the_storage(
    alice: User, root: Path, client: Client
) -> None:
    make_version(alice)
    assert writer.update_pages() == 2
    objects = stored(root)
    assert sorted(objects) == sorted(
        f"{page}/{f}" for page in ("alice/demo-env", "alice") for f in FORMS
    )
    for page, path in (("alice/demo-env", "/alice/simple/demo-env/"), ("alice", "/alice/simple/")):
        for form in ("json", "html"):
            answer = client.get(path, {"format": form})
            assert objects[f"{page}/index.{form}"] == answer.content
            packed = client.get(path, {"format": form}, headers={"Accept-Encoding": "gzip"})
            assert objects[f"{page}/index.{form}.gz"] == packed.content
            assert gzip.decompress(packed.content) == answer.content
    assert not IndexChange.objects.exists()
    assert writer.update_pages() == 0


def test_hidden_environment_is_removed_from_page_and_root(alice: User, root: Path) -> None:
    environment = make_version(alice).environment
    make_version(alice, "other")
    writer.update_pages()
    set_visibility(environment=environment, visibility="private", by=alice)
    writer.update_pages()
    assert not [
        key for key, data in stored(root).items() if "demo-env" in key or b"demo-env" in data
    ]
    set_visibility(environment=environment, visibility="public", by=alice)
    writer.update_pages()
    assert b"demo-env" in stored(root)["alice/index.json"]
    assert list(writer.differences()) == []


def test_nothing_private_or_unlisted_is_ever_stored(alice: User, root: Path) -> None:
    make_version(alice, visibility="private")
    make_version(alice, "unlisted", status="evaluating")
    writer.update_pages()
    assert stored(root) == {}
    writer.rebuild()
    assert stored(root) == {}


def test_an_environment_that_moves_takes_its_page_along(
    alice: User, lab: Organisation, root: Path
) -> None:
    environment = make_version(alice).environment
    writer.update_pages()
    transfer(environment=environment, to=lab.owner, by=alice)
    writer.update_pages()
    assert {key.partition("/")[0] for key in stored(root)} == {"lab"}
    assert list(writer.differences()) == []


def test_the_serial_of_a_page_only_grows(alice: User) -> None:
    environment = make_version(alice).environment
    serials = [environment.index_serial]
    for visibility in ("private", "public"):
        set_visibility(environment=environment, visibility=visibility, by=alice)
        writer.update_pages()
        environment.refresh_from_db()
        serials.append(environment.index_serial)
    make_version(alice, "other")
    with transaction.atomic():
        refresh_latest(environment)
    serials.append(environment.index_serial)
    assert serials == sorted(set(serials))


def test_a_disk_that_breaks_at_any_step_costs_only_another_try(
    alice: User, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    public = make_version(alice).environment
    hidden = make_version(alice, "hidden").environment
    for step in range(3 * len(FORMS)):
        set_visibility(environment=hidden, visibility="public", by=alice)
        writer.update_pages()
        set_visibility(environment=hidden, visibility="private", by=alice)
        with transaction.atomic():
            refresh_latest(public)
        writer.update_pages(store=Breaking(root, step))
        assert IndexChange.objects.exists(), step
        assert "the disk broke" in caplog.text
        writer.update_pages()
        assert list(writer.differences()) == [], step


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", [0, 5])
def test_a_killed_writer_leaves_its_work_to_the_next(alice: User, root: Path, step: int) -> None:
    hidden = make_version(alice, "hidden").environment
    make_version(alice, "other")
    writer.update_pages()
    set_visibility(environment=hidden, visibility="private", by=alice)
    script = (
        "import django, os; django.setup(); from pathlib import Path\n"
        "from registry.index import writer\n"
        "from tests.registry.index.test_writer import Breaking\n"
        f"store = Breaking(Path({str(root)!r}), {step}, lambda: os.kill(os.getpid(), 9))\n"
        "writer.update_pages(store=store)\n"
    )
    environ = {"DJANGO_SETTINGS_MODULE": "hub.settings", "DATABASE_URL": database_url()}
    killed = subprocess.run([sys.executable, "-c", script], env=os.environ | environ, timeout=60)
    assert killed.returncode == -9
    assert IndexChange.objects.exists()
    writer.update_pages()
    assert list(writer.differences()) == []
    assert not [key for key in stored(root) if "hidden" in key]


def database_url() -> str:
    configured = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{Path(configured['NAME']).resolve()}"
    login = (
        f"{quote(configured['USER'])}:{quote(configured['PASSWORD'])}@"
        if configured["USER"]
        else ""
    )
    options = configured["OPTIONS"].get("host")
    query = f"?host={quote(options, safe='')}" if options else ""
    return (
        f"postgresql://{login}{configured['HOST']}:{configured['PORT']}/{configured['NAME']}{query}"
    )


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_take_turns_while_changes_come_in(alice: User) -> None:
    environments = [make_version(alice, f"env-{number}").environment for number in range(3)]
    changing = threading.Event()

    def write() -> None:
        while not changing.is_set():
            writer.update_pages()
        connection.close()

    writers = [threading.Thread(target=write) for _ in range(3)]
    for thread in writers:
        thread.start()
    for turn in range(12):
        visibility = ("private", "public")[turn // 3 % 2]
        set_visibility(environment=environments[turn % 3], visibility=visibility, by=alice)
    changing.set()
    for thread in writers:
        thread.join(30)
    writer.update_pages()
    assert list(writer.differences()) == []
    assert not IndexChange.objects.exists()


def list_another(environment: Environment) -> None:
    """Another version of it, unless it was deleted."""
    owner = environment.owner.user or environment.owner.organisation
    if environment.deleted_at is None and owner is not None:
        make_version(owner, environment.name, f"0.{environment.versions.count() + 1}.0")


# What may happen to one of two environments, in any order; what is not allowed then is refused.
CHANGES: dict[str, Callable[[Environment, User, Organisation], object]] = {
    "list": lambda e, by, lab: list_another(e),
    "yank": lambda e, by, lab: overlays.yank(version=e.versions.latest("pk"), by=by, reason="bad"),
    "unyank": lambda e, by, lab: overlays.unyank(version=e.versions.latest("pk"), by=by),
    "quarantine": lambda e, by, lab: overlays.quarantine(
        version=e.versions.latest("pk"), by=by, reason="bad"
    ),
    "quarantine all": lambda e, by, lab: overlays.quarantine_environment(
        environment=e, by=by, reason="bad"
    ),
    "release all": lambda e, by, lab: overlays.release_environment(environment=e, by=by),
    "deprecate": lambda e, by, lab: overlays.deprecate(environment=e, by=by, reason="old"),
    "hide": lambda e, by, lab: set_visibility(environment=e, visibility="private", by=by),
    "show": lambda e, by, lab: set_visibility(environment=e, visibility="public", by=by),
    "give": lambda e, by, lab: transfer(environment=e, to=lab.owner, by=by),
    "take": lambda e, by, lab: transfer(environment=e, to=by.owner, by=by),
    "delete one": lambda e, by, lab: deletion.delete_version(
        version=e.versions.latest("pk"), by=by
    ),
    "delete": lambda e, by, lab: deletion.delete_environment(environment=e, by=by),
    "publish": lambda e, by, lab: writer.update_pages(),
}
STEPS = some.lists(some.tuples(some.sampled_from(sorted(CHANGES)), some.booleans()), max_size=12)


@how(
    max_examples=40 if os.environ.get("CI") else 15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_after_any_changes_the_pages_are_those_of_a_rebuild(
    alice: User,
    lab: Organisation,
    tmp_path_factory: pytest.TempPathFactory,
    settings: Any,
    steps: Any,
) -> None:
    settings.HUB_STORAGE_PATH = tmp_path_factory.mktemp("one")
    other = tmp_path_factory.mktemp("other")
    with transaction.atomic():
        two = [make_version(alice, name).environment.pk for name in ("a", "b")]
        for change, second in steps:
            with suppress(HubError):
                CHANGES[change](Environment.objects.get(pk=two[second]), alice, lab)
        writer.update_pages()
        writer.rebuild(store=LocalStorage(other))
        assert stored(settings.HUB_STORAGE_PATH) == stored(other)
        assert list(writer.differences()) == []
        transaction.set_rollback(True)


def test_rebuild_index_lists_and_repairs_differences(alice: User, root: Path) -> None:
    make_version(alice)
    writer.update_pages()
    assert "every stored page" in rebuild("--check")
    (root / "index/alice/demo-env/index.html").write_text("forged")
    (root / "index/alice/index.json.gz").unlink()
    (root / "index/nobody").mkdir()
    (root / "index/nobody/index.html").write_text("stray")
    with pytest.raises(CommandError, match="3 objects differ"):
        rebuild("--check")
    rebuild()
    assert "every stored page" in rebuild("--check")
    assert not (root / "index/nobody/index.html").exists()


def rebuild(*words: str) -> str:
    """The command's output."""
    output = StringIO()
    call_command("rebuild_index", *words, stdout=StringIO(), stderr=output)
    return output.getvalue()
