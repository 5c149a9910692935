"""Registers of which the right one can be written, and a period without its last day; sound ones
that lock it, that the scorer has of its own, of which either may be changed, and whole periods."""

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

FLAWED = (
    *both("source-writable", "The list with which a copy must agree can be written",
          base=COPY, endings=steps(WRITABLE),
          expected="warned", codes=("card.mutants_caught",)),
    *both("end-left-out", "A tool leaves out the last day of a period, which is included",
          base=CROSSINGS, endings=steps(LOG.replace("DAYS", OPEN)), expected="warned",
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
)  # fmt: skip
