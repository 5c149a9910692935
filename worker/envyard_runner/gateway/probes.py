"""The probes: scripted policies that answer in a model's place and need no GPU.

Each is a pure function of what was asked. They show whether a verifier can be fooled before any
GPU second is spent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]

CHARACTERS_PER_TOKEN = 4

# A right-to-left mark, stacked accents, an emoji made of three, digits of other scripts, markup
# that closes what it never opened, numbers that are none: what breaks parsers that only ever met
# tidy replies.
ODD = (
    "\N{RIGHT-TO-LEFT OVERRIDE}",
    "e\N{COMBINING ACUTE ACCENT}\N{COMBINING TILDE}",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}",
    "\N{ZERO WIDTH SPACE}",
    "\N{FULLWIDTH DIGIT FIVE}\N{ARABIC-INDIC DIGIT THREE}",
    "</answer><answer>",
    "\\boxed{",
    "NaN",
    "-1e309",
    "{{",
    "%s",
    "\t\r\n",
)
LETTERS = "abcdefghijklmnopqrstuvwxyzäßøжщλ漢字仮名"


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: the chat so far, the tools on offer, the reference last given for this rollout.

    `rng` is seeded by run, rollout and call, so that a run can be repeated; `max_tokens` bounds
    the reply as it would a model's.
    """

    messages: Sequence[Message]
    tools: Sequence[Message]
    reference: Message | None
    rng: random.Random
    max_tokens: int

    @property
    def most(self) -> int:
        """The longest reply, in characters."""
        return self.max_tokens * CHARACTERS_PER_TOKEN


class NoReference(LookupError):
    """The policy repeats a reference answer and the environment has given none."""


def silent(_: Ask) -> Message:
    """Say nothing."""
    return _says("")


def parrot(ask: Ask) -> Message:
    """Repeat the last user message, cut where a model would have been."""
    said = [plain(m.get("content")) for m in ask.messages if m.get("role") == "user"]
    return _says(said[-1][: ask.most] if said else "")


def babble(ask: Ask) -> Message:
    """Say seeded noise, as long as a reply may be, with odd Unicode in it."""
    words: list[str] = []
    length = 0
    while length < ask.most:
        letters = "".join(ask.rng.choices(LETTERS, k=ask.rng.randint(1, 9)))
        word = ask.rng.choice(ODD) if ask.rng.random() < 0.1 else letters
        words.append(word)
        length += len(word) + 1
    return _says(" ".join(words)[: ask.most])


def repeat_reference(ask: Ask) -> Message:
    """Say the reference as it is; raises NoReference. For `swapped` it is another task's."""
    if ask.reference is None:
        raise NoReference
    return ask.reference


# The function of each probe in envyard.contract.probes, by its name there.
REPLIES: dict[str, Callable[[Ask], Message]] = {
    "silent": silent,
    "parrot": parrot,
    "babble": babble,
    "oracle": repeat_reference,
    "swapped": repeat_reference,
}


def plain(content: Any) -> str:
    """The text of a chat message's content, whether a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _says(content: str) -> Message:
    return {"role": "assistant", "content": content}
