"""The preview image of an environment, as other sites show it: PNG, 1200 by 630, drawn by Pillow.

Text is drawn as one flat line with the hub's font and holds the signs of that font alone: accents
are removed, all other signs (emoji, right-to-left marks, line breaks) become blanks.
"""

from __future__ import annotations

import io
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, MARGIN = 1200, 630, 72
FONT = Path(__file__).parent.parent / "static" / "fonts" / "inter.woff2"
REGULAR, BOLD = 400, 650
INK, MUTED, PAGE, LINE, ACCENT = "#1c1d1f", "#5e6168", "#fbfbfa", "#e2e2dd", "#0f6b5c"
MAX_SUMMARY_LINES, MAX_CHARACTERS = 3, 400
_drawing = threading.Lock()  # FreeType's fonts are not made for several threads
_ABSENT = re.compile(r"[^ -~«°±·»×–—‘’“”•…−]+")


@dataclass(frozen=True, slots=True)
class Preview:
    """What the image shows; `evidence` are the parts of the verdict strip."""

    owner: str
    name: str
    summary: str
    evidence: tuple[str, ...]


def draw(preview: Preview) -> bytes:
    """The PNG; the same preview gives the same bytes."""
    with _drawing:
        return _draw(preview)


def _draw(preview: Preview) -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), PAGE)
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, WIDTH, 12), fill=ACCENT)
    room = WIDTH - 2 * MARGIN
    canvas.text(
        (MARGIN, 84), _cut(drawable(preview.owner) + " /", _font(36), room - 200), MUTED, _font(36)
    )
    title = drawable(preview.name)
    size = next((s for s in (80, 64, 52, 44) if _width(title, _font(s, BOLD)) <= room), 36)
    canvas.text((MARGIN, 136), _cut(title, _font(size, BOLD), room), INK, _font(size, BOLD))
    summary = _font(34)
    for number, line in enumerate(_lines(drawable(preview.summary), summary, room)):
        canvas.text((MARGIN, 256 + 46 * number), line, INK, summary)
    canvas.line((MARGIN, 470, WIDTH - MARGIN, 470), LINE, 2)
    _evidence(canvas, preview.evidence, room)
    brand = _font(26, BOLD)
    canvas.text((WIDTH - MARGIN - _width("Envyard", brand), 84), "Envyard", MUTED, brand)
    data = io.BytesIO()
    image.quantize(64).save(data, "PNG", optimize=True)
    return data.getvalue()


def drawable(text: str) -> str:
    """One line of the signs that the font has; accents are removed."""
    decomposed = unicodedata.normalize("NFKD", text[:MAX_CHARACTERS])
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(_ABSENT.sub(" ", plain).split())


def _evidence(canvas: ImageDraw.ImageDraw, parts: Sequence[str], room: int) -> None:
    """The parts in at most two lines, a part never broken."""
    font, lines = _font(30, BOLD), [""]
    for part in map(drawable, parts):
        joined = f"{lines[-1]}  ·  {part}" if lines[-1] else part
        if _width(joined, font) <= room:
            lines[-1] = joined
        else:
            lines.append(part)
    for number, line in enumerate(lines[:2]):
        canvas.text((MARGIN, 500 + 46 * number), _cut(line, font, room), INK, font)


def _lines(text: str, font: ImageFont.FreeTypeFont, room: int) -> Iterator[str]:
    """The text in lines that fit; the last one ends with an ellipsis where more would follow."""
    words = text.split()
    for number in range(1, MAX_SUMMARY_LINES + 1):
        line = ""
        while words and (not line or _width(f"{line} {words[0]}", font) <= room):
            line = f"{line} {words.pop(0)}".strip()
        if number == MAX_SUMMARY_LINES and words:
            line = f"{line} …"
        if line:
            yield _cut(line, font, room)


def _cut(line: str, font: ImageFont.FreeTypeFont, room: int) -> str:
    """The line, with an ellipsis in place of what does not fit."""
    if _width(line, font) <= room:
        return line
    while line and _width(f"{line}…", font) > room:
        line = line[:-1]
    return f"{line}…"


def _width(text: str, font: ImageFont.FreeTypeFont) -> float:
    return font.getlength(text)


@cache
def _font(size: int, weight: int = REGULAR) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(FONT, size)
    font.set_variation_by_axes([weight])
    return font
