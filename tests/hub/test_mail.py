"""HUB_EMAIL_URL, and what becomes of mail where it is not set."""

import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection

from hub import mail


def test_without_a_server_messages_become_files_that_only_we_may_read(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    options = mail.from_url("", folder=folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    connection = get_connection(options["EMAIL_BACKEND"], file_path=options["EMAIL_FILE_PATH"])
    assert Path(connection.file_path) == folder


@pytest.mark.parametrize(
    ("url", "port", "ssl", "tls"),
    [
        ("smtp://mail.example", 25, False, False),
        ("smtp://me%40x:s%2Fcret@mail.example:587?tls=1", 587, False, True),
        ("smtps://me%40x:s%2Fcret@mail.example", 465, True, False),
    ],
)
def test_mail_url_configures_the_whole_server(
    tmp_path: Path, url: str, port: int, ssl: bool, tls: bool
) -> None:
    options = mail.from_url(url, folder=tmp_path)
    assert (options["EMAIL_HOST"], options["EMAIL_PORT"]) == ("mail.example", port)
    assert (options["EMAIL_USE_SSL"], options["EMAIL_USE_TLS"]) == (ssl, tls)
    if "@" in url:
        assert (options["EMAIL_HOST_USER"], options["EMAIL_HOST_PASSWORD"]) == ("me@x", "s/cret")


@pytest.mark.parametrize(
    "url", ["mail.example", "http://mail.example", "smtp://", "smtp://x?starttls=1", "smtp://x:y"]
)
def test_a_bad_address_is_refused_without_its_password(tmp_path: Path, url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"HUB_EMAIL_URL='.*': must look"):
        mail.from_url(url, folder=tmp_path)
