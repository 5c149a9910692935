"""Tools that mislead, know too little or let a control be overwritten, and zones of time; sound
searches and games whose references read the conversation."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.endings import GAME
from tests.zoo.entry import Api
from tests.zoo.step_endings import steps

SCALES = '''
    @vf.tool
    def weigh(self, name: str) -> str:
        """The weight of a parcel."""
        names = [*self.state.held]
        if name not in names:
            return "error: no such parcel"
        return f"{self.state.held[names[ROW % len(names)]]} kg"
'''
NEXT_ROW = steps(SCALES.replace("ROW", "(names.index(name) + 1)"))
RIGHT_ROW = steps(SCALES.replace("ROW", "names.index(name)"))
IN_LAST_LINE = """
def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
PARCELS = """
import json
import random

NAMES = "alder birch cedar elm fir hazel larch maple oak pine rowan willow".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        held = {name: rng.randint(12, 900) for name in NAMES}
        chosen = rng.sample(NAMES, 3 + number % 3)
        prompt = (
            f"What do the parcels {', '.join(chosen[:-1])} and {chosen[-1]} weigh altogether? "
            "Weigh them with the tool, then end with a line `Total: ... kg`."
        )
        calls = [["weigh", {"name": name}] for name in chosen]
        last = f"Total: {sum(held[name] for name in chosen)} kg"
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": last})
    return tasks
"""
ATLAS = '''
    @vf.tool
    def height(self, mountain: str) -> str:
        """The height of a mountain."""
        known = dict([*HEIGHTS.items()][:KNOWN])
        return f"{known[mountain]} m" if mountain in known else "error: no such mountain"
'''
FIRST_PART = steps(ATLAS.replace("KNOWN", "14"))
WHOLE_ATLAS = steps(ATLAS.replace("KNOWN", "len(HEIGHTS)"))
MOUNTAINS = """
import json
import random

BEGINNINGS = "Ard Bel Cor Dun Esk Fen".split()
ENDINGS = "horn spitz fell nip stock grat".split()
NAMES = [first + last for first in BEGINNINGS for last in ENDINGS]
HEIGHTS = {name: random.Random(name).randint(1012, 4788) for name in NAMES}


def rows(seed):
    tasks = []
    for name in sorted(random.Random(seed).sample(NAMES, 30), key=NAMES.index):
        metres = HEIGHTS[name]
        prompt = f"How high is the {name}? Look it up, then end with a line `Height: ... m`."
        calls = [["height", {"mountain": name}]]
        last = f"Height: {metres} m"
        tasks.append({"prompt": prompt, "held": {}, "steps": calls, "last": last})
    return tasks
"""
SHEET = steps('''
    @vf.tool
    def read_cell(self, cell: str) -> str:
        """The value of a cell."""
        return f"{cell}: {self.state.held[cell]}" if cell in self.state.held else "no such cell"

    @vf.tool
    def set_cell(self, cell: str, value: int) -> str:
        """Replace the value of a cell."""
        if cell not in self.state.held:
            return "error: no such cell"
        self.state.held[cell] = value
        return f"{cell}: {value}"
''')
LEDGERS = """
import json
import random

AMOUNTS = ("B1", "B2", "B3", "B4", "B5")


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        held = {cell: rng.randint(120, 9000) for cell in AMOUNTS}
        total = sum(held.values()) - max(held.values())
        held["T1"] = total + rng.randint(1, 99)
        prompt = (
            "The cells B1, B2, B3, B4 and B5 hold amounts. T1 should be their sum without the "
            "largest one, but it is wrong. Read the cells, set T1 right and reply with one "
            "sentence."
        )
        reads = [["read_cell", {"cell": cell}] for cell in AMOUNTS]
        calls = [*reads, ["set_cell", {"cell": "T1", "value": total}]]
        tasks.append(
            {"prompt": prompt, "held": held, "total": total, "steps": calls, "last": "It is done."}
        )
    return tasks


def paid(held, reply, row):
    amounts = [held[cell] for cell in AMOUNTS]
    return float(CONTROL)
"""
CLOCKS = """
ZONES = [60 * hours for hours in range(-9, 12)] + [330, 570, 210, -210, -570]


def shown(minutes):
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest}" if rest else "")


def read(zone):
    hours, _, rest = zone[4:].partition(":")
    sign = -1 if zone[3] == "-" else 1
    return MINUTES


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(80):
        at, (first, second) = rng.randint(0, 287) * 5, map(shown, rng.sample(ZONES, 2))
        later = (at + read(second) - read(first)) % 1440
        prompt = (
            f"A clock in the zone {first} shows {at // 60:02}:{at % 60:02}. What time is it in the "
            f"zone {second}? Reply with the time alone, as in a timetable with 24 hours."
        )
        tasks.append({"prompt": prompt, "answer": f"{later // 60:02}:{later % 60:02}"})
    return tasks
"""
SEARCHING = """
    def oracle(self, messages):
        results = [str(each["content"]) for each in messages if each["role"] == "tool"]
        low, high = 1, 64
        for result in results:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if "full" in result else (low, middle)
        if low == high:
            return f"Broken: {low}"
        function = {"name": "pressure", "arguments": json.dumps({"section": (low + high) // 2})}
        call = {"id": f"call_{len(results)}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
"""
PRESSURE = '''
    @vf.tool
    def pressure(self, section: int) -> str:
        """The pressure behind a section of the pipe."""
        self.state.held["readings"] += 1
        return "full" if section < self.state.held["broken"] else "none"
'''
READINGS = steps(PRESSURE)["v1"]
PIPES: dict[Api, str] = {
    "v1": READINGS[: READINGS.index("    def oracle")]
    + SEARCHING.lstrip("\n")
    + "\n\n"
    + READINGS[READINGS.index("class ZooConfig") :]
}
BURSTS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "One of the sections 1 to 64 of a pipe is broken: the pressure is full behind those before "
        "it, and none behind it and those that follow. Each reading costs a hundredth of the mark. "
        "Which one is it? End with a line `Broken: N`."
    )
    return [
        {"prompt": prompt, "held": {"broken": broken, "readings": 0}, "last": f"Broken: {broken}"}
        for broken in rng.sample(range(1, 65), 30)
    ]


def paid(held, reply, row):
    right = reply.strip().splitlines()[-1:] == [row["last"]]
    return max(0.0, right - 0.01 * held["readings"])
"""
READING = """
    def oracle(self, messages):
        a, b = map(int, re.findall(r"\\d+(?= stones)", str(messages[-1]["content"])))
        return f"<take>{abs(a - b)} from {'A' if a > b else 'B'}</take>"
"""
STONES: dict[Api, str] = {"v1": GAME["v1"].replace("ORACLE", READING)}
TWO_HEAPS = """
import json
import random
import re

MOVE = re.compile(r"<take>(\\d{1,2}) from ([AB])</take>")


def shown(heaps):
    return f"Heap A has {heaps['A']} stones and heap B {heaps['B']} stones."


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        heaps = dict(zip("AB", rng.sample(range(3, 10), 2)))
        prompt = (
            "We take stones in turn, any number from one heap; who takes the last one wins. Write "
            "a move as <take>, how many and from which heap, and </take>, as in <take>1 from "
            f"A</take>; several in a reply, or one that cannot be made, lose. {shown(heaps)}"
        )
        tasks.append({"prompt": prompt, "heaps": heaps, "number": number})
    return tasks


def start(row):
    return {"heaps": dict(row["heaps"]), "won": False}


def take(heaps, count, heap):
    legal = 1 <= count <= heaps[heap]
    heaps[heap] -= count * legal
    return legal


def respond(reply, game, row):
    moves, heaps = MOVE.findall(reply), game["heaps"]
    if len(moves) != 1 or not take(heaps, int(moves[0][0]), moves[0][1]):
        return None
    if not any(heaps.values()):
        game["won"] = True
        return None
    difference = abs(heaps["A"] - heaps["B"])
    heap = max("BA", key=heaps.get)
    count = difference or random.Random(row["number"]).randint(1, heaps[heap])
    take(heaps, count, heap)
    return f"I take {count} from {heap}. {shown(heaps)}" if any(heaps.values()) else None


def paid(game, row):
    return float(game["won"])
"""
LATE = ("card.late_tasks",)

FLAWED = (
    *both("weights-of-next", "The tool weighs the next parcel of the list", IN_LAST_LINE,
          base=PARCELS, endings=NEXT_ROW, expected="warned",
          codes=("card.tool_results",)),
    *both("atlas-of-first", "The tool knows the first 14 of 36 mountains", IN_LAST_LINE,
          base=MOUNTAINS, endings=FIRST_PART, expected="warned", codes=LATE),
    *both("amounts-writable", "A sum is compared with amounts that a tool can replace",
          base=LEDGERS.replace("CONTROL", "held['T1'] == sum(amounts) - max(amounts)"),
          endings=SHEET, expected="warned", codes=("card.floor",)),
    *both("half-hours-behind", "Half hours are added in zones west of Greenwich",
          CLOCKS.replace("MINUTES", "sign * 60 * int(hours) + int(rest or 0)"), expected="warned",
          codes=("card.label_outliers",)),
)  # fmt: skip
SOUND = (
    *both("weights-of-all", "The tool weighs the parcel that is named", IN_LAST_LINE, base=PARCELS,
          endings=RIGHT_ROW, expected="sound"),
    *both("atlas-of-all", "The tool knows all mountains", IN_LAST_LINE, base=MOUNTAINS,
          endings=WHOLE_ATLAS, expected="sound"),
    *both("amounts-kept", "The sum is compared with the amounts of the task",
          base=LEDGERS.replace("CONTROL", "held['T1'] == row['total']"), endings=SHEET,
          expected="sound"),
    *both("half-hours", "Half hours count in both directions",
          CLOCKS.replace("MINUTES", "sign * (60 * int(hours) + int(rest or 0))"),
          expected="sound"),
    *both("burst-section", "The reference reads nothing but the results of its tool", "",
          base=BURSTS, endings=PIPES, expected="sound"),
    *both("two-heaps", "The reference reads the position off the last message", "",
          base=TWO_HEAPS, endings=STONES, expected="sound"),
)  # fmt: skip
