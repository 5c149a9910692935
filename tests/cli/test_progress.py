"""The bar of a push on terminals of any width."""

import io
import re

import pytest

from envyard.commands.show import queue_text
from envyard.output import Output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [20, 40, 80])
@pytest.mark.parametrize("label", ["run running", "run queued, number 12 of 340 in the queue"])
def test_progress_bar_is_shorter_than_the_line(
    columns: int, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal = Terminal()
    Output(err=terminal).progress(label, 7, 45)
    drawn = terminal.getvalue().removeprefix("\r\033[K")
    assert drawn.startswith(label[: columns - 8])
    assert drawn.endswith("7/45")
    assert len(drawn) < columns


def test_progress_without_a_total_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    Output(err=terminal).progress("run preparing", 0, 0)
    assert terminal.getvalue() == "\r\033[Krun preparing"


def test_a_run_between_attempts_shows_the_next_attempt_and_the_reason() -> None:
    lost = {"attempt": 1, "runner": "gpu-1", "message": "uv cache:\n\x1b[31mpermission denied"}
    run = {
        "queue": {"before": 0, "waiting": 1, "runners": 2},
        "not_before": "2026-11-22T10:15:30+00:00",
        "lost_attempts": [lost],
    }
    waiting = queue_text(run)
    assert re.match(
        r"waits until \d\d:15:30 for its next attempt: attempt 1 on gpu-1 ended", waiting
    )
    assert waiting.isprintable()
    assert queue_text(run | {"not_before": None}) == "number 1 of 1 in the queue, 2 live runners"
