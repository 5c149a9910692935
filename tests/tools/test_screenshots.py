"""The pictures that the README shows are those that `make screenshots` takes."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from tools.screenshots import COLOURS, NARROW, OUT, WIDE

README = Path(__file__).parents[2] / "README.md"


def test_the_pictures_of_the_readme_exist_and_have_the_sizes_of_the_command() -> None:
    shown = re.findall(r"\]\(docs/screenshots/([\w-]+\.png)\)", README.read_text())
    assert len(shown) == 6
    pictures = sorted(OUT.glob("*.png"))
    assert set(shown) <= {picture.name for picture in pictures}
    for picture in pictures:
        with Image.open(picture) as image:
            assert image.size in (WIDE, NARROW)
            assert len(image.getcolors(COLOURS) or []) > 2
