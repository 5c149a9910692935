"""Registers of which the right one can be written, a period without its last day, and lists that
are cut; sound ones that lock it, that the scorer has of its own, of which either may be changed,
whole periods, and lists that are whole or say how many more there are."""

from __future__ import annotations

from tests.zoo.build import both
from tests.zoo.step_endings import steps

REGISTERS = """
import random

TITLES = "Atlas Breviary Chronicle Diary Edda Fables Grammar Herbal Itinerary Journal".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(30):
        right = {title: rng.randint(1480, 1899) for title in TITLES}
        copy = dict(right)
        for title in rng.sample(TITLES, rng.randint(1, 3)):
            copy[title] += rng.choice((-10, -1, 1, 10, 100))
        lists = {"shelf": copy, "catalogue": right}
        reads = [["show_list", {"list": name}] for name in lists]
        writes = [["write_year", {"list": "shelf", "title": title, "year": right[title]}]
                  for title in TITLES if copy[title] != right[title]]
        tasks.append({"prompt": f"Cabinet {100 + number}: " + PROMPT,
                      "held": {"lists": lists}, "steps": reads + writes, "right": right,
                      "last": "Both lists have the same years now."})
    return tasks


def paid(held, reply, row):
    return float(held["lists"]["shelf"] == JUDGE)
"""
COPIED = (
    "the list `shelf` was copied by hand from the list `catalogue`, and some of its years are "
    "wrong. Correct them, then reply with one sentence."
)
AGREE = (
    "the lists `shelf` and `catalogue` have different years, some of them wrong, and nobody knows "
    "which. Make them agree, in whichever of them you like, then reply with one sentence."
)
LISTS = '''
    @vf.tool
    def show_list(self, list: str) -> str:
        """The titles and years of a list."""
        entries = self.state.held["lists"].get(list, {})
        return "; ".join(f"{title} {year}" for title, year in entries.items()) or "no such list"

    @vf.tool
    def write_year(self, list: str, title: str, year: int) -> str:
        """Write the year of a title into a list."""
        lists = self.state.held["lists"]
        if list not in lists or title not in lists[list]:
            return "error: no such entry"
        if REFUSED:
            return "error: the catalogue is locked"
        self.state.held["lists"] = {**lists, list: {**lists[list], title: year}}
        return f"{title} {year}"
'''
BY_CATALOGUE = REGISTERS.replace("JUDGE", 'held["lists"]["catalogue"]')
COPY = BY_CATALOGUE.replace("PROMPT", repr(COPIED))
COPY_BY_ROW = REGISTERS.replace("JUDGE", 'row["right"]').replace("PROMPT", repr(COPIED))
EITHER = BY_CATALOGUE.replace("PROMPT", repr(AGREE))
LOCKED, WRITABLE = (
    LISTS.replace("REFUSED", condition) for condition in ('list == "catalogue"', "False")
)
CROSSINGS = """
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(40):
        trips = [(day, rng.randint(20, 90)) for day in range(1, 31) if rng.random() < 0.85]
        start = rng.randint(1, 20)
        end = start + rng.randint(4, 10)
        total = sum(count for day, count in trips if start <= day <= end)
        prompt = (
            f"Ferry {100 + number}: how many passengers crossed from {start} to {end} June, both "
            "days included? Reply with `Passengers: ` and the number."
        )
        tasks.append({"prompt": prompt, "held": {"trips": trips}, "total": total,
                      "steps": [["crossings", {"start_day": start, "end_day": end}]],
                      "last": f"Passengers: {total}"})
    return tasks


def paid(held, reply, row):
    return float(reply.strip() == f"Passengers: {row['total']}")
"""
LOG = '''
    @vf.tool
    def crossings(self, start_day: int, end_day: int) -> str:
        """The passengers of each day with a crossing, from start_day to end_day inclusive."""
        trips = self.state.held["trips"]
        rows = [f"{day} June, {count} passengers" for day, count in trips if DAYS]
        return "\\n".join(rows) or "no crossing"
'''
OPEN, WHOLE = "start_day <= day < end_day", "start_day <= day <= end_day"
CHRISTENINGS = """
import random

NAMES = "Anna Barbara Catharina Dorothea Andreas Balthasar Conrad Dietrich".split()
FAMILIES = "Amrein Bosshard Caduff Egli Furrer Gubler".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        family, first = rng.choice(FAMILIES), rng.randint(1640, 1700)
        number, entries = rng.randint(6, 44), []
        for year in sorted(rng.randint(first, first + 30) for _ in range(number)):
            name = rng.randrange(8)
            kind = "daughter" if name < 4 else "son"
            entries.append(f"{year}: {NAMES[name]} {family}, {kind}")
        girls = sum(entry.endswith("daughter") for entry in entries)
        question = (
            f"How many of the children of the family {family} who were christened from {first} to "
            f"{first + 30} were girls? Look the entries up, then reply with the number alone."
        )
        step = ["search", {"family": family, "from_year": first, "to_year": first + 30}]
        tasks.append({"prompt": question, "held": {"entries": entries}, "steps": [step],
                      "last": str(girls)})
    return tasks


def paid(held, reply, row):
    return float(reply.strip() == row["last"])
"""
CHURCH_BOOK = '''
    @vf.tool
    def search(self, family: str, from_year: int, to_year: int) -> str:
        """The christenings of a family within these years."""
        entries = self.state.held["entries"]
        within = [each for each in entries if from_year <= int(each[:4]) <= to_year]
        shown = SHOWN
        return "\\n".join([f"{len(shown)} entries", *shown])
'''
MORE = """[*within[:20], *[f"... and {len(within) - 20} more" for _ in within[20:21]]]"""

FLAWED = (
    *both("source-writable", "The list with which a copy must agree can be written",
          base=COPY, endings=steps(WRITABLE),
          expected="warned", codes=("card.mutants_caught",)),
    *both("end-left-out", "A tool leaves out the last day of a period, which is included",
          base=CROSSINGS, endings=steps(LOG.replace("DAYS", OPEN)), expected="warned",
          codes=("card.tool_results",)),
    *both("twenty-christenings", "A search returns twenty entries as if they were all, and those "
          "with one word are counted", CHRISTENINGS,
          endings=steps(CHURCH_BOOK.replace("SHOWN", "within[:20]")), expected="warned",
          codes=("card.tool_results",)),
)  # fmt: skip
SOUND = (
    *both("source-locked", "The list with which a copy must agree is locked",
          base=COPY, endings=steps(LOCKED), expected="sound"),
    *both("source-kept", "Both lists can be written, and the scorer has its own",
          base=COPY_BY_ROW, endings=steps(WRITABLE), expected="sound"),
    *both("either-list", "Either of two lists may be changed until they agree",
          base=EITHER, endings=steps(WRITABLE), expected="sound"),
    *both("end-included", "A tool returns all days of a period", base=CROSSINGS,
          endings=steps(LOG.replace("DAYS", WHOLE)), expected="sound"),
    *both("all-christenings", "A search returns all entries, and those with one word are counted",
          CHRISTENINGS, endings=steps(CHURCH_BOOK.replace("SHOWN", "within")), expected="sound"),
    *both("twenty-christenings-and-more", "A search returns twenty entries and says how many more "
          "there are", CHRISTENINGS, endings=steps(CHURCH_BOOK.replace("SHOWN", MORE)),
          expected="sound"),
)  # fmt: skip
