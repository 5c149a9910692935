"""The bar of a push on terminals of any width."""

import io

import pytest

from envyard.output import Output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [20, 40, 80])
@pytest.mark.parametrize("label", ["run running", "run queued, number 12 of 340 in the queue"])
def test_a_bar_never_fills_its_line_and_so_leaves_no_trail(
    columns: int, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal = Terminal()
    Output(err=terminal).progress(label, 7, 45)
    drawn = terminal.getvalue().removeprefix("\r\033[K")
    assert drawn.startswith(label[: columns - 8])
    assert drawn.endswith("7/45")
    assert len(drawn) < columns


def test_where_nothing_is_planned_yet_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    Output(err=terminal).progress("run preparing", 0, 0)
    assert terminal.getvalue() == "\r\033[Krun preparing"
