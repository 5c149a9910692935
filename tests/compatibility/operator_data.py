"""What the operator of the measured runs keeps: a wheel that the index lacks, and NLTK data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

from envyard_runner.venvs.script_wheels import write_wheels

SOURCE_ONLY = "langdetect"  # has no wheel on the index
INSTALL_SECONDS = 300
TAGGER = "taggers/averaged_perceptron_tagger_eng/averaged_perceptron_tagger_eng"
NLTK_FILES = {
    "corpora/words/en": "adder\nbirch\ncrane\ndelta\neagle\nfjord\ngrape\nhouse\nivory\njolly\n",
    "corpora/words/en-basic": "house\n",
    "corpora/words/README": "Made up.\n",
    "corpora/stopwords/english": "a\nan\nthe\n",
    f"{TAGGER}.weights.json": "{}",
    f"{TAGGER}.tagdict.json": '{"house": "NN"}',
    f"{TAGGER}.classes.json": '["NN"]',
    **dict.fromkeys(
        (
            "tokenizers/punkt_tab/english/abbrev_types.txt",
            "tokenizers/punkt_tab/english/collocations.tab",
            "tokenizers/punkt_tab/english/ortho_context.tab",
            "tokenizers/punkt_tab/english/sent_starters.txt",
        ),
        "",
    ),
}


def settings(folder: Path) -> dict[str, str]:
    """The runner's settings, once everything is in `folder`."""
    return {
        "UV_FIND_LINKS": str(_wheels(folder)),
        "RUNNER_NLTK_DATA": str(_nltk_data(folder / "nltk")),
    }


def _wheels(folder: Path) -> Path:
    """A folder with the wheel, which uv builds from its source distribution."""
    site, wheels = folder / "site", folder / "wheels"
    install = [find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    command = [*install, "--python", sys.executable, "--no-binary", SOURCE_ONLY, SOURCE_ONLY]
    subprocess.run(command, timeout=INSTALL_SECONDS, check=True)
    write_wheels(site, [SOURCE_ONLY], wheels)
    return wheels / SOURCE_ONLY


def _nltk_data(folder: Path) -> Path:
    for name, text in NLTK_FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in (folder, *folder.rglob("*")):  # NLTK reads nothing that others may write
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder
