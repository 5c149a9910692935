"""An upload that pauses half sent, and is repeated until it is accepted."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import requests

from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

PAUSE_SECONDS = 0.5
ANSWER_SECONDS = 30.0


class Upload:
    """An upload of a new environment to `url`; `answers` are the statuses, 0 where none came.

    The first try pauses in the middle until `go_on`. It is repeated until it is accepted: a second
    upload of the same bytes succeeds too. `bulk` bytes make it larger.
    """

    def __init__(self, url: str, token: str, name: str, bulk: int = 0) -> None:
        self.name, self.answers = name, list[int]()
        extra = {"replace": {"licenses/bulk": os.urandom(bulk)}} if bulk else {}
        data = make_wheel(name, **extra)
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._request = requests.Request(
            "POST",
            f"{url}/legacy/alice/",
            data=form_of(data),
            files={"content": (filename(name), data)},
            auth=("__token__", token),
        ).prepare()
        self.half, self._on, self._over = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def start(self) -> Upload:
        """Send the first half."""
        self._thread.start()
        assert self.half.wait(60), f"{self.name}: half of it was not taken"
        return self

    def go_on(self) -> None:
        """Send the rest."""
        self._on.set()

    def accepted(self, seconds: float) -> bool:
        """Whether it was, within that time."""
        self._thread.join(seconds)
        self._over.set()
        return 200 in self.answers

    def _send(self) -> None:
        while not self._over.is_set():
            status = 0
            with suppress(OSError, HTTPException):
                status = self._once()
            self.answers.append(status)
            if status == 200:
                return
            time.sleep(PAUSE_SECONDS)

    def _once(self) -> int:
        at, body = urlsplit(self._request.url or ""), self._request.body
        assert isinstance(body, bytes)
        connection = HTTPConnection(str(at.hostname), at.port, timeout=ANSWER_SECONDS)
        try:
            connection.putrequest("POST", at.path, skip_accept_encoding=True)
            for name, value in self._request.headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            connection.send(body[: len(body) // 2])
            self.half.set()
            self._on.wait()
            connection.send(body[len(body) // 2 :])
            return connection.getresponse().status
        finally:
            connection.close()
