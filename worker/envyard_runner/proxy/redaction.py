"""Find the values of secrets in bytes that come in parts, in each form that usual encoders write.

An encoder of URLs, JSON or HTML leaves letters and digits and may write every other character in
its own way, so each of these characters is searched in all of its spellings.
"""

from __future__ import annotations

import base64
import html
import html.entities
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

SEARCHED_CHARACTERS = 8  # what is shorter is part of common words
MAX_SPELLED = 300  # characters; each lengthens the search and its preparation
ESCAPES = "\\%&"  # with which spellings of characters begin
ENTITIES: dict[str, list[str]] = {}
for _name, _character in html.entities.html5.items():
    if _name.endswith(";") and len(_character) == 1 and ord(_character) < 256:
        ENTITIES.setdefault(_character, []).append(_name)

# The spellings of each piece, or the one text of a form that is found as it is.
Form = tuple[tuple[bytes, ...], ...]


class Redactor:
    """Puts placeholders in place of values in bytes that come in parts.

    The end of a part is held back only while it may be the beginning of a value.
    """

    def __init__(self, forms: Mapping[bytes, Sequence[Form]]) -> None:
        """`forms` are those of `forms_of`."""
        self._placeholders = list(forms)
        self._forms = [form for each in forms.values() for form in each]
        self._longest = max(
            (sum(max(map(len, c)) for c in form) for form in self._forms), default=0
        )
        self._first_bytes = {text[0] for form in self._forms for text in form[0]}
        groups = (b"|".join(map(_pattern, each)) or b"(?!)" for each in forms.values())
        pattern = b"|".join(b"(" + group + b")" for group in groups)
        self._pattern = re.compile(pattern) if self._forms else None
        self._kept = b""

    def feed(self, part: bytes) -> bytes:
        """What can be passed on after this part."""
        if self._pattern is None:
            return part
        data, passed, at = self._kept + part, bytearray(), 0
        for match in self._pattern.finditer(data):
            assert match.lastindex is not None  # noqa: S101  (every alternative is a group)
            passed += data[at : match.start()] + self._placeholders[match.lastindex - 1]
            at = match.end()
        end = len(data) - self._held(data[at:])
        self._kept = data[end:]
        return bytes(passed + data[at:end])

    def finish(self) -> bytes:
        """What was held back, once nothing more comes."""
        rest, self._kept = self._kept, b""
        return rest

    def _held(self, data: bytes) -> int:
        """How many of the last bytes are the beginning of a value."""
        for start in range(max(0, len(data) - self._longest + 1), len(data)):
            if data[start] in self._first_bytes and any(
                _begins(form, data, start) for form in self._forms
            ):
                return len(data) - start
        return 0


def forms_of(values: Mapping[bytes, str]) -> dict[bytes, list[Form]]:
    """The forms of values by their placeholders, the longest value first.

    Beyond MAX_SPELLED characters with spellings of their own, values have their usual forms alone.
    """
    forms, spelled = {}, 0
    for placeholder, value in sorted(values.items(), key=lambda item: len(item[1]), reverse=True):
        special = sum(not _is_plain(character) for character in value)
        every = spelled + special <= MAX_SPELLED
        spelled += special if every else 0
        forms[placeholder] = _forms(value, spelled=every)
    return forms


def _forms(value: str, *, spelled: bool) -> list[Form]:
    """The value as it is written in text, URLs, JSON, HTML, hexadecimal and base64."""
    if len(value) < SEARCHED_CHARACTERS:
        return []
    raw = value.encode()
    texts = {value, quote(value, safe=""), quote_plus(value), json.dumps(value)[1:-1]}
    texts |= {html.escape(value), raw.hex(), raw.hex().upper()}
    encoded = {text.encode() for text in texts}
    encoded |= {form for shift in range(3) for form in _base64_forms(raw, shift)}
    forms: list[Form] = [((text,),) for text in sorted(encoded, key=len, reverse=True)]
    if spelled:
        pieces = re.findall("[A-Za-z0-9]+|.", value, re.DOTALL)
        forms.insert(0, tuple(map(_spellings, pieces)))
    return forms


def _is_plain(character: str) -> bool:
    """Whether encoders leave the characters as they are."""
    return character.isascii() and character.isalnum()


def _spellings(character: str) -> tuple[bytes, ...]:
    """The character, or plain characters, in text, URLs, JSON and HTML.

    The first that fits is the spelling (`_pattern` and `_begins` try no other), so a character that
    may begin its own spelling is last.
    """
    if _is_plain(character):
        return (character.encode(),)
    code = ord(character)
    percent = "".join(f"%{byte:02x}" for byte in character.encode())
    spellings = {character, f"\\{character}", quote(character, safe=""), percent, percent.upper()}
    spellings |= {"+"} if character == " " else set()
    for hexadecimal in (f"{code:x}", f"{code:X}"):
        spellings |= {f"\\u{hexadecimal:0>4}", f"\\x{hexadecimal:0>2}"}
        spellings |= {f"&#{x}{zeros}{hexadecimal};" for x in "xX" for zeros in ("", "0", "00")}
    spellings |= {f"&#{zeros}{code};" for zeros in ("", "0", "00")}
    spellings |= {f"&{name}" for name in ENTITIES.get(character, ())}
    texts = sorted((text.encode() for text in spellings), key=len, reverse=True)
    return tuple(texts if character in ESCAPES else reversed(texts))


def _pattern(form: Form) -> bytes:
    # Atomic groups: a value such as \\/\\/\\/ has 2**n readings otherwise.
    return b"".join(
        re.escape(texts[0]) if len(texts) == 1 else b"(?>" + b"|".join(map(re.escape, texts)) + b")"
        for texts in form
    )


def _begins(form: Form, data: bytes, start: int) -> bool:
    """Whether the data from `start` on is a beginning of the form, and not all of it."""
    position = start
    for texts in form:
        if any(
            len(data) - position < len(text) and text.startswith(data[position:]) for text in texts
        ):
            return True
        length = next((len(text) for text in texts if data.startswith(text, position)), 0)
        if not length:
            return False
        position += length
    return False


def _base64_forms(raw: bytes, shift: int) -> Iterable[bytes]:
    """Base64 of the value alone, and the characters that depend on it alone after `shift` other
    bytes."""
    first, last = (0, 2, 3)[shift], 8 * (shift + len(raw)) // 6
    padded = b"\0" * shift + raw
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(padded)
        form = encoded[first:last]
        if shift == 0:
            yield encoded
        if len(form) >= SEARCHED_CHARACTERS:
            yield form
