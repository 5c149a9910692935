"""A way from the beginning to the end without its steps between, which a verifier must follow."""

from __future__ import annotations

import json
import re

from envyard_runner.mutation.forms import parsed

FEWEST = 4  # steps
STEPS_WANTED = re.compile(
    r"\b(?:paths?|routes?|ladders?|chains?|tours?|walks?|moves|steps|hops"
    r"|from \S{1,40} to \S{1,40})\b",
    re.IGNORECASE,
)
PART = re.compile(r"(\s*(?:,|;|->|→|\n)\s*)")
LONGEST_STEP = 60  # characters


def ends(answer: str, prompt: str) -> str | None:
    """The first and the last of FEWEST steps or more, in JSON or behind commas, arrows or lines,
    where the prompt asks for a way."""
    text = answer.strip()
    if not STEPS_WANTED.search(prompt):
        return None
    listed = parsed(text)
    if isinstance(listed, list):
        long = len(listed) >= FEWEST
        return json.dumps([listed[0], listed[-1]], ensure_ascii=False) if long else None
    parts = PART.split(text)
    steps = parts[::2]
    if len(steps) < FEWEST or not all(0 < len(step) <= LONGEST_STEP for step in steps):
        return None
    return f"{steps[0]}{parts[1]}{steps[-1]}"
