"""The log lines of a request."""

import logging
import logging.config
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from registry.models import User
from tests.factories import make_version


def test_a_refusal_leaves_no_traceback(
    client: Client, alice: User, carol: User, capsys: pytest.CaptureFixture[str]
) -> None:
    make_version(alice, "open-env")
    handlers = logging.getLogger().handlers[:]
    logging.config.dictConfig(settings.LOGGING)
    try:
        client.force_login(carol)
        assert client.get("/envs/alice/open-env/settings/").status_code == 403
        try:
            Path("/nowhere/at/all").read_bytes()
        except OSError:
            logging.getLogger("registry").exception("ours")
    finally:
        logging.getLogger().handlers[:] = handlers
    refused, _, fault = capsys.readouterr().err.partition("ERROR registry")
    assert "Forbidden" in refused
    assert "Traceback" not in refused
    assert "Traceback" in fault
