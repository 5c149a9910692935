"""Refusals that tell what is right, a sample printed as a whole and a control sheet that tools may
write; sound refusals, and a sheet whose writing is the work."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

IN_LAST_LINE = """
def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
HATCH = '''
    @vf.tool
    def read_plate(self, number: int) -> str:
        """One of the plates on the wall, 1 to 3."""
        plates = self.state.held["plates"]
        return plates[number - 1] if 1 <= number <= len(plates) else "error: no such plate"

    @vf.tool
    def open_hatch(self, hatch: str, code: str) -> str:
        """Open a hatch by its code."""
        held = self.state.held
        if hatch != held["hatch"]:
            return "There is no such hatch."
        return "It swings open." if code == held["code"] else REFUSAL
'''
PLATES = """
import json
import random

WORDS = "CLOVER BRIAR SORREL TANSY YARROW NETTLE LOVAGE CHERVIL".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        hatch, word, number = f"H-{rng.randint(100, 999)}", rng.choice(WORDS), rng.randint(12, 48)
        added = rng.randint(3, 40)
        code = f"{word}-{number + added}"
        plates = [f"A code is a word, a hyphen and a number. The word is {word}.",
                  f"The number is {number} and what the last plate adds.", f"Add {added}."]
        prompt = (
            f"Work out the code of the hatch {hatch} with the plates, open it, and end with a line "
            "`Code: ...`."
        )
        calls = [["read_plate", {"number": at}] for at in (1, 2, 3)]
        calls.append(["open_hatch", {"hatch": hatch, "code": code}])
        tasks.append({"prompt": prompt, "held": {"hatch": hatch, "code": code, "plates": plates},
                      "steps": calls, "last": f"Code: {code}"})
    return tasks
"""
DEPOT = '''
    @vf.tool
    def weigh(self, parcel: str) -> str:
        """The kilograms of a parcel."""
        held = self.state.held
        return str(held["kilograms"]) if parcel == held["parcel"] else "error: no such parcel"

    @vf.tool
    def deliver(self, parcel: str, bay: str) -> str:
        """Bring a parcel to a bay, such as K-11."""
        held = self.state.held
        if parcel != held["parcel"]:
            return "error: no such parcel"
        held["delivered"] = held["delivered"] or bay == held["bay"]
        return f"{parcel} is in {bay}." if bay == held["bay"] else REFUSAL
'''
PARCELS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        parcel, kilograms = f"P-{rng.randint(1000, 9999)}", rng.randint(2, 60)
        letter, first = rng.choice("BCDFGH"), rng.randint(11, 30)
        bay = f"{letter}-{first + kilograms // 10}"
        prompt = (
            f"Bring parcel {parcel} to its bay in the hall {letter}: the bays there are counted "
            f"from {first} on, one for each ten kilograms that a parcel has begun, so less than "
            "ten kilograms go to the first. Weigh it, and end with a line `Bay: ...`."
        )
        calls = [["weigh", {"parcel": parcel}], ["deliver", {"parcel": parcel, "bay": bay}]]
        held = {"parcel": parcel, "kilograms": kilograms, "bay": bay, "delivered": False}
        tasks.append({"prompt": prompt, "held": held, "steps": calls, "last": f"Bay: {bay}"})
    return tasks


def paid(held, reply, row):
    right = reply.strip().splitlines()[-1:] == [row["last"]]
    return float(right and held["delivered"])
"""
MINERALS = steps('''
    @vf.tool
    def run_test(self, test: str) -> str:
        """Run a test on the sample: hardness, streak or lustre."""
        sample = self.state.held
        if test not in ("hardness", "streak", "lustre"):
            return PRINTED
        return f"{test}: {sample[test]}"
''')
SAMPLES = """
import json
import random

KNOWN = {"galena": (2.5, "lead-grey", "metallic"), "pyrite": (6.5, "green-black", "metallic"),
         "calcite": (3.0, "white", "glassy"), "quartz": (7.0, "white", "glassy"),
         "haematite": (5.5, "red-brown", "metallic"), "fluorite": (4.0, "white", "glassy"),
         "magnetite": (6.0, "black", "metallic"), "topaz": (8.0, "none", "glassy")}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        mineral = rng.choice([*KNOWN])
        hardness, streak, lustre = KNOWN[mineral]
        ident = f"S-{rng.randint(100, 999)}"
        sample = {"ident": ident, "mineral": mineral, "hardness": hardness, "streak": streak,
                  "lustre": lustre, "grams": rng.randint(20, 400)}
        prompt = (
            f"Which mineral is the sample {ident}? Run tests on it, and end with a line `Mineral: "
            "NAME` with its usual English name, in plain text and lower case."
        )
        calls = [["run_test", {"test": each}] for each in ("hardness", "streak", "lustre")]
        tasks.append({"prompt": prompt, "held": sample, "steps": calls,
                      "last": f"Mineral: {mineral}"})
    return tasks
"""
WORKBOOK = steps('''
    @vf.tool
    def show_sheet(self, sheet: str) -> str:
        """All cells of a sheet, formulas with their values."""
        cells = self.state.held.get(sheet)
        return shown(cells) if cells else "error: no such sheet"

    @vf.tool
    def set_cell(self, sheet: str, cell: str, value: str) -> str:
        """Write a number, a text or a formula into a cell of a sheet."""
        held = self.state.held
        if sheet not in held:
            return "error: no such sheet"
        held[sheet] = {**held[sheet], cell: value}
        return f"{sheet} {cell}: {value}"
''')
SHEETS = """
import json
import random
import re


def number(cells, cell):
    text = str(cells.get(cell, "")).strip()
    formula = re.fullmatch(r"=B(\\d{1,2})([*+])C(\\d{1,2})", text)
    if formula is None:
        return int(text) if re.fullmatch(r"\\d{1,9}", text) else None
    left, right = number(cells, f"B{formula[1]}"), number(cells, f"C{formula[3]}")
    if left is None or right is None:
        return None
    return left * right if formula[2] == "*" else left + right


def shown(cells):
    return "\\n".join(
        f"{cell}: {text} -> {number(cells, cell)}" if text.startswith("=") else f"{cell}: {text}"
        for cell, text in cells.items()
    )


def orders(rng, clients):
    cells = {"A1": "client", "B1": "pieces", "C1": "price", "D1": "amount"}
    for line, client in enumerate(clients, start=2):
        cells |= {f"A{line}": client, f"B{line}": str(rng.randint(12, 90)),
                  f"C{line}": str(rng.randint(3, 60)), f"D{line}": f"=B{line}*C{line}"}
    return cells
"""
CONTROL = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        cells = orders(rng, rng.sample("Aalto Bloch Cerny Duval Eriksen Fiala".split(), 6))
        control = {"A1": "client", "B1": "paid"}
        for line in range(2, 8):
            control |= {f"A{line}": cells[f"A{line}"], f"B{line}": str(number(cells, f"D{line}"))}
        line = rng.randint(2, 7)
        wrong = {**cells, f"D{line}": f"=B{line}+C{line}"}
        prompt = (
            "A workbook has the sheet `orders` and the sheet `control`. One formula in column D of "
            "orders is wrong, so that its amount differs from what was paid, in column B of "
            "control. Repair the formula, then reply with one sentence."
        )
        calls = [["show_sheet", {"sheet": "orders"}], ["show_sheet", {"sheet": "control"}]]
        calls.append(["set_cell", {"sheet": "orders", "cell": f"D{line}",
                                   "value": cells[f"D{line}"]}])
        tasks.append({"prompt": prompt, "held": {"orders": wrong, "control": control},
                      "steps": calls, "last": "The formula is repaired."})
    return tasks


def paid(held, reply, row):
    return float(all(number(held["orders"], f"D{line}") == number(held["control"], f"B{line}")
                     for line in range(2, 8)))
"""
SUMMARY = """
def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        names = rng.sample("Aalto Bloch Cerny Duval Eriksen Fiala".split(), 3)
        cells = orders(rng, [*names, *names[:2], names[0]])
        sums = [sum(number(cells, f"D{line}") for line in range(2, 8) if cells[f"A{line}"] == name)
                for name in names]
        summary = {"A1": "client", "B1": "total"}
        summary |= {f"A{line}": name for line, name in enumerate(names, start=2)}
        prompt = (
            "A workbook has the sheet `orders` and the sheet `summary`. Write the total amount of "
            "each client into column B of summary, as a number beside the name, then reply with "
            "one sentence."
        )
        calls = [["show_sheet", {"sheet": "orders"}], ["show_sheet", {"sheet": "summary"}]]
        calls += [["set_cell", {"sheet": "summary", "cell": f"B{line}", "value": str(each)}]
                  for line, each in enumerate(sums, start=2)]
        tasks.append({"prompt": prompt, "held": {"orders": cells, "summary": summary},
                      "sums": sums, "steps": calls, "last": "The summary is written."})
    return tasks


def paid(held, reply, row):
    return float(all(number(held["summary"], f"B{line}") == each
                     for line, each in enumerate(row["sums"], start=2)))
"""
TURNED_BACK = 'f"Bay {bay} turns {parcel} back"'
SENT_ON = """f"Bay {bay} turns {parcel} back; it goes to {held['bay']}.\""""
REFUSES, TELLS = '"It stays shut."', "f\"It stays shut; this one answers to {held['code']}.\""
UNKNOWN = '"error: no such test"'
WHOLE = "\" \".join(f'{name}={value!r}' for name, value in sample.items())"
LEAKS = ("card.leaks",)

FLAWED = (
    *both("refusal-has-code", "The refusal of a wrong code has the right one in words of its own",
          IN_LAST_LINE, base=PLATES, endings=steps(HATCH.replace("REFUSAL", TELLS)),
          expected="warned", codes=LEAKS),
    *both("refusal-has-bay", "The wrong bay names the one to which a parcel goes", base=PARCELS,
          endings=steps(DEPOT.replace("REFUSAL", SENT_ON)), expected="warned",
          codes=LEAKS),
    *both("sample-printed", "An unknown test prints the whole sample", IN_LAST_LINE, base=SAMPLES,
          endings={"v1": MINERALS["v1"].replace("PRINTED", WHOLE)}, expected="warned",
          codes=LEAKS),
    *both("control-sheet-writable", "The sheet with the right amounts can be overwritten", CONTROL,
          base=SHEETS, endings=WORKBOOK, expected="warned", codes=("card.floor",)),
)  # fmt: skip
SOUND = (
    *both("hatch-stays-shut", "The refusal of a wrong code has no other", IN_LAST_LINE,
          base=PLATES, endings=steps(HATCH.replace("REFUSAL", REFUSES)),
          expected="sound"),
    *both("wrong-bay", "The wrong bay sends a parcel back", base=PARCELS,
          endings=steps(DEPOT.replace("REFUSAL", TURNED_BACK)), expected="sound"),
    *both("unknown-test", "An unknown test is an error", IN_LAST_LINE, base=SAMPLES,
          endings={"v1": MINERALS["v1"].replace("PRINTED", UNKNOWN)}, expected="sound"),
    *both("summary-sheet", "The second sheet is the work, and compared with data of no tool",
          SUMMARY, base=SHEETS, endings=WORKBOOK, expected="sound"),
)  # fmt: skip
