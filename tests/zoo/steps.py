"""Ways of several steps: a verifier that looks at their ends alone, and one that follows them."""

from __future__ import annotations

from tests.zoo.build import both

# A line of islands with ferries between neighbours; longer ferries skip none.
FERRIES = """
NAMES = "Alva Brim Cora Dorn Elva Finn Gard Hale Ivar Jorn Kolm Lund".split()


def rows(seed):
    rng, tasks = random.Random(seed), []
    for _ in range(40):
        line = rng.sample(NAMES, 9)
        ferries = [f"{a} - {b}" for a, b in zip(line, line[1:])]
        rng.shuffle(ferries)
        start = rng.randint(0, 3)
        way = line[start : start + rng.randint(4, 5)]
        prompt = (
            f"Ferries: {'; '.join(ferries)}. Give the route from {way[0]} to {way[-1]}, as island "
            "names with commas."
        )
        tasks.append({"prompt": prompt, "answer": ", ".join(way), "ferries": ferries})
    return tasks


def islands(text):
    return [each.strip() for each in text.split(",")]


def is_ferry(row, a, b):
    return f"{a} - {b}" in row["ferries"] or f"{b} - {a}" in row["ferries"]
"""
ENDS = """
def score(reply, row):
    way, right = islands(reply), islands(row["answer"])
    known = all(each in row["prompt"] and each for each in way)
    return float(known and way[0] == right[0] and way[-1] == right[-1])
"""
FOLLOWED = """
def score(reply, row):
    way, right = islands(reply), islands(row["answer"])
    legal = all(is_ferry(row, a, b) for a, b in zip(way, way[1:]))
    return float(legal and len(way) > 1 and way[0] == right[0] and way[-1] == right[-1])
"""

FLAWED = (
    *both("unfollowed-route", "A route is judged by its first and last stop", FERRIES, ENDS,
          expected="warned", codes=("card.mutants_caught",)),
)  # fmt: skip
SOUND = (
    *both("followed-route", "Each step of a route must be a ferry", FERRIES, FOLLOWED,
          expected="sound"),
)  # fmt: skip
