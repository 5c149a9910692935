"""Examples that may be the task, and files with the answers of all tasks; sound ones too."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

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
VAULT = """
import json
import random
import re

GUESTS = "Ambrose Beatrix Cornelius Delphine Eustace Florence Gideon Harriet Isidore".split()
ROOMS = "boathouse chapel kitchen library cellar".split()
CASES = random.Random(3)
THIEVES = {f"case-{number:03d}": CASES.choice(GUESTS) for number in range(1, 31)}


def files_of(case):
    rng = random.Random(case)
    thief, number = THIEVES[case], int(case[-3:])
    room, *others = rng.sample(ROOMS, 4)
    guests = rng.sample([guest for guest in GUESTS if guest != thief], 3)
    lines = [f"{guest} was in the {other} at nine." for guest, other in zip(guests, others)]
    lines.append(f"{thief} was in the {room} at nine.")
    return {
        f"{case}/report.txt": f"The brooch vanished from the {room} at nine.",
        f"{case}/statements.txt": "\\n".join(sorted(lines)),
        "FILE": json.dumps(CONTENT, indent=1),
    }


def rows(seed):
    tasks = []
    for case, thief in THIEVES.items():
        prompt = (
            f"The folder {case} has a report on a theft and the statements of four guests, all "
            "true. Who was in the room of the theft? Reply with <thief>, the name and </thief>."
        )
        reads = [["read_file", {"path": f"{case}/{name}.txt"}] for name in ("report", "statements")]
        tasks.append({"prompt": prompt, "held": files_of(case), "last": f"<thief>{thief}</thief>",
                      "steps": [["list_files", {"folder": case}], *reads]})
    return tasks


def paid(held, reply, row):
    named = re.findall(r"<thief>[* ]*([A-Z][a-z]{2,20})[* ]*</thief>", reply)
    return float([f"<thief>{each}</thief>" for each in named] == [row["last"]])
"""
FILES = '''
    @vf.tool
    def list_files(self, folder: str) -> str:
        """The files of a folder; . is all of them."""
        names = [name for name in self.state.held if folder in (".", "/", "")
                 or name.startswith(folder + "/")]
        return "\\n".join(sorted(names)) or "no such folder"

    @vf.tool
    def read_file(self, path: str) -> str:
        """A text file, by its folder and name."""
        return self.state.held.get(path, "no such file")
'''
LEAKS = ("card.leaks",)
FLAWED = (
    *both("crate-shown", "A third of the prompts show the mark of the crate that they ask about",
          base=CRATES.replace("SHOWN", "True"), expected="warned", codes=LEAKS),
    *both("answers-beside-notes", "The tools that read the folder of a case also read answers.json",
          base=VAULT.replace("FILE", "answers.json").replace("CONTENT", "THIEVES"),
          endings=steps(FILES), expected="warned", codes=LEAKS),
)  # fmt: skip
SOUND = (
    *both("crates-beside-it", "The prompts show the marks of two other crates",
          base=CRATES.replace("SHOWN", "each != ware"), expected="sound"),
    *both("guests-beside-notes", "The tools that read the folder of a case also read guests.json",
          base=VAULT.replace("FILE", "guests.json").replace("CONTENT", "GUESTS"),
          endings=steps(FILES), expected="sound"),
)  # fmt: skip
