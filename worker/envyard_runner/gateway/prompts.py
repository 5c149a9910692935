"""Check whether a call contains the prompt of its task. docs/card.md states the rule."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from envyard.contract.values import CUT
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

# How the worker marks a text that it cut; the runner's own mark is CUT.
MARK = re.compile(r"\N{HORIZONTAL ELLIPSIS}\[\d+ more\]$")
PIECE = 8  # characters
SHARE = 0.5  # of a prompt's units
WINDOW = 100_000  # characters of a call's beginning, and of its end, that are compared in units
OTHERS = 50  # tasks
MATCHES = 1_000  # places where a text is looked at for another task's prompt
CHUNK = 1 << 16  # characters that are normalised in one call, which stops all threads meanwhile
CODE_POINT = re.compile(r"\\u([0-9a-fA-F]{4})")
ESCAPED = re.compile(r'\\[nrt"\\/]')
WORD = re.compile(r"\w+")

Units = frozenset[str]


class Prompts:
    """The prompts of a run's tasks by index, without those that no call can be compared with."""

    def __init__(self, prompts: Mapping[int, str]) -> None:
        texts = {index: _readable(_uncut(prompt)) for index, prompt in prompts.items()}
        self._texts = {index: text for index, text in texts.items() if _squeezed(text)}
        self._squeezed = {index: _squeezed(text) for index, text in self._texts.items()}
        self._views = [_View(cut, self._texts) for cut in (_pieces, _plain_pieces, _words)]
        self._count = Counter(self._squeezed.values())

    def shown(self, task: int, messages: Sequence[Message]) -> bool | None:
        """Whether these messages contain the task's prompt; None where there is none to compare.

        White space, case and escapes count for nothing. Where the prompt is not there literally,
        other tasks' whole prompts are left out of the text (they may be examples); in the rest half
        of its pieces or words must be, or half of those that no other prompt has, and no other
        task's prompt may be recognised better. A prompt that other tasks have too identifies none
        of them: where it is not there, nothing can be compared.
        """
        own = self._squeezed.get(task)
        if own is None:
            return None
        text = _readable("\n".join(plain_text(message.get("content")) for message in messages))
        squeezed = _squeezed(text)
        if own in squeezed:
            return True
        if self._count[own] > 1:
            return None
        if len(text) > 2 * WINDOW:
            text = text[:WINDOW] + "\n" + text[-WINDOW:]
        for other in [*self._count][:OTHERS]:
            if other in squeezed and other not in own:
                text = _without(other, text)
        return any(view.shows(task, text) for view in self._views)


@dataclass(slots=True)
class _View:
    """One way to cut texts into units, and the units of every prompt."""

    cut: Callable[[str], Units]
    prompts: dict[int, Units]

    def __init__(self, cut: Callable[[str], Units], texts: Mapping[int, str]) -> None:
        self.cut = cut
        self.prompts = {index: cut(text) for index, text in texts.items()}

    def shows(self, task: int, text: str) -> bool:
        """Whether half of the prompt's units are in the text, or of those that it alone has, and
        no other prompt's distinct units are there where its own are not."""
        own, sent = self.prompts[task], self.cut(text)
        others = [units for index, units in self.prompts.items() if index != task][:OTHERS]
        alone = own.difference(*others)
        if max(_share(own, sent), _share(alone, sent)) < SHARE:
            return False
        return all(_not_better(other, own, sent) for other in others)


def _not_better(other: Units, own: Units, sent: Units) -> bool:
    """Whether the text has no more of what only the other prompt has than of what only ours has."""
    share = _share(own - other, sent)
    return share >= SHARE or not own - other or _share(other - own, sent) <= share


def _without(prompt: str, text: str) -> str:
    """The text without a squeezed prompt, wherever that occurs as words of its own."""
    places = [place for place, letter in enumerate(text) if not letter.isspace()]
    squeezed, at, kept, end = _squeezed(text), 0, [], 0
    for _ in range(MATCHES):
        if (at := squeezed.find(prompt, at)) < 0:
            break
        first, last = places[at], places[at + len(prompt) - 1] + 1
        at += 1
        if (
            first >= end
            and not text[first - 1 : first].isalnum()
            and not text[last : last + 1].isalnum()
        ):
            kept.append(text[end:first])
            end = last
    return "\n".join([*kept, text[end:]])


def _uncut(prompt: str) -> str:
    return MARK.sub("", prompt.removesuffix(CUT))


def _readable(text: str) -> str:
    """The text in one case and normal form, without the escapes of JSON and HTML."""
    return "".join(map(_readable_chunk, _chunks(text)))


def _chunks(text: str) -> Iterator[str]:
    """The text in parts of about CHUNK characters, which end at a space where there is one."""
    start = 0
    while start < len(text):
        end = start + CHUNK
        if end < len(text):
            end = max(text.rfind(" ", start + CHUNK // 2, end), text.rfind("\n", start, end)) + 1
            end = end if end > start else start + CHUNK
        yield text[start:end]
        start = end


def _readable_chunk(text: str) -> str:
    text = CODE_POINT.sub(lambda match: chr(int(match[1], 16)), text)
    text = ESCAPED.sub(lambda match: "\n" if match[0][1] in "nrt" else match[0][1], text)
    return unicodedata.normalize("NFKC", html.unescape(text)).casefold()


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _pieces(text: str) -> Units:
    text = _squeezed(text)
    return frozenset(text[at : at + PIECE] for at in range(len(text) - PIECE + 1))


def _plain_pieces(text: str) -> Units:
    """Pieces of its letters and digits alone: frames, bullets and quotes are left out."""
    return _pieces("".join(WORD.findall(text)))


def _words(text: str) -> Units:
    return frozenset(WORD.findall(text))


def _share(units: Units, sent: Units) -> float:
    return len(units & sent) / len(units) if units else 0.0
