"""The layout of templates and stylesheets, which djangofmt leaves to their authors."""

from pathlib import Path

FRONTEND = Path(__file__).parents[2] / "frontend"
COLUMNS = 120


def test_templates_and_stylesheets_have_no_line_over_120_columns() -> None:
    files = [*FRONTEND.glob("templates/**/*.html"), *FRONTEND.glob("static/**/*.css")]
    long = [
        f"{file.relative_to(FRONTEND)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > COLUMNS
    ]
    assert files
    assert not long
