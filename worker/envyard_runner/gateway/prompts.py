"""Whether a call shows the policy the prompt of its task. docs/card.md says what is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envyard.contract.values import CUT
from envyard_runner.policies import Message, plain

# How the driver marks a text that it cut; the runner's own mark is CUT.
MARK = re.compile(r"\N{HORIZONTAL ELLIPSIS}\[\d+ more\]$")
PIECE = 8  # characters
SHARE = 0.5  # of a prompt's pieces
WINDOW = 100_000  # characters of a call's beginning, and of its end, that are cut into pieces
OTHERS = 50  # tasks


class Prompts:
    """The prompts of a run's tasks by index, without those that no call can be compared with."""

    def __init__(self, prompts: Mapping[int, str]) -> None:
        squeezed = {index: _squeezed(_uncut(prompt)) for index, prompt in prompts.items()}
        self._prompts = {index: prompt for index, prompt in squeezed.items() if prompt}

    def shown(self, task: int, messages: Sequence[Message]) -> bool | None:
        """Whether these messages contain the task's prompt; None where there is none to compare.

        White space and case count for nothing. A prompt that was put into a template or written
        otherwise in places is contained where half of its pieces are, and as large a share of it
        as of any other task's.
        """
        own = self._prompts.get(task)
        if own is None:
            return None
        text = _squeezed("\n".join(plain(message.get("content")) for message in messages))
        if own in text:
            return True
        pieces = _pieces(text if len(text) <= 2 * WINDOW else text[:WINDOW] + text[-WINDOW:])
        share = _share(own, pieces)
        others = [p for index, p in self._prompts.items() if index != task][:OTHERS]
        return share >= SHARE and all(_share(other, pieces) <= share for other in others)


def _uncut(prompt: str) -> str:
    return MARK.sub("", prompt.removesuffix(CUT))


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())


def _pieces(text: str) -> set[str]:
    return {text[at : at + PIECE] for at in range(len(text) - PIECE + 1)}


def _share(prompt: str, pieces: set[str]) -> float:
    own = _pieces(prompt)
    return len(own & pieces) / len(own) if own else 0.0
