"""Examples that may be the task, and files with the answers of all tasks; sound ones too."""

from __future__ import annotations

from tests.zoo.build import both

CRATES = """
import json
import random

WARES = (
    "saffron pepper cinnamon cardamom nutmeg ginger turmeric vanilla cloves mustard fennel "
    "aniseed paprika juniper sumac tarragon marjoram oregano rosemary lavender chicory liquorice "
    "camphor indigo madder sandalwood amber myrrh tobacco molasses"
).split()


def mark(ware):
    return f"{ware[0].upper()}{len(ware):02d}{ware[-1].upper()}"


def rows(seed):
    rng = random.Random(seed)
    wares = rng.sample(WARES, len(WARES))
    tasks = []
    for place, ware in enumerate(wares):
        shelf = wares[place // 6 * 6:][:6]
        shown = rng.sample([each for each in shelf if SHOWN], 2)
        prompt = (
            "A crate's mark is the first letter of its ware, the number of its letters as two "
            f"digits, and its last letter. On shelf {place // 6 + 1} there are:\\n"
            + "\\n".join(f"{each}: {mark(each)}" for each in shown)
            + f"\\n\\nWhich mark has a crate of {ware}? Reply with the mark alone."
        )
        tasks.append({"prompt": prompt, "answer": mark(ware)})
    return tasks


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
LEAKS = ("card.leaks",)
FLAWED = (
    *both("crate-shown", "A third of the prompts show the mark of the crate that they ask about",
          base=CRATES.replace("SHOWN", "True"), expected="warned", codes=LEAKS),
)  # fmt: skip
SOUND = (
    *both("crates-beside-it", "The prompts show the marks of two other crates",
          base=CRATES.replace("SHOWN", "each != ware"), expected="sound"),
)  # fmt: skip
