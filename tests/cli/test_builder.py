"""Building a wheel from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from envyard.__main__ import main

BACKEND = """
import os
os.write(1, bytes([255, 27, 91, 50, 74]))
raise SystemExit(7)
"""


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "has no pyproject.toml"),
        ({"pyproject.toml": b"[[["}, "Failed to parse"),
        ({"pyproject.toml": b"\xff\xfe"}, "decode"),
        (
            {
                "pyproject.toml": b'[build-system]\nrequires = []\nbuild-backend = "evil"\n'
                b'backend-path = ["."]\n[project]\nname = "x"\nversion = "1"\n',
                "evil.py": BACKEND.encode(),
            },
            "building",
        ),
    ],
)
def test_a_folder_that_cannot_be_built_ends_with_one_sentence(
    tmp_path: Path, files: dict[str, bytes], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    assert main(["check", "--offline", str(folder)]) in (1, 2)
    err = capsys.readouterr().err
    first = next(line for line in err.splitlines() if line.startswith("error:"))
    assert words in first
    assert "\x1b" not in err
    assert "hint:" in err
