"""Typed readers: a bad value stops the start with the reason."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from envyard.card.prices import Prices
from hub import database, env

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("value", "read", "rule"),
    [
        ("80x", lambda: env.integer("X", 1, low=1, high=9), "must be a whole number"),
        ("99", lambda: env.integer("X", 1, low=1, high=9), "must be between 1 and 9"),
        ("maybe", lambda: env.flag("X", False), "must be one of 1, true"),
        ("ftp", lambda: env.choice("X", "local", among=("local", "s3")), "must be one of local"),
        ("a,b", lambda: env.words("X", (), among=("a",)), "'b' must be one of a"),
        ("a,a", lambda: env.words("X", ()), "must not contain a name twice"),
        ("localhost:80", lambda: env.url("X"), "must be a URL that starts with http://"),
    ],
)
def test_a_bad_value_names_variable_value_and_rule(
    monkeypatch: pytest.MonkeyPatch, value: str, read: Callable[[], object], rule: str
) -> None:
    monkeypatch.setenv("X", value)
    with pytest.raises(ImproperlyConfigured) as caught:
        read()
    assert f"X={value!r}: " in str(caught.value)
    assert rule in str(caught.value)


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", " ")
    assert env.integer("X", 7, low=1, high=9) == 7
    assert env.flag("X", True) is True


def test_prices_of_tokens_are_named_by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRICES", "org/a=b=0.15/0.60, other=1/4")
    assert env.token_prices("PRICES") == {"org/a=b": Prices(0.15, 0.6), "other": Prices(1, 4)}
    monkeypatch.delenv("PRICES")
    assert env.token_prices("PRICES") == {}
    for bad in ("other=1", "1/2", "other=1/-2"):
        monkeypatch.setenv("PRICES", bad)
        with pytest.raises(ImproperlyConfigured, match="PRICES"):
            env.token_prices("PRICES")


def test_words_keep_their_order_and_none_is_the_empty_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "b, a")
    assert env.words("X", ()) == ("b", "a")
    monkeypatch.setenv("X", "none")
    assert env.words("X", ("a",)) == ()


def test_a_secret_is_read_from_the_file_that_its_twin_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    monkeypatch.setenv("X_FILE", str(tmp_path / "secret"))
    assert env.secret("X") == "s3cret"
    monkeypatch.setenv("X", "other")
    with pytest.raises(ImproperlyConfigured, match="X and X_FILE are both set"):
        env.secret("X")
    monkeypatch.delenv("X")
    monkeypatch.setenv("X_FILE", str(tmp_path / "absent"))
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.secret("X")


def test_a_generated_secret_stays_the_same_and_private(tmp_path: Path) -> None:
    file = tmp_path / "key"
    first = env.generated_secret("X", file)
    assert len(first) > 50
    assert env.generated_secret("X", file) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_is_made_and_one_that_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert env.folder("X", tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    monkeypatch.setenv("X", str(tmp_path / "file" / "home"))
    with pytest.raises(ImproperlyConfigured, match=r"cannot be written \(Not a directory\)"):
        env.folder("X", tmp_path)


def test_database_urls_are_read_and_strange_ones_refused_without_their_password(
    tmp_path: Path,
) -> None:
    entry = database.from_url(
        "postgresql://hub:p%40ss@db:5433/hub?sslmode=require&tcp_user_timeout=9",
        default_file=tmp_path,
    )
    assert (entry["NAME"], entry["USER"], entry["PASSWORD"]) == ("hub", "hub", "p@ss")
    assert (entry["HOST"], entry["PORT"]) == ("db", "5433")
    assert entry["OPTIONS"]["sslmode"] == "require"
    assert "jit=off" in entry["OPTIONS"]["options"]
    own = database.from_url("postgresql://localhost/hub?options=-c%20jit%3Don", default_file=Path())
    assert own["OPTIONS"]["options"] == "-c jit=on"
    assert (entry["OPTIONS"]["tcp_user_timeout"], entry["OPTIONS"]["keepalives_idle"]) == (
        "9",
        "15",
    )
    assert database.from_url("", default_file=tmp_path / "x")["NAME"] == tmp_path / "x"
    assert database.from_url("sqlite:///a/b.db", default_file=tmp_path)["NAME"] == Path("/a/b.db")
    with pytest.raises(ImproperlyConfigured) as caught:
        database.from_url("mysql://me:hidden@db/hub", default_file=tmp_path)
    assert "hidden" not in str(caught.value)
