"""What reaches the terminal."""

import io
import json
from pathlib import Path

import pytest

from envyard.__main__ import main
from envyard.output import Output, safe
from tests.cli.conftest import Answers


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\033[31mred\033[0m", "?[31mred?[0m"),
        ("a\rb\bc", "a?b?c"),
        ("abc\u202egnp.exe", "abc?gnp.exe"),
        ("title\033]0;pwned\007", "title?]0;pwned?"),
        ("line\n\ttab é 漢", "line\n\ttab é 漢"),
    ],
)
def test_output_replaces_control_characters(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown


def test_output_separates_tables_by_tabs_in_a_pipe() -> None:
    out = io.StringIO()
    Output(out=out, err=io.StringIO()).table(("A", "B"), [("x\ty", "z\nw")])
    assert out.getvalue() == "x y\tz w\n"


class Terminal(io.StringIO):
    """A stdout that is a terminal."""

    def isatty(self) -> bool:
        return True


HEAD, ROWS = ("FILE", "BYTES", "SHA256"), [("train.parquet", 7, "a" * 64), ("b", 1200, "b" * 64)]


@pytest.mark.parametrize("columns", ["80", "44"])
def test_tables_align_numbers_to_the_right_on_a_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = Terminal()
    Output(out=out, err=io.StringIO()).table(HEAD, ROWS)
    assert out.getvalue().splitlines() == [
        "FILE           BYTES  SHA256",
        f"train.parquet      7  {'a' * 64}",
        f"b               1200  {'b' * 64}",
    ]


def test_tables_have_a_line_for_each_cell_on_a_terminal_too_narrow_for_their_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    Output(out=out, err=io.StringIO()).table(HEAD, [*ROWS, ("empty", 0, "")])
    assert out.getvalue().splitlines() == [
        "train.parquet",
        "  BYTES   7",
        f"  SHA256  {'a' * 64}",
        "b",
        "  BYTES   1200",
        f"  SHA256  {'b' * 64}",
        "empty",
        "  BYTES   0",
    ]


def test_a_sentence_in_the_last_column_ends_at_the_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    rows = [("alice/demo", "Reverse a text of up to forty characters"), ("alice/b", "Add")]
    Output(out=out, err=io.StringIO()).table(("ENVIRONMENT", "SUMMARY"), rows)
    assert out.getvalue().splitlines() == [
        "ENVIRONMENT  SUMMARY",
        "alice/demo   Reverse a text of up to fo…",
        "alice/b      Add",
    ]


def test_quiet_prints_results_and_errors_alone() -> None:
    out, err = io.StringIO(), Terminal()
    quiet = Output(out=out, err=err, quiet=True)
    quiet.note("Uploading")
    quiet.hint("install it")
    quiet.progress("run running", 1, 2)
    assert err.getvalue() == ""
    quiet.line("result")
    quiet.error("it failed", "Try again.")
    assert out.getvalue() == "result\n"
    assert "it failed" in err.getvalue()
    assert "Try again." in err.getvalue()


def test_a_table_without_rows_prints_nothing_on_a_terminal() -> None:
    out = Terminal()
    Output(out=out, err=io.StringIO()).table(HEAD, [])
    assert out.getvalue() == ""


def test_output_prints_json_alone_on_stdout(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    server.reply("GET /api/v1/environments/?limit=20&q=nothing", 200, {"results": [], "next": None})
    assert main(["search", "nothing", "--json", "--url", server.url]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out) == []
    assert output.err == ""


def test_a_log_that_comes_in_pieces_keeps_its_lines(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    run = "00000000-0000-0000-0000-000000000001"
    pieces = [("one\ntw", 1, False), ("o\nthr", 2, False), ("ee", 3, True)]
    for after, (text, following, ended) in enumerate(pieces):
        answer = {"text": text, "next": following, "ended": ended}
        server.reply(f"GET /api/v1/runs/{run}/log/?after={after}", 200, answer)
    server.reply(f"GET /api/v1/runs/{run}/", 200, {"findings": []})
    assert main(["logs", run, "--url", server.url]) == 0
    assert capsys.readouterr().out == "one\ntwo\nthree\n"


def test_output_prints_errors_as_json(server: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "alice/none", "--json", "--url", server.url]) == 1
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "hub.error"


@pytest.mark.slow
def test_an_unreachable_hub_is_named_with_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--url", "http://127.0.0.1:9"]) == 1
    stderr = capsys.readouterr().err
    assert "cannot reach http://127.0.0.1:9: Connection refused" in stderr
    assert "hint:" in stderr


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["search", "--url", "http://[::1"], 2, "not an http:// or https:// address"),
        (["search", "--url", "http://hub:port"], 2, "not an http:// or https:// address"),
        (["init", "my-env", "--path", "/proc/my-env"], 1, "/proc/my-env: No such file"),
        (["push", "--owner", "a/b"], 2, "owner 'a/b' must be"),
    ],
)
def test_commands_print_an_error_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hub_test")
    assert main(command) == code
    assert message in capsys.readouterr().err


def test_an_unreadable_config_file_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / "config" / "envyard" / "config.json"
    file.parent.mkdir(parents=True)
    for content in ("[1]", "7", "{"):
        file.write_text(content)
        assert main(["search"]) == 2
        assert f"{file} cannot be read" in capsys.readouterr().err


def test_a_bad_reference_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "reverse-text"]) == 2
    assert "write owner/name" in capsys.readouterr().err
