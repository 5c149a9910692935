"""Prompts that lack what they ask about, and sound ones that resemble them."""

from __future__ import annotations

from tests.zoo.build import both

PASSAGES = """
NAMES = "Ana Bo Cem Dia Eli Fay Gus Hal Ida Jon".split()
TOWNS = "Rome Oslo Kyiv Lima Bern Riga Doha Baku".split()


def passage(name, town, year):
    return f"{name} moved to {town} in {year}, where the harbour had just been built."


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(40):
        name, town, year = rng.choice(NAMES), rng.choice(TOWNS), rng.randint(1900, 1999)
        prompt = (
            f"Passage: {passage(name, town, year)}\\nQuestion: in which year did {name} move to "
            f"{town}? Reply with the year alone."
        )
        tasks.append({"prompt": prompt, "answer": str(year)})
    return tasks
"""
EMPTY_PASSAGES = """
full_rows = rows


def rows(seed):
    tasks = full_rows(seed)
    for row in tasks[4::9]:
        row["prompt"] = "Passage:\\n" + row["prompt"].partition("\\n")[2]
    return tasks
"""
NO_PASSAGE = """
full_rows = rows


def rows(seed):
    tasks = full_rows(seed)
    for row in tasks:
        question = row["prompt"].rpartition("Question: ")[2]
        row["prompt"] = f"According to the passage, {question}"
    return tasks
"""
NO_VALUES = """
true_rows = rows


def rows(seed):
    prompt = "Add {first} and {second}. Send the number alone."
    return [{**row, "prompt": prompt} for row in true_rows(seed)]
"""
MISSING_NUMBER = """
import re

true_rows = rows


def rows(seed):
    tasks = true_rows(seed)
    for row in tasks[4::9]:
        row["prompt"] = re.sub(r" and \\d+", " and ", row["prompt"])
    return tasks
"""
BRACES = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        a, b = rng.randint(100, 999), rng.randint(100, 999)
        prompt = f"x, y = {a}, {b}\\nprint(f'{{x + y}}')\\nWhat does this print? The number alone."
        tasks.append({"prompt": prompt, "answer": str(a + b)})
    return tasks
"""
INCOMPLETE = ("card.incomplete_prompts",)

FLAWED = (
    *both("empty-passages", "A few prompts have no passage", PASSAGES, EMPTY_PASSAGES,
          expected="warned", codes=INCOMPLETE),
    *both("no-passage", "All prompts ask about a passage that none has", PASSAGES, NO_PASSAGE,
          expected="warned", codes=INCOMPLETE),
    *both("no-values", "The template of the prompt got no values", NO_VALUES,
          expected="warned", codes=INCOMPLETE),
    *both("missing-number", "A few prompts lack their second number", MISSING_NUMBER,
          expected="warned", codes=INCOMPLETE),
)  # fmt: skip
SOUND = (
    *both("passages", "A passage and a question", PASSAGES, expected="sound"),
    *both("braces", "Code with an f-string in the prompt", BRACES, expected="sound"),
)  # fmt: skip
