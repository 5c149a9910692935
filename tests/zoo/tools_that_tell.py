"""Tools whose listings, records and errors tell the answer, and sound listings and searches."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

IN_LAST_LINE = """
def paid(held, reply, row):
    return float(reply.strip().splitlines()[-1:] == [row["last"]])
"""
PUMPS = '''
    @vf.tool
    def list_pumps(self) -> str:
        """All pumps of the plant."""
        return LISTED

    @vf.tool
    def read_pump(self, pump: str) -> str:
        """The pressures that a pump had in the last hours."""
        pumps = {each["name"]: each for each in self.state.held["pumps"]}
        return str(pumps[pump]["bars"]) if pump in pumps else "error: no such pump"
'''
AS_JSON = steps(
    PUMPS.replace(
        "LISTED",
        "json.dumps([{name: value for name, value in each.items() if name not in ('bars', 'role')}"
        ' for each in self.state.held["pumps"]])',
    )
)
AS_LINES = steps(
    PUMPS.replace(
        "LISTED",
        "\"\\n\".join(f\"name={each['name']}, hall={each['hall']}, role={each['role']}\""
        ' for each in self.state.held["pumps"])',
    )
)
PLANTS = """
import json
import random


def made(rng, name, leaks):
    first = rng.uniform(4.2, 5.0)
    lost = [0.3 * hour if leaks else 0.0 for hour in range(6)]
    bars = [round(first - each + rng.uniform(-0.1, 0.1), 1) for each in lost]
    hours = rng.randint(4100, 7800) if leaks else rng.randint(150, 3900)
    return {"name": name, "hall": rng.choice("ABC"), "hours": hours,
            "role": "target" if leaks else "filler", "bars": bars}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        names = [f"P-{number}" for number in rng.sample(range(100, 1000), 6)]
        leaking = rng.choice(names)
        pumps = [made(rng, name, name == leaking) for name in names]
        prompt = (
            "One pump of the plant loses pressure from hour to hour, and the others hold it. Find "
            "it with the tools, then end with a line `Pump: NAME`."
        )
        calls = [["list_pumps", {}], *(["read_pump", {"pump": name}] for name in names)]
        tasks.append({"prompt": prompt, "held": {"pumps": pumps}, "steps": calls,
                      "last": f"Pump: {leaking}"})
    return tasks
"""
HOTELS = steps('''
    @vf.tool
    def search_hotels(self, town: str) -> str:
        """The hotels of a town."""
        listed = [{"name": each["name"], "price": each["price"], "stars": each["stars"]}
                  for each in self.state.held["hotels"]]
        return json.dumps(listed if town == self.state.held["town"] else [])

    @vf.tool
    def hotel(self, name: str) -> str:
        """What is known of a hotel."""
        known = {each["name"]: each for each in self.state.held["hotels"]}
        return json.dumps(known[name]) if name in known else "error: no such hotel"
''')
TRIPS = """
import json
import random

TOWNS = "Aalst Breda Celle Dinan Esens Forst".split()
FIRST, SECOND = "Blue Golden Old Royal Little".split(), "Swan Anchor Lion Mill Crown Bell".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        names = rng.sample([f"{first} {second}" for first in FIRST for second in SECOND], 6)
        prices = rng.sample(range(45, 190), 6)
        hotels = [{"name": name, "price": price, "stars": rng.randint(2, 5),
                   "free_rooms": rng.randint(1, 9)} for name, price in zip(names, prices)]
        town, cheapest = rng.choice(TOWNS), min(hotels, key=lambda each: each["price"])["name"]
        prompt = (
            f"Which hotel in {town} is the cheapest one? Look each of them up before you "
            "answer, and end with a line `Hotel: NAME`."
        )
        looks = [["hotel", {"name": name}] for name in names]
        tasks.append({"prompt": prompt, "held": {"town": town, "hotels": hotels},
                      "steps": [["search_hotels", {"town": town}], *looks],
                      "last": f"Hotel: {cheapest}"})
    return tasks
"""
FREIGHT = steps('''
    @vf.tool
    def shipment(self, ident: str) -> str:
        """The record of a shipment."""
        known = self.state.held
        return json.dumps(known["record"]) if ident == known["record"]["ident"] else "unknown"

    @vf.tool
    def zone(self, country: str) -> str:
        """The zone of a country."""
        return str(ZONES.get(country, "unknown"))
''')
SHIPMENTS = """
import json
import random

ZONES = {"Austria": 1, "Belgium": 1, "Croatia": 2, "Denmark": 2, "Estonia": 3, "Finland": 3}


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        grams, country = rng.randint(300, 19000), rng.choice([*ZONES])
        ident = f"SH-{rng.randint(1000, 9999)}"
        cents = 490 + 3 * grams * ZONES[country] // 10
        due = f"{cents // 100}.{cents % 100:02}"
        record = {"ident": ident, "grams": grams, "country": country, "packed": True,
                  "invoiced": due}
        prompt = (
            f"What does the transport of {ident} cost? Rules: 4.90 euros, and for each gram 0.3 "
            "cents times the zone of the country; the sum is cut to whole cents. Use the tools, "
            "and end with a line `Cost: EUROS` with two decimals."
        )
        looks = [["shipment", {"ident": ident}], ["zone", {"country": country}]]
        tasks.append({"prompt": prompt, "held": {"record": record}, "steps": looks,
                      "last": f"Cost: {due}"})
    return tasks
"""
LOCKERS = steps('''
    @vf.tool
    def read_note(self, number: int) -> str:
        """One of the notes on the desk, 1 to 3."""
        notes = self.state.held["notes"]
        return notes[number - 1] if 1 <= number <= len(notes) else "error: no such note"

    @vf.tool
    def open_locker(self, locker: str, code: str) -> str:
        """Open a locker by its code."""
        held = self.state.held
        try:
            assert locker == held["locker"], "no such locker"
            assert code == held["code"], f"{code!r} != {held['code']!r}"
        except AssertionError as error:
            return f"AssertionError: {error}"
        return "It is open."
''')
NOTES = """
import json
import random

PARTS = "AMBER BASALT CORAL DELTA EMBER FJORD GARNET HAZEL".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(30):
        locker, word, number = f"L-{rng.randint(100, 999)}", rng.choice(PARTS), rng.randint(12, 48)
        added = rng.randint(3, 40)
        code = f"{word}-{number + added}"
        notes = [f"A code is a word, a hyphen and a number. The word is {word}.",
                 f"The number is {number} and what the last note says.", f"Add {added}."]
        prompt = (
            f"Find the code of the locker {locker} with the notes, try it, and end with a line "
            "`Code: ...`."
        )
        calls = [["read_note", {"number": at}] for at in (1, 2, 3)]
        calls.append(["open_locker", {"locker": locker, "code": code}])
        tasks.append({"prompt": prompt, "held": {"locker": locker, "code": code, "notes": notes},
                      "steps": calls, "last": f"Code: {code}"})
    return tasks
"""
SCALE = steps('''
    @vf.tool
    def compare(self, grams: int) -> str:
        """Whether the stone is heavier or lighter than a weight."""
        held = self.state.held
        held["uses"] += 1
        if grams == held["grams"]:
            return "balanced"
        return "heavier" if held["grams"] > grams else "lighter"
''')
STONES = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    prompt = (
        "A stone weighs from 1 to 200 grams, a whole number. The scale tells whether it is heavier "
        "or lighter than a weight, or balanced; eight uses are free, and more earn nothing. Find "
        "what it weighs and end with a line `Grams: N`."
    )
    tasks = []
    for grams in rng.sample(range(1, 201), 30):
        low, high, calls = 1, 200, []
        while not calls or calls[-1][1]["grams"] != grams:
            middle = (low + high) // 2
            calls.append(["compare", {"grams": middle}])
            low, high = (middle + 1, high) if grams > middle else (low, middle - 1)
        tasks.append({"prompt": prompt, "held": {"grams": grams, "uses": 0}, "steps": calls,
                      "last": f"Grams: {grams}"})
    return tasks


def paid(held, reply, row):
    right = reply.strip().splitlines()[-1:] == [row["last"]]
    return float(right and held["uses"] <= 8)
"""
LEAKS = ("card.leaks",)

FLAWED = (
    *both("hours-of-leaking-pump", "The pump that is asked for has run longest in the list",
          IN_LAST_LINE, base=PLANTS, endings=AS_JSON, expected="warned", codes=LEAKS),
    *both("role-of-pump", "The list of pumps has the role that the generator gave to them",
          IN_LAST_LINE, base=PLANTS, endings=AS_LINES, expected="warned", codes=LEAKS),
    *both("invoiced-in-record", "The record has the amount that rules are to give", IN_LAST_LINE,
          base=SHIPMENTS, endings=FREIGHT, expected="warned", codes=LEAKS),
    *both("code-in-assertion", "The error of a wrong code shows the right one", IN_LAST_LINE,
          base=NOTES, endings=LOCKERS, expected="warned", codes=LEAKS),
)  # fmt: skip
SOUND = (
    *both("cheapest-hotel", "The list has the prices, and further calls return the free rooms",
          IN_LAST_LINE, base=TRIPS, endings=HOTELS, expected="sound"),
    *both("stone-on-scale", "A search by a tool that may be used eight times", "", base=STONES,
          endings=SCALE, expected="sound"),
)  # fmt: skip
