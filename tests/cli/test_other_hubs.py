"""Answers of a hub of another release, or of none, end with one sentence and a next step."""

from __future__ import annotations

import pytest

from envyard.__main__ import main
from tests.cli.conftest import Answers

API = "/api/v1/"
DEEP = "[" * 200_000 + "]" * 200_000  # sent as it is


@pytest.mark.parametrize(
    ("command", "request_line", "answer", "word"),
    [
        (
            ["quota", "alice"],
            "GET owners/alice/quota/",
            {"usage": {}, "limits": {}},
            "'storage_bytes'",
        ),
        (["quota"], "GET whoami/", {}, "'user'"),
        (
            ["retry", "alice/demo==1.0"],
            "POST environments/alice/demo/versions/1.0/retry/",
            {},
            "'status'",
        ),
        (["whoami"], "GET whoami/", {"name": "alice"}, "'user'"),
        (["quota", "alice"], "GET owners/alice/quota/", [1, 2], "is not a hub's"),
        (["quota", "alice"], "GET owners/alice/quota/", DEEP, "is not a hub's"),
    ],
)
def test_an_answer_of_another_shape_is_named(
    server: Answers,
    command: list[str],
    request_line: str,
    answer: object,
    word: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUB_URL", server.url)
    method, path = request_line.split()
    server.reply(f"{method} {API}{path}", 200, answer)
    assert main(command) == 1
    err = capsys.readouterr().err
    assert word in err
    assert "hint:" in err
