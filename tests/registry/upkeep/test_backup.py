"""A hub is copied, and comes back whole or not at all."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from registry import storage
from registry.models import User, Version
from registry.upkeep import database
from registry.upkeep.backup import backup, restore
from registry.upkeep.failure import Failure
from tests import postgresql
from tests.factories import make_rollout, make_run, make_version
from tests.wheels import make_wheel

pytestmark = pytest.mark.timeout(300)  # whole databases are copied, dumped and restored

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    if os.environ.get("DATABASE_URL"):
        programs = postgresql.programs(tmp_path)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return tmp_path / "files"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of another hub on this kind of database, with nothing in it."""
    with ExitStack() as stack:
        environ = {"HUB_HOME": str(tmp_path / "other")}
        if server := os.environ.get("DATABASE_URL", ""):
            environ["DATABASE_URL"] = stack.enter_context(postgresql.database(server))
        yield os.environ | environ


def manage(environ: dict[str, str], *words: str, expect: int = 0) -> str:
    """The output of a command of the other hub."""
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", *words], env=environ, capture_output=True, text=True
    )
    assert done.returncode == expect, done.stderr
    return done.stdout + done.stderr


def rows(environ: dict[str, str]) -> Any:
    """Versions and rewards that the other hub has, as JSON."""
    words = ("dumpdata", "--skip-checks", "registry.version", "registry.rollout")
    return json.loads(manage(environ, *words))


@pytest.mark.django_db(transaction=True)
def test_a_copy_brings_a_whole_hub_back_and_a_damaged_one_nothing(
    alice: User, other: dict[str, str], tmp_path: Path
) -> None:
    version = make_version(alice, wheel=make_wheel())
    make_rollout(make_run(version), reward=0.5)
    folder = tmp_path / "copy"
    call_command("backup", str(folder))
    copied = folder / "objects" / storage.key("wheels", version.sha256)

    original = copied.read_bytes()
    copied.write_bytes(original[:-1])
    output = manage(other, "restore", str(folder), expect=1)
    assert f"the copy is damaged: {copied}: sha256 is" in output
    assert not Path(other["HUB_HOME"], "files").exists()
    copied.write_bytes(original)

    manage(other, "restore", str(folder))
    manage(other, "verify_storage")
    reward, back = sorted(rows(other), key=lambda row: row["model"])
    assert reward["fields"]["reward"] == 0.5
    assert back["fields"]["sha256"] == version.sha256
    kept = Path(other["HUB_HOME"], "files", storage.key("wheels", version.sha256))
    assert kept.read_bytes() == original
    for file in Path(other["HUB_HOME"]).glob("*.sqlite3*"):
        assert file.stat().st_mode & 0o007 == 0, file
    assert "the database has tables" in manage(other, "restore", str(folder), expect=1)


@pytest.fixture
def copy(db: None, tmp_path: Path) -> Path:
    """A copy of a hub with one object and no rows, its sums as sha256sum likes them."""
    data = make_wheel()
    folder = tmp_path / "copy"
    digest = storage.digest(_file(tmp_path / "wheel", data))
    storage.get().put(storage.key("wheels", digest), tmp_path / "wheel", digest)
    assert backup(folder, now=timezone.now()) == 1
    return folder


def _file(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_copy_is_private_and_checked_by_sha256sum(copy: Path) -> None:
    assert copy.stat().st_mode & 0o077 == 0
    checked = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=copy, capture_output=True)
    assert checked.returncode == 0
    assert json.loads((copy / "backup.json").read_text())["objects"] == 1


def test_a_folder_that_was_there_before_is_closed_to_others(db: None, tmp_path: Path) -> None:
    folder = tmp_path / "mounted"
    folder.mkdir(mode=0o755)
    backup(folder, now=timezone.now())
    assert folder.stat().st_mode & 0o077 == 0


def test_a_folder_with_anything_in_it_takes_no_copy(copy: Path) -> None:
    with pytest.raises(CommandError, match="is not empty: name a new folder"):
        call_command("backup", str(copy))


def test_a_hub_with_rows_takes_none_back(copy: Path, alice: User) -> None:
    with pytest.raises(CommandError, match="the database has tables"):
        call_command("restore", str(copy))
    assert Version.objects.count() == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 2}, "format 2"),
        ({"database": "oracle"}, "the copy is of oracle"),
        ({"migrations": ["registry.9999_future"]}, "newer hub: registry.9999_future"),
        ({"migrations": ["registry.0001_initial"]}, "lacks the migration registry.0002_registry"),
        ({"sums_sha256": "0" * 64}, "the copy is damaged"),
    ],
)
def test_what_this_hub_cannot_take_is_refused_at_once(
    copy: Path, change: dict[str, Any], why: str
) -> None:
    about = copy / "backup.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | change))
    with pytest.raises(Failure, match=why):
        restore(copy)


def test_a_copy_that_was_cut_off_is_refused(copy: Path) -> None:
    (copy / "backup.json").unlink()
    with pytest.raises(Failure, match="the copy is not whole"):
        restore(copy)


def test_what_vanishes_while_it_is_copied_is_left_out(copy: Path, tmp_path: Path) -> None:
    """A promoted object is found under its new key."""
    (key,) = (stored.key for stored in storage.get().list())
    storage.get().move(key, "staging/1.wheel")
    copied_keys = []

    def promote(copied: str) -> None:
        copied_keys.append(copied)
        if copied == "staging/1.wheel":
            storage.get().move("staging/1.wheel", key)

    assert backup(tmp_path / "again", now=timezone.now(), progress=promote) == 2
    assert copied_keys == ["staging/1.wheel", key]


def damage(file: Path) -> None:
    """Overwrite pages behind the first ones, as a failing disk does."""
    with file.open("r+b") as pages:
        pages.seek(8 * 4096)
        pages.write(os.urandom(20 * 4096))


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HUB_HOME of a hub with tables on SQLite, for tests to copy."""
    home = tmp_path_factory.mktemp("migrated") / "hub"
    manage(_on_sqlite(home), "migrate", "--verbosity", "0")
    return home


@pytest.fixture
def sqlite_hub(migrated: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a hub with tables on SQLite."""
    return _on_sqlite(shutil.copytree(migrated, tmp_path / "hub"))


def _on_sqlite(home: Path) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return environ | {"HUB_HOME": str(home)}


def test_a_damaged_database_is_never_backed_up_as_success(
    sqlite_hub: dict[str, str], tmp_path: Path
) -> None:
    damage(Path(sqlite_hub["HUB_HOME"], "hub.sqlite3"))
    output = manage(sqlite_hub, "backup", str(tmp_path / "copy"), expect=1)
    assert "the hub's database is damaged: " in output
    assert "restore the newest good backup" in output
    assert not (tmp_path / "copy" / "backup.json").exists()
    assert "Traceback" not in output


def test_a_damaged_database_stops_the_start_with_the_next_step(sqlite_hub: dict[str, str]) -> None:
    file = Path(sqlite_hub["HUB_HOME"], "hub.sqlite3")
    damage(file)
    for command in (["migrate"], ["serve", "--no-demo"]):
        output = manage(sqlite_hub | {"HUB_PORT": "18999"}, *command, expect=1)
        assert "the hub's database is damaged: " in output
        assert f"sqlite3 {file} .recover" in output
        assert "Traceback" not in output
    output = manage(sqlite_hub, "verify_storage", expect=1)
    assert "corrupt: database: " in output or "the hub's database is damaged: " in output


def test_a_copy_whose_database_is_damaged_is_refused_before_anything_is_written(
    sqlite_hub: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    manage(sqlite_hub, "backup", str(folder))
    damage(folder / "database.sqlite3")  # as the hub of today would have copied it
    lines = (folder / "SHA256SUMS").read_text().splitlines()[1:]
    sums = [f"{storage.digest(folder / 'database.sqlite3')}  database.sqlite3", *lines]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    about = json.loads((folder / "backup.json").read_text())
    about["sums_sha256"] = storage.digest(folder / "SHA256SUMS")
    (folder / "backup.json").write_text(json.dumps(about))
    environ = sqlite_hub | {"HUB_HOME": str(tmp_path / "new")}
    output = manage(environ, "restore", str(folder), expect=1)
    assert "the copy's database is damaged: " in output
    assert not (tmp_path / "new" / "files").exists()


def test_a_log_left_beside_a_copy_or_of_a_lost_database_is_not_read(
    sqlite_hub: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    manage(sqlite_hub, "backup", str(folder))
    (folder / "database.sqlite3-wal").write_bytes(os.urandom(9000))
    environ = sqlite_hub | {"HUB_HOME": str(tmp_path / "new")}
    left = tmp_path / "new" / "hub.sqlite3-wal"
    left.parent.mkdir()
    left.write_bytes(os.urandom(9000))
    assert "move it away first" in manage(environ, "restore", str(folder), expect=1)
    left.unlink()
    manage(environ, "restore", str(folder))
    manage(environ, "verify_storage")


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_a_hub_that_lost_objects_is_made_and_names_them(
    alice: User, tmp_path: Path
) -> None:
    gone = make_version(alice, wheel=make_wheel())
    storage.get().delete(storage.key("wheels", gone.sha256))
    folder = tmp_path / "copy"
    with pytest.raises(CommandError, match=f"{gone.sha256} of .* is missing") as caught:
        call_command("backup", str(folder))
    assert caught.value.returncode == 3
    about = json.loads((folder / "backup.json").read_text())
    assert len(about["problems"]) == 1


@pytest.mark.parametrize("content", ["[]", "{}", '{"format": 1', "null"])
def test_a_backup_json_that_is_none_is_refused(copy: Path, content: str) -> None:
    (copy / "backup.json").write_text(content)
    with pytest.raises(Failure, match="cannot be read"):
        restore(copy)


def test_a_truncated_database_copy_is_refused_though_its_sums_fit(copy: Path) -> None:
    """Even with matching checksums, the database's own format is read to its end."""
    file = next(path for path in copy.iterdir() if path.name.startswith("database."))
    with file.open("r+b") as data:
        data.truncate(file.stat().st_size * 2 // 3)
    assert database.damage_of(copy)
