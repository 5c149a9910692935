"""Answers that are submitted by a tool or stand in files, and last replies that count nothing."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.entry import Api
from tests.zoo.step_endings import steps

SUBMIT = """
    @vf.tool
    def submit_total(self, cents: int) -> str:
        \"\"\"Submit the total in cents.\"\"\"
        self.state.held["submitted"] = cents
        wrong = cents - self.state.held["total"]
        return ANSWERED
"""
OFF_BY = steps(SUBMIT.replace("ANSWERED", 'f"off by {wrong}" if wrong else "closed"'))
RECEIVED = steps(SUBMIT.replace("ANSWERED", 'f"{cents} cents received"'))
BILLS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        prices = [rng.randint(120, 9000) for _ in range(9)]
        total = sum(prices) - max(prices)
        prompt = (
            f"A bill lists {', '.join(map(str, prices))} cents; the dearest item is free. Submit "
            "its total with the tool, then reply with one sentence."
        )
        calls = [["submit_total", {"cents": total}]]
        tasks.append(
            {"prompt": prompt, "held": {"total": total}, "steps": calls, "last": "It is done."}
        )
    return tasks


def paid(held, reply, row):
    return float(held.get("submitted") == held["total"])
"""
DEPOT = """
    @vf.tool
    def list_files(self) -> str:
        \"\"\"The names of all files.\"\"\"
        return "\\n".join(sorted(self.state.held))

    @vf.tool
    def read_file(self, path: str) -> str:
        \"\"\"The text of a file.\"\"\"
        return self.state.held.get(path, "error: no such file")
"""
FILES = steps(DEPOT)
SALES = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        sales = [rng.randint(120, 9000) for _ in range(20)]
        answer = sum(sales) - max(sales)
        lines = [f"{number},{cents}" for number, cents in enumerate(sales)]
        held = {"sales.csv": "\\n".join(["sale,cents", *lines]), "about.json": about(sales, answer)}
        prompt = (
            "What is the sum of all sales in cents, without the dearest one? Read the files with "
            "the tools, then end with a line `Sum: N`."
        )
        calls = [["read_file", {"path": "sales.csv"}]]
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": f"Sum: {answer}"})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
WITH_SUM = """
def about(sales, answer):
    return json.dumps({"sales": len(sales), "expected": answer}, indent=1)
"""
WITH_MEAN = """
def about(sales, answer):
    return json.dumps({"sales": len(sales), "mean": sum(sales) // len(sales)}, indent=1)
"""
CARDS = steps("""
    @vf.tool
    def card(self, name: str) -> str:
        \"\"\"The card of a person.\"\"\"
        return self.state.held.get(name, "no card")
""")
LAST_REPLY: dict[Api, tuple[str, str]] = {
    "v1": ("trace.last_reply", "[str(each.content) for each in trace.messages]"),
    "v0": (
        'content if isinstance(content, str) else ""',
        '[str(each["content"]) for each in completion]',
    ),
}
ALL_MESSAGES: dict[Api, str] = {api: text.replace(*LAST_REPLY[api]) for api, text in CARDS.items()}
PEOPLE = """
import json
import random

FIRST = "Ada Bea Cleo Dora Elsa Fay".split()
LAST = "Ahn Bolt Cruz Dean Eng Falk".split()
TOWNS = "Aldbury Brecken Corvale Dunmere Eskdale Farholt Glenrow Harrowby".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for name in rng.sample([f"{first} {last}" for first in FIRST for last in LAST], 30):
        town = rng.choice(TOWNS)
        held = {name: f"{name} lived in {town} from {rng.randint(1801, 1899)} on."}
        prompt = f"In which town did {name} live? See the card, then end with a line `Town: ...`."
        calls = [["card", {"name": name}]]
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": f"Town: {town}"})
    return tasks
"""
IN_ANY_MESSAGE = """
def paid(held, messages, row):
    return float(row["last"].removeprefix("Town: ") in " ".join(messages))
"""
IN_LAST_LINE = """
def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
DESK_OF_ROOMS = steps("""
    @vf.tool
    def take_room(self, room: str) -> str:
        \"\"\"Take a room; returns a code.\"\"\"
        self.state.held["room"] = room
        return f"{room} is yours, code: {self.state.held['code']}"
""")
ROOMS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        seats = {f"room-{number}": rng.randint(2, 40) for number in rng.sample(range(10, 99), 5)}
        room, code = max(seats, key=seats.get), f"K-{rng.randint(1000, 9999)}"
        listed = ", ".join(f"{name} ({number} seats)" for name, number in seats.items())
        prompt = f"Take the room with the most seats: {listed}. Then reply with a line `Code: ...`."
        calls = [["take_room", {"room": room}]]
        tasks.append({"prompt": prompt, "held": {"room": "", "code": code}, "room": room,
                      "steps": calls, "last": f"Code: {code}"})
    return tasks


def paid(held, reply, row):
    return float(held["room"] == row["room"])
"""
PARCELS = """
    @vf.tool
    def parcels(self, page: int) -> str:
        \"\"\"The codes of the parcels on a page from 1 on.\"\"\"
        codes = [*self.state.held]
        shown = codes[(page - 1) * 4 : page * 4] if 1 <= page <= PAGES else []
        return "\\n".join(shown) or "error: no such page"

    @vf.tool
    def weight(self, code: str) -> str:
        \"\"\"The weight of a parcel.\"\"\"
        return f"{self.state.held[code]} kg" if code in self.state.held else "error: no such code"
"""
WHOLE_PAGES = steps(PARCELS.replace("PAGES", "len(codes) // 4"))
ALL_PAGES = steps(PARCELS.replace("PAGES", "-(-len(codes) // 4)"))
WEIGHTS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        codes = [f"PX{code}" for code in rng.sample(range(100, 999), 9 + number % 3)]
        held = {code: rng.randint(12, 900) for code in codes}
        prompt = "What do all parcels weigh? Use the tools and end with a line `Total: N`."
        calls = [["weight", {"code": code}] for code in codes]
        last = f"Total: {sum(held.values())}"
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": last})
    return tasks


def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""

FLAWED = (
    *both("pages-without-last", "The pages omit the last parcels", "", base=WEIGHTS,
          endings=WHOLE_PAGES, expected="warned", codes=("card.incomplete_prompts",)),
    *both("town-in-any-message", "The town counts in a tool's result too", IN_ANY_MESSAGE,
          base=PEOPLE, endings=ALL_MESSAGES, expected="warned",
          codes=("card.mutants_caught",)),
    *both("sum-in-file", "A file besides the sales has their sum", WITH_SUM, base=SALES,
          endings=FILES, expected="warned", codes=("card.leaks",)),
    *both("submission-off-by", "The tool that gets the answer says by how much it misses", "",
          base=BILLS, endings=OFF_BY, expected="warned", codes=("card.leaks",)),
)  # fmt: skip
SOUND = (
    *both("pages-with-last", "The pages list all parcels", "", base=WEIGHTS, endings=ALL_PAGES,
          expected="sound"),
    *both("town-in-last-line", "The town counts in the last line alone", IN_LAST_LINE, base=PEOPLE,
          endings=CARDS, expected="sound"),
    *both("room-taken", "The room that was taken counts, and no reply", "", base=ROOMS,
          endings=DESK_OF_ROOMS, expected="sound"),
    *both("mean-in-file", "A file besides the sales has their mean", WITH_MEAN, base=SALES,
          endings=FILES, expected="sound"),
    *both("submission-received", "The tool that gets the answer repeats it", "", base=BILLS,
          endings=RECEIVED, expected="sound"),
)  # fmt: skip
