# ruff: noqa: SIM905 - words read better in lines
"""Names, tags and READMEs that resemble real ones; always the same for one seed."""

from __future__ import annotations

from itertools import product
from random import Random

FIRST = "many-versions"  # the environment with the most of them
TOPICS = (
    "math algebra geometry calculus chess go sudoku maze code golf sql regex bash python rust lean "
    "proof logic puzzle crossword wordle anagram chemistry physics biology medicine law finance "
    "trading poker negotiation debate dialogue translation summary grammar spelling haiku story "
    "trivia history geography search browser web form email calendar shopping travel robot arm "
    "walker racing kitchen farm market auction bandit cards dice tictactoe connect hanoi sorting "
    "graph tree matrix vector tensor units dates numbers counting letters reverse copy echo recall "
    "needle haystack tools api json yaml csv spreadsheet table chart image caption ocr audio speech"
).split()
KINDS = (
    "env gym bench arena quest world lab task game trainer drill judge suite pack set challenge "
    "hard easy mini long multi deep fast real synthetic verified clean tiny large"
).split()
COMMON = (
    "the environment gives one reward for each answer and none for a wrong one model reads prompt "
    "then writes its reply in a format that parser checks tasks are made from seed so same split "
    "returns every time train eval rubric group rollout turn token limit verifier score dataset"
).split()
TAGS = (*TOPICS[:60], "multi-turn", "single-turn", "tool-use", "code-golf", "long-context", "rlvr")
LICENSES = ("Apache-2.0", "MIT", "BSD-3-Clause", "GPL-3.0-only", "CC-BY-4.0", "")
FRAMEWORKS = ("verifiers", "gymnasium", "openenv", "ors", "skyrl-gym")
SYLLABLES = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]


def coined(random: Random) -> str:
    """A rare word."""
    return "".join(random.choices(SYLLABLES, k=random.randint(3, 4)))


def name(random: Random) -> str:
    """Two or three parts; one in four holds a coined word."""
    parts = [random.choice(TOPICS), random.choice(KINDS)]
    if random.random() < 0.5:
        parts.insert(1, random.choice(TOPICS))
    if random.random() < 0.25:
        parts[0] = coined(random)
    return "-".join(parts)


def tags(random: Random, name: str) -> list[str]:
    """One to five; few tags are on many environments."""
    name_tags = [part for part in name.split("-") if part in TAGS][:2]
    random_tags = [TAGS[int(len(TAGS) * random.random() ** 2)] for _ in range(random.randint(1, 3))]
    return sorted({*name_tags, *random_tags})


def summary(random: Random, name: str) -> str:
    """One sentence."""
    words = [*random.choices(COMMON, k=4), random.choice(TOPICS), random.choice(TOPICS)]
    return f"{name.replace('-', ' ').capitalize()}: {' '.join(words)}."


def readme(random: Random, name: str) -> str:
    """About 150 words, most of them common, some rare."""
    lines = [f"# {name}", ""]
    for _ in range(8):
        words = random.choices(COMMON, k=14) + random.choices(TOPICS, k=3) + [coined(random)]
        random.shuffle(words)
        lines.append(" ".join(words).capitalize() + ".")
    return "\n".join(lines)
