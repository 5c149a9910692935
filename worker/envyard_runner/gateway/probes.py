"""The replies of the probes: scripted policies that answer in a model's place and need no GPU.

Each is a pure function of the call. They show whether a verifier can be fooled before any GPU
second is spent.
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
class ProbeCall:
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
    def max_characters(self) -> int:
        """The longest reply, in characters."""
        return self.max_tokens * CHARACTERS_PER_TOKEN


class NoReference(LookupError):
    """The policy repeats a reference answer and the environment has given none."""


def silent(_: ProbeCall) -> Message:
    """Reply with nothing."""
    return _assistant("")


def parrot(call: ProbeCall) -> Message:
    """Repeat the last user message, cut to the length of a reply."""
    prompts = [plain_text(m.get("content")) for m in call.messages if m.get("role") == "user"]
    return _assistant(prompts[-1][: call.max_characters] if prompts else "")


def babble(call: ProbeCall) -> Message:
    """Reply with seeded noise of the maximum length, with odd Unicode in it."""
    words: list[str] = []
    length = 0
    while length < call.max_characters:
        letters = "".join(call.rng.choices(LETTERS, k=call.rng.randint(1, 9)))
        word = call.rng.choice(ODD) if call.rng.random() < 0.1 else letters
        words.append(word)
        length += len(word) + 1
    return _assistant(" ".join(words)[: call.max_characters])


def repeat_reference(call: ProbeCall) -> Message:
    """Reply with the reference as it is; raises NoReference. For `swapped` it is another task's."""
    if call.reference is None:
        raise NoReference
    return call.reference


# The function of each probe in envyard.contract.probes, by its name there.
REPLIES: dict[str, Callable[[ProbeCall], Message]] = {
    "silent": silent,
    "parrot": parrot,
    "babble": babble,
    "oracle": repeat_reference,
    "swapped": repeat_reference,
}


def plain_text(content: Any) -> str:
    """The text of a chat message's content, whether a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _assistant(content: str) -> Message:
    return {"role": "assistant", "content": content}
